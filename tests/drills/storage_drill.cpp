// Bare writers on files: what kernel and disk do to them, and by which wait.
#include <catch2/catch.hpp>

#include "tests/drills/drill_file.hpp"

namespace drydock::drills {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

scenarios::Experiment load_bare(const std::string& drill) {
  auto parsed = scenarios::parse_drill(drill, read(drill));
  scenarios::check_simulated(parsed);
  return scenarios::make_experiment(std::move(parsed), {}, {});
}

reports::CellResult run(const std::string& drill, const reports::CellId& cell,
                        std::uint64_t seeds) {
  return run_cell(load_bare(drill), cell, seeds);
}

const reports::WaitFact* wait_of(const reports::RunResult& run, const std::string& worker,
                                 WaitPlace place) {
  for (const reports::WaitFact& fact : run.waits) {
    if (fact.worker == worker && fact.place == place) return &fact;
  }
  return nullptr;
}

// Linux I/O model, section 4.2 and experiment A10: the stall begins with the first commit of the
// journal, at most 5 s after the hang, and ends with it.
SCENARIO("a hang of all writes stops a mapped writer in the journal", "[storage]") {
  for (const reports::RunResult& each :
       run("scenarios/storage/hang.json", {{"fault", "writes"}, {"flush", "none"}}, 3).runs) {
    const reports::FaultFact& hang = each.faults.at(0);
    const reports::WaitFact* const stuck = wait_of(each, "writer", WaitPlace::journal);
    REQUIRE(stuck != nullptr);
    CHECK(stuck->longest_began_ns >= hang.began_ns);
    CHECK(stuck->longest_began_ns <= hang.began_ns + 5 * kSecond);
    const std::int64_t end = stuck->longest_began_ns + stuck->longest_ns;
    CHECK(end >= hang.ended_ns);
    CHECK(end <= hang.ended_ns + kSecond / 10);
    CHECK(each.verdict == reports::Verdict::pass);
  }
}

// Experiment A12: the journal's writes go on, and so does the writer; a sync waits for the data.
SCENARIO("a hang of data writes alone stops only who syncs", "[storage]") {
  for (const reports::RunResult& each :
       run("scenarios/storage/hang.json", {{"fault", "data-writes"}, {"flush", "every-500-ms"}}, 3)
           .runs) {
    const reports::WaitFact* const sync = wait_of(each, "flusher", WaitPlace::writeback);
    REQUIRE(sync != nullptr);
    CHECK(sync->longest_ns >= 9 * kSecond);
    CHECK(each.rto.client_ns == 0);
  }
}

// Linux I/O model, section 4.4.
SCENARIO("a sync that succeeds after one that failed proves nothing", "[storage]") {
  const std::string drill = "scenarios/storage/fsync-error.json";
  for (const std::string access : {"fsync", "msync"}) {
    const auto runs = [&](const char* after_error) {
      return run(drill, {{"access", access}, {"after-error", after_error}, {"fault", "one-page"}},
                 3);
    };
    WHEN("the writer goes on, with " + access) {
      for (const reports::RunResult& each : runs("go-on").runs) {
        CHECK_FALSE(each.loss.lost.empty());
        // A flush covered them: that is the point.
        CHECK_FALSE(each.loss.lost.front().behind_last_flush);
      }
    }
    WHEN("the writer stops, with " + access) {
      for (const reports::RunResult& each : runs("stop").runs) CHECK(each.loss.lost.empty());
    }
  }
}

}  // namespace
}  // namespace drydock::drills
