// What a scenario says of its hosts, links and phases takes effect.
#include <catch2/catch.hpp>

#include "tests/drills/drill_file.hpp"

namespace drydock::drills {
namespace {

constexpr std::uint64_t kSeeds = 5;

reports::CellResult power_loss(const std::string& conf, const std::function<void(Json&)>& change) {
  const scenarios::Experiment experiment = load("scenarios/power-loss.json", conf, change);
  return run_cell(experiment, {{"fault", "power-loss"}, {"flushDiskType", "ASYNC_FLUSH"}}, kSeeds);
}

SCENARIO("a send takes at least the latency of both ways", "[topology]") {
  const auto far = [](Json& json) {
    json["topology"]["links"] = {
        {{"from", "client-host"}, {"to", "broker-host"}, {"latency", "20 ms"}},
        {{"from", "broker-host"}, {"to", "client-host"}, {"latency", "30 ms"}}};
  };
  for (const reports::RunResult& each : power_loss("", far).runs) {
    CHECK(each.baseline.latency_p50_ns >= 50'000'000);
    CHECK(each.baseline.latency_p50_ns < 60'000'000);
  }
}

// What the flusher has written back outlives the page cache, as soon as the journal has committed
// that those extents are written: every 5 s (Linux I/O model, section 4). By default nothing is old
// enough for 30 s.
SCENARIO("a kernel that writes back early loses what the journal has not committed", "[topology]") {
  const std::string never_flushes =
      "flushIntervalCommitLog=60000\nflushCommitLogThoroughInterval=60000\n"
      "flushCommitLogLeastPages=1000000\n";
  const auto slowly = [](Json& json) { json["phases"]["warm"] = "20 s"; };
  const auto early = [&](Json& json) {
    slowly(json);
    json["topology"]["hosts"]["broker-host"]["dirty"] = {{"bytes", "1 GiB"},
                                                         {"background_bytes", "4 KiB"},
                                                         {"expire", "50 ms"},
                                                         {"writeback", "50 ms"}};
  };
  for (const reports::RunResult& each : power_loss(never_flushes, early).runs) {
    CHECK(each.loss.lost.size() > 0);
    CHECK(each.loss.lost.size() < 5'300 / 10);  // 100 sends per second.
  }
  for (const reports::RunResult& each : power_loss(never_flushes, slowly).runs) {
    CHECK(each.loss.lost.size() > 20'000 / 10);
  }
}

SCENARIO("a host has memory for its broker, or is refused", "[topology]") {
  const auto with = [](const char* memory, const char* heap) {
    return [memory, heap](Json& json) {
      json["topology"]["hosts"]["broker-host"]["memory"] = memory;
      if (*heap != 0) json["topology"]["brokers"]["broker-a"]["heap"] = heap;
    };
  };
  for (const reports::RunResult& each : power_loss("", with("128 MiB", "64 MiB")).runs) {
    CHECK(each.verdict != reports::Verdict::harness);
    CHECK(each.baseline.latency_p50_ns > 0);
  }
  // RocketMQ's script gives a broker 8 GiB.
  CHECK_THROWS_WITH(power_loss("", with("4 GiB", "")),
                    Catch::Matchers::Contains("/topology/hosts/broker-host/memory: must be more "
                                              "than 8 GiB of broker-a (its heap), 16576 KiB that "
                                              "the kernel keeps free and 16 MiB of page cache"));
}

SCENARIO("a phase ends with what it waits for", "[topology]") {
  const auto run = [](const Json& until) {
    const scenarios::Experiment experiment = load("scenarios/ack-matrix.json", "", [&](Json& json) {
      json["phases"]["hold"] = {{"at_most", "1000 s"}, {"until", until}, {"then", "1 s"}};
    });
    return run_cell(experiment,
                    {{"fault", "process-kill"},
                     {"flushDiskType", "SYNC_FLUSH"},
                     {"replication", "async"}},
                    1)
        .runs.at(0);
  };
  for (const Json& until :
       {Json("writes-resume"), Json("brokers-serving"), Json("slaves-caught-up"),
        Json{{"event", "store.flushed"}, {"occurrence", 200}}}) {
    INFO(until.dump());
    const reports::RunResult each = run(until);
    CHECK(each.verdict == reports::Verdict::pass);
    CHECK(each.virtual_ns < 60'000'000'000);
  }
  CHECK(run({{"event", "store.flushed"}, {"occurrence", 1'000'000'000}}).virtual_ns >
        1'000'000'000'000);
}

}  // namespace
}  // namespace drydock::drills
