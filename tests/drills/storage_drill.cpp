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

// Linux I/O model, sections 1.3 and 7.2, and experiments A2 and A3: a writer that outruns its disk
// gets the disk's rate, by sleeps of 200 ms and two ticks at most, and is asleep most of the time.
SCENARIO("a writer that outruns its disk is slowed down, not stopped", "[storage]") {
  const std::string drill = "scenarios/storage/throttle.json";
  for (const std::string kernel : {"el7", "6.x"}) {
    for (const reports::RunResult& each :
         run(drill, {{"topology/hosts/h/kernel", kernel}}, 2).runs) {
      const reports::WaitFact* const sleeps = wait_of(each, "writer", WaitPlace::dirty_throttle);
      REQUIRE(sleeps != nullptr);
      CHECK(sleeps->longest_ns <= 208'000'000);
      CHECK(sleeps->total_ns >= 7 * kSecond);  // Of 12.
      // What the limits leave free, and then what the disk takes in 12 s.
      const std::int64_t bytes = each.loss.acked * 4'096;
      const std::int64_t free_run = (48 << 20) + 12 * (std::int64_t{50} << 20);
      CHECK(bytes >= free_run * 95 / 100);
      CHECK(bytes <= free_run * 105 / 100);
    }
  }
}

// Linux I/O model, section 4.3 and experiment A13.
SCENARIO("a sync waits behind somebody else's writeback", "[storage]") {
  const std::string drill = "scenarios/storage/fsync-behind-writeback.json";
  const auto log_waits = [](const reports::RunResult& run) {
    for (const reports::WaitFact& fact : run.waits) {
      if (fact.process == "log" && fact.place == WaitPlace::writeback) return fact.longest_ns;
    }
    return std::int64_t{0};
  };
  const reports::CellResult large = run(drill, {{"flush", "every-3-s"}}, 2);
  const reports::CellResult small = run(drill, {{"flush", "every-100-ms"}}, 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(log_waits(large.runs[i]) >= kSecond);
    CHECK(log_waits(small.runs[i]) <= kSecond / 5);
  }
}

// Linux I/O model, section 2.4: in 192 MiB of memory cold reads leave some 20 MB behind the writer
// in memory. Who is 10 MB behind finds everything there; who is 80 MB behind waits for a disk that
// is busy with the cold reads.
SCENARIO("cold reads push out what a tail reader will need", "[storage]") {
  const std::string drill = "scenarios/storage/cold-read.json";
  const auto reads = [&drill](const char* behind, const char* storm) {
    std::int64_t most = 0;
    for (const reports::RunResult& each :
         run(drill, {{"behind", behind}, {"storm", storm}}, 2).runs) {
      for (const reports::WaitFact& fact : each.waits) {
        if (fact.process == "tail" && fact.place == WaitPlace::page_read) {
          most = std::max(most, fact.count);
        }
      }
    }
    return most;
  };
  CHECK(reads("10-MB", "yes") <= 20);
  CHECK(reads("80-MB", "no") <= 20);
  CHECK(reads("80-MB", "yes") >= 1'000);
}

// apache/rocketmq#2387: 37.56 s of a stop of 37.56 s are the time until every thread had stopped.
SCENARIO("a safepoint that waits for a stuck thread stops all others", "[storage]") {
  const auto stood = [](const char* program, const char* fault) {
    return run("scenarios/storage/safepoint.json", {{"program", program}, {"fault", fault}}, 3)
        .runs;
  };
  WHEN("the stuck thread is in a mapped file and the machine waits for it") {
    for (const reports::RunResult& each : stood("mapped", "writes")) {
      const reports::FaultFact& hang = each.faults.at(0);
      const reports::WaitFact* const heart = wait_of(each, "heartbeat", WaitPlace::safepoint);
      const reports::WaitFact* const stuck = wait_of(each, "writer", WaitPlace::journal);
      REQUIRE(heart != nullptr);
      REQUIRE(stuck != nullptr);
      CHECK(heart->longest_began_ns >= stuck->longest_began_ns);
      CHECK(heart->longest_began_ns <= stuck->longest_began_ns + kSecond + kSecond / 100);
      const std::int64_t end = heart->longest_began_ns + heart->longest_ns;
      CHECK(end >= hang.ended_ns);
      CHECK(end <= hang.ended_ns + kSecond / 10);
    }
  }
  for (const char* const program : {"mapped-uncoupled", "pwrite"}) {
    WHEN(std::string("it is not waited for: ") + program) {
      for (const reports::RunResult& each : stood(program, "writes")) {
        const reports::WaitFact* const heart = wait_of(each, "heartbeat", WaitPlace::safepoint);
        REQUIRE(heart != nullptr);
        CHECK(heart->longest_ns <= kSecond / 50);
        const reports::WaitFact* const stuck = wait_of(each, "writer", WaitPlace::journal);
        REQUIRE(stuck != nullptr);
        CHECK(stuck->longest_ns >= 5 * kSecond);
      }
    }
  }
}

}  // namespace
}  // namespace drydock::drills
