// What reports say of the copies of a lost message, against a search of everything that the disks
// hold: the accounting goes by offsets and flushes, the search by bytes.
#include <array>
#include <catch2/catch.hpp>
#include <set>

#include "engine/wire/big_endian.hpp"
#include "scenarios/world_sim/sim_run.hpp"
#include "tests/drills/drill_file.hpp"

namespace drydock::drills {
namespace {

using reports::CopyEnd;
constexpr std::uint64_t kSeeds = 6;

// The keys of all messages that lie anywhere on the media, live or not.
std::set<std::uint64_t> keys_on(const sim::SimDisk& disk) {
  static constexpr std::string_view kName = "KEYS\x01";
  const sim::BlockStore& store = disk.store();
  std::set<std::uint64_t> keys;
  std::string run;  // Consecutive blocks that were ever written.
  const auto search = [&] {
    for (std::size_t at = run.find(kName); at != std::string::npos; at = run.find(kName, at)) {
      at += kName.size();
      std::uint64_t key = 0;
      while (at < run.size() && run[at] >= '0' && run[at] <= '9') {
        key = 10 * key + static_cast<std::uint64_t>(run[at++] - '0');
      }
      keys.insert(key);
    }
    run.clear();
  };
  const std::int64_t blocks = store.capacity_bytes() / sim::kPageBytes;
  for (std::int64_t block = 0; block < blocks; ++block) {
    if (store.origin(block) == sim::BlockOrigin()) {
      if (!run.empty()) search();
      continue;
    }
    run += as_text(store.read(block * sim::kPageBytes, sim::kPageBytes).flatten().span());
  }
  search();
  return keys;
}

// How many copies ended how.
using Ends = std::array<int, static_cast<std::size_t>(CopyEnd::count_)>;

void compare(const scenarios::Experiment& experiment, const scenarios::Cell& cell,
             std::uint64_t seed, Ends& ends) {
  scenarios::SimRun run(experiment, cell, seed, scenarios::Provenance::full);
  while (run.advance()) {
  }
  const reports::RunResult result = run.result();
  std::set<std::uint64_t> lost;
  for (const reports::LostMessage& message : result.loss.lost) lost.insert(message.key);
  for (std::size_t i = 0; i < result.replicas.size(); ++i) {
    const reports::ReplicaFacts& replica = result.replicas[i];
    INFO(reports::text_of(cell.id) << ", seed " << seed << ", " << replica.broker);
    const sim::SimDisk* const disk = run.world().disk(replica.host);
    REQUIRE((disk == nullptr) == replica.destroyed);
    const std::set<std::uint64_t> found =
        disk == nullptr ? std::set<std::uint64_t>() : keys_on(*disk);
    for (const reports::LostMessage& message : result.loss.lost) {
      if (message.histories.empty()) continue;
      INFO("message " << message.key);
      const CopyEnd end = message.histories.at(i).end;
      ++ends[static_cast<std::size_t>(end)];
      if (end == CopyEnd::cut_by_recovery) continue;  // A cut moves the end, and erases nothing.
      CHECK(found.contains(message.key) == (end == CopyEnd::kept));
    }
    if (!replica.read) continue;
    // And who was there before the fault, and was not lost, is there. Later ones may still be in
    // memory alone.
    for (const reports::SendRecord& send : run.world().recorder().history().sends) {
      const bool before = send.completed_ns < result.faults.at(0).began_ns;
      const bool acked = send.outcome == reports::SendOutcome::acked;
      if (!before || !acked || lost.contains(send.key)) continue;
      INFO("message " << send.key);
      CHECK(found.contains(send.key));
    }
  }
}

Ends compare_all(const std::string& fault, const std::string& replication) {
  const scenarios::Experiment experiment =
      load("scenarios/ack-matrix.json", read("docs/examples/broker.conf"), [](Json& json) {
        for (const char* host : {"master-host", "slave-host"}) {
          json["topology"]["hosts"][host]["disk"]["size"] = "4 GiB";  // Less to search.
        }
      });
  Ends ends{};
  for (const scenarios::Cell& cell : experiment.cells) {
    const reports::CellId id{
        {"fault", fault}, {"flushDiskType", "ASYNC_FLUSH"}, {"replication", replication}};
    if (cell.id != id) continue;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) compare(experiment, cell, seed, ends);
  }
  return ends;
}

int count(const Ends& ends, CopyEnd end) { return ends[static_cast<std::size_t>(end)]; }

SCENARIO("copies are where the accounting says, by a search of all media", "[copies]") {
  WHEN("the master's host loses power") {
    const Ends ends = compare_all("power-loss", "async");
    CHECK(count(ends, CopyEnd::page_cache_lost) > 0);
    CHECK(count(ends, CopyEnd::kept) > 0);  // On the slave, which nobody reads.
    CHECK(count(ends, CopyEnd::not_received) > 0);
  }
  WHEN("the master is gone for good") {
    const Ends ends = compare_all("destroyed", "async");
    CHECK(count(ends, CopyEnd::destroyed) > 0);
    CHECK(count(ends, CopyEnd::not_received) > 0);
  }
}

}  // namespace
}  // namespace drydock::drills
