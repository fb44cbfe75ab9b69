// Bare writers on files: what kernel and disk do to them, and by which wait.
#include <catch2/catch.hpp>
#include <tuple>

#include "reports/loss/explain.hpp"
#include "reports/waits/waits.hpp"
#include "tests/drills/drill_file.hpp"

namespace drydock::drills {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

scenarios::Experiment load_bare(const std::string& drill,
                                const std::function<void(Json&)>& change = {}) {
  Json json = Json::parse(read(drill), nullptr, true, true);
  if (change) change(json);
  auto parsed = scenarios::parse_drill(drill, json.dump());
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

// The blocks of the writer's file hang, those of the journal do not: experiment A12 again.
SCENARIO("a hang of a file's blocks stops only who syncs that file", "[storage]") {
  const std::string drill = "scenarios/storage/hang.json";
  for (const reports::RunResult& each :
       run(drill, {{"fault", "range"}, {"flush", "every-500-ms"}}, 2).runs) {
    const reports::WaitFact* const sync = wait_of(each, "flusher", WaitPlace::writeback);
    REQUIRE(sync != nullptr);
    CHECK(sync->longest_ns >= 9 * kSecond);
    CHECK(each.rto.client_ns == 0);
    CHECK(each.faults.at(0).detail == "all of /log");
  }
  // Nobody writes the pages back meanwhile: nothing of the file is touched.
  for (const reports::RunResult& each :
       run(drill, {{"fault", "range"}, {"flush", "none"}}, 2).runs) {
    CHECK(wait_of(each, "writer", WaitPlace::writeback) == nullptr);
    CHECK(each.rto.client_ns == 0);
  }
}

// Linux I/O model, section 4.2: the shadow of a block ends with the block's own way to the log.
SCENARIO("a hang of the journal's writes alone stops a mapped writer as one of all writes does",
         "[storage]") {
  for (const reports::RunResult& each :
       run("scenarios/storage/hang.json", {{"fault", "journal"}, {"flush", "every-500-ms"}}, 2)
           .runs) {
    const reports::WaitFact* const stuck = wait_of(each, "writer", WaitPlace::journal);
    const reports::WaitFact* const sync = wait_of(each, "flusher", WaitPlace::writeback);
    REQUIRE(stuck != nullptr);
    CHECK(stuck->longest_ns >= 5 * kSecond);
    REQUIRE(sync != nullptr);
    CHECK(sync->longest_ns <= kSecond);
  }
}

// Rule R7 of section 4.5: barriers that are not obeyed. Of 20 runs, a quarter keeps the whole
// cache.
SCENARIO("what a sync promised is lost with the power if the flush was a lie", "[storage]") {
  const std::string drill = "scenarios/storage/lying-flush.json";
  const auto lost = [&drill](const char* fault) {
    std::size_t messages = 0;
    for (const reports::RunResult& each : run(drill, {{"fault", fault}}, 8).runs) {
      messages += each.loss.lost.size();
    }
    return messages;
  };
  CHECK(lost("power-only") == 0);
  CHECK(lost("lie-that-ended") == 0);
  CHECK(lost("lie") > 0);
}

SCENARIO("what a lying flush has lost is explained by the lie", "[storage]") {
  const reports::CellResult cell = run("scenarios/storage/lying-flush.json", {{"fault", "lie"}}, 4);
  int traced = 0;
  for (const reports::RunResult& each : cell.runs) {
    for (const reports::LostMessage& message : each.loss.lost) {
      if (message.histories.empty()) continue;
      CHECK(message.histories.at(0).end == reports::CopyEnd::disk_cache_lost);
      CHECK(each.faults.at(static_cast<std::size_t>(message.last_copy_fault)).kind ==
            "host.power-loss");
      ++traced;
    }
  }
  CHECK(traced > 0);
  CHECK(reports::explain(reports::mechanism_of(cell.runs))
            .find("from the cache of its disk, whose flush had been confirmed and not done "
                  "(disk.flush-lie)") != std::string::npos);
}

std::string refusal(const std::string& drill, const std::vector<scenarios::PathSetting>& set) {
  try {
    scenarios::check_simulated(scenarios::parse_drill(drill, read(drill), set));
  } catch (const scenarios::InputError& error) {
    return error.what();
  }
  return "accepted";
}

SCENARIO("a fault of a disk that could have no effect is refused", "[storage]") {
  CHECK(refusal("scenarios/storage/lying-flush.json",
                {{"topology/hosts/h/disk/profile", "local-nvme"}})
            .ends_with(": /faults/lie/0/do: a disk 'local-nvme' has no volatile cache, so nothing "
                       "would show the lie"));
  CHECK(refusal("scenarios/storage/fsync-error.json",
                {{"topology/hosts/h/disk/mount", R"({"type": "ext4", "barrier": false})"}})
            .ends_with("/disk/mount: /topology/hosts/h/disk/mount/barrier: a disk 'local-nvme' has "
                       "no volatile cache, so nothing is lost without barriers; leave it out, or "
                       "take a profile with one, such as sata-ssd"));
  const std::string hang = "scenarios/storage/hang.json";
  CHECK(refusal(hang, {{"faults/all/0/abort", "obeyed"}})
            .ends_with(": the hang ends before the host does that, after 30 s"));
  CHECK(refusal(hang, {{"faults/all/0/reset", "lands-later"},
                       {"topology/hosts/h/disk/io_timeout", "never"}})
            .ends_with(": the host waits for ever: give the disk an io_timeout"));
  CHECK(refusal(hang, {{"faults/all/0/reset", "lands-later"},
                       {"topology/hosts/h/disk/io_timeout", "2 s"}}) == "accepted");
}

// Linux I/O model, section 5: time-out, abort, another time-out, reset; five retries, then EIO.
// With 100 ms that is 6.2 s at most, and the hang lasts 10 s.
SCENARIO("a hang that outlasts the host's patience ends in an error", "[storage]") {
  const std::string drill = "scenarios/storage/hang.json";
  auto parsed =
      scenarios::parse_drill(drill, read(drill), {{"topology/hosts/h/disk/io_timeout", "100 ms"}});
  const scenarios::Experiment experiment = scenarios::make_experiment(std::move(parsed), {}, {});
  for (const reports::RunResult& each :
       run_cell(experiment, {{"fault", "writes"}, {"flush", "every-500-ms"}}, 2).runs) {
    const reports::WaitFact* const sync = wait_of(each, "flusher", WaitPlace::writeback);
    REQUIRE(sync != nullptr);
    CHECK(sync->longest_ns >= 5 * kSecond);
    CHECK(sync->longest_ns <= 6 * kSecond + kSecond * 3 / 10);
  }
}

// Rule R7 of section 4.5: barriers that are switched off. With xfs, which has them always, and with
// the default of ext4 a sync keeps its promise.
SCENARIO("without barriers a sync promises nothing on a disk with a volatile cache", "[storage]") {
  const std::string drill = "scenarios/storage/lying-flush.json";
  const auto lost = [&drill](const char* mount) {
    auto parsed =
        scenarios::parse_drill(drill, read(drill), {{"topology/hosts/h/disk/mount", mount}});
    const auto experiment = scenarios::make_experiment(std::move(parsed), {}, {});
    std::size_t messages = 0;
    for (const reports::RunResult& each : run_cell(experiment, {{"fault", "power-only"}}, 8).runs) {
      messages += each.loss.lost.size();
    }
    return messages;
  };
  CHECK(lost(R"({"type": "ext4", "barrier": false})") > 0);
  CHECK(lost(R"({"type": "ext4", "data": "writeback"})") == 0);
  CHECK(lost(R"({"type": "ext4", "data": "journal"})") == 0);
  CHECK(lost(R"({"type": "xfs"})") == 0);
}

// NVMe reservations, section 9: a host notices a lost path after 5 s (assumed) and sends again what
// it has heard nothing of; the first copy may land behind the second.
SCENARIO("a lost link stops a host until it notices, and may take back what was synced",
         "[storage]") {
  const std::string drill = "scenarios/storage/path-loss.json";
  for (const reports::RunResult& each : run(drill, {{"fault", "cut"}, {"links", "two"}}, 2).runs) {
    const std::optional<std::int64_t> outage = each.faults.at(0).rto_fault_ns;
    REQUIRE(outage.has_value());
    CHECK(*outage >= 4 * kSecond);
    CHECK(*outage <= 6 * kSecond);
  }
  const auto lost = [&drill](const char* fault) {
    std::size_t messages = 0;
    for (const reports::RunResult& each :
         run(drill, {{"fault", fault}, {"links", "two"}}, 10).runs) {
      messages += each.loss.lost.size();
    }
    return messages;
  };
  CHECK(lost("late") > 0);
  CHECK(lost("late-not") == 0);
}

SCENARIO("what does not fit on a disk or into a memory is refused", "[storage]") {
  const std::string drill = "scenarios/storage/cold-read.json";
  CHECK(refusal(drill, {{"topology/hosts/h/disk/size", "1700 MiB"}}).find("leaves 1") !=
        std::string::npos);
  CHECK(refusal(drill, {{"topology/hosts/h/memory/min_free", "2 GiB"}})
            .ends_with("that the kernel keeps free and 16 MiB of page cache"));
  CHECK(refusal(drill, {{"topology/hosts/h/memory/group_limit", "1 MiB"}})
            .ends_with("must be more than 16 MiB of page cache"));
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

// The kernel reclaims what it can and then kills; the report must say so, or whatever else happened
// would be blamed.
SCENARIO("memory that runs out is told", "[storage]") {
  const auto with = [](const Json& jvm, const char* memory) {
    return [jvm, memory](Json& json) {
      json["topology"]["hosts"]["h"]["memory"] = memory;
      json["load"]["writers"]["w"]["jvm"] = jvm;
    };
  };
  WHEN("a heap does not fit from the start") {
    try {
      load_bare("scenarios/storage/safepoint.json", with({{"heap", "8 GiB"}}, "4 GiB"));
      FAIL("it is taken");
    } catch (const scenarios::InputError& refused) {
      const std::string line = refused.what();
      INFO(line);
      CHECK(line.find("/topology/hosts/h/memory: must be more than 8 GiB of w (its heap), ") !=
            std::string::npos);
    }
  }
  WHEN("a heap grows beyond it") {
    const Json grows{
        {"heap", "3 GiB"}, {"young", "2 GiB"}, {"allocation", "256 MiB/s"}, {"pre_touch", false}};
    const auto result =
        run_cell(load_bare("scenarios/storage/safepoint.json", with(grows, "1 GiB")),
                 {{"program", "mapped"}, {"fault", "data-writes"}}, 1);
    const reports::RunResult& each = result.runs.at(0);
    REQUIRE(each.oom_kills.size() == 1);
    CHECK(each.oom_kills[0].process == "w");
    CHECK(each.oom_kills[0].time_ns >= 2 * kSecond);  // 1 GiB at that rate, less what was free.
    CHECK(reports::describe_oom_kills(result.runs)
              .starts_with("in 1 run memory ran out, and the "
                           "OOM killer ended w "));
  }
}

// A file system that stops itself when its journal cannot be written, as it is mounted.
reports::CellResult run_without_journal(const char* mount, const char* expected) {
  const scenarios::Experiment experiment =
      load_bare("scenarios/storage/fsync-error.json", [&](Json& json) {
        json["topology"]["hosts"]["h"]["disk"]["mount"] = Json::parse(mount);
        json["faults"] = Json::parse(
            R"({"stop": [{"do": "disk.error", "on": "h", "part": "journal", "when": {"at": "0 s"}}]})");
        json["matrix"] = {{"fault", {"stop"}}};
        json["expectations"] = Json::parse(expected);
      });
  return run_cell(experiment, {{"fault", "stop"}}, 2);
}

// Only who has read the store knows what was lost; who acknowledged is the clients' word.
void check_unread(const reports::CellResult& cell, reports::FileSystemEnd how) {
  for (const reports::RunResult& each : cell.runs) {
    CHECK(each.verdict == reports::Verdict::inconclusive);
    CHECK_FALSE(each.loss.read);
    CHECK(each.loss.acked >= each.baseline.acked);
    CHECK(each.baseline.acked > 0);
    CHECK(each.loss.lost.empty());
    REQUIRE(each.stopped_file_systems.size() == 1);
    CHECK(each.stopped_file_systems[0].host == "h");
    CHECK(each.stopped_file_systems[0].how == how);
    CHECK(each.stopped_file_systems[0].time_ns >= each.faults.at(0).began_ns);
  }
  REQUIRE(cell.expectations.size() == 2);
  CHECK_FALSE(cell.expectations[1].evaluated());
  CHECK(cell.verdict == reports::Verdict::inconclusive);
}

// ext4(5), errors=: what follows an aborted journal; an xfs whose log fails shuts down. Linux I/O
// model, section 4.5.
SCENARIO("a file system that stops itself is named, and what nobody can read is not known",
         "[storage]") {
  const char* const never = R"([{"every_run": "rto.fault = never"}, {"total": "acked_loss = 0"}])";
  const auto why = [](const reports::CellResult& cell) {
    return reports::explain(reports::mechanism_of(cell.runs));
  };
  const auto says = [](const std::string& text, const char* part) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
  };
  SECTION("by a panic") {
    const char* const mount = R"({"type": "ext4", "errors": "panic"})";
    const reports::CellResult cell = run_without_journal(mount, never);
    check_unread(cell, reports::FileSystemEnd::host_panicked);
    says(cell.runs[0].note, "h is dark at judge");
    says(why(cell), "the kernel panicked (errors=panic)");
    says(why(cell), "is not known");
    // Who expected writes to come back learns that first.
    const reports::CellResult back =
        run_without_journal(mount, R"([{"every_run": "acked_loss = 0"}])");
    CHECK(back.verdict == reports::Verdict::liveness);
    CHECK_FALSE(back.expectations.at(0).evaluated());
  }
  SECTION("by shutting down") {
    const reports::CellResult cell = run_without_journal(R"({"type": "xfs"})", never);
    check_unread(cell, reports::FileSystemEnd::shut_down);
    says(why(cell), "disk.error (journal) fails the writes of the log of xfs");
    says(why(cell), "the xfs of h shut down");
    says(why(cell), "is not known");
  }
  for (const auto& [errors, how, words] :
       {std::tuple{"remount-ro", reports::FileSystemEnd::remounted_read_only,
                   "it was remounted read-only (errors=remount-ro)"},
        std::tuple{"continue", reports::FileSystemEnd::journal_aborted,
                   "its journal was aborted, and it can be read, but not changed any more"}}) {
    DYNAMIC_SECTION("errors=" << errors) {
      const std::string mount = R"({"type": "ext4", "errors": ")" + std::string(errors) + "\"}";
      const reports::CellResult cell = run_without_journal(mount.c_str(), never);
      CHECK(cell.verdict == reports::Verdict::pass);
      for (const reports::RunResult& each : cell.runs) {
        CHECK(each.loss.read);
        CHECK(each.loss.acked >= each.baseline.acked);
        REQUIRE(each.stopped_file_systems.size() == 1);
        CHECK(each.stopped_file_systems[0].how == how);
      }
      says(why(cell), words);
    }
  }
}

// RocketMQ's coldDataFlowControlEnable, side by side.
SCENARIO("groups that may read only so much cold data leave the disk to sends", "[storage]") {
  const scenarios::Experiment experiment =
      load_bare("scenarios/storage/cold-flow-control.json", [](Json& json) {
        // As the program does with a file's name.
        json["topology"]["hosts"]["broker-host"]["disk"]["profile"] = Json::parse(
            read("scenarios/incidents/profiles/essd-read-ahead-16k.json"), nullptr, true, true);
      });
  for (const scenarios::Cell& cell : experiment.cells) {
    const reports::CellResult result = run_cell(experiment, cell.id, 1);
    for (const reports::ExpectationResult& each : result.expectations) {
      INFO(reports::text_of(cell.id) << ": " << reports::text_of(each.expectation));
      CHECK(each.holds);
    }
    CHECK(result.expectations.size() >= 2);
  }
}

}  // namespace
}  // namespace drydock::drills
