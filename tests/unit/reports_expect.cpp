// Verdicts: each way in which a run or a cell can fail gives its own, and the exit status follows.
#include <gtest/gtest.h>

#include "reports/expect/expect.hpp"

namespace drydock::reports {
namespace {

Expectation expectation(Metric metric, Comparison comparison, std::int64_t bound,
                        Over over = Over::every_run) {
  Expectation e;
  e.over = over;
  e.metric = metric;
  e.comparison = comparison;
  e.bound = bound;
  return e;
}
const Expectation kNoLoss = expectation(Metric::acked_loss, Comparison::equal, 0);
const Expectation kSomeLoss = expectation(Metric::acked_loss, Comparison::greater, 0, Over::total);

// A fault that fired, and writes that came back.
RunResult good_run(std::uint64_t seed = 1) {
  RunResult run;
  run.seed = seed;
  run.faults.push_back({"host.power-loss", "broker-host", 100, 200});
  run.loss.acked = 10;
  run.rto.fault_ns = 50;
  run.rto.client_ns = 40;
  return run;
}
RunResult losing_run(std::uint64_t seed = 1) {
  RunResult run = good_run(seed);
  run.loss.lost.push_back({1, 0, 0, true});
  return run;
}

Verdict verdict_of(RunResult run, const std::vector<Expectation>& expectations,
                   bool store_read = true) {
  run.loss.read = store_read;
  judge_run(run, expectations);
  EXPECT_EQ(run.note.empty(), run.verdict == Verdict::pass) << run.note;
  return run.verdict;
}

CellResult judged(std::vector<RunResult> runs, const std::vector<Expectation>& expectations) {
  CellResult cell;
  for (RunResult& run : runs) judge_run(run, expectations);
  cell.runs = std::move(runs);
  judge_cell(cell, expectations);
  return cell;
}

TEST(Verdicts, AMessageOutOfOrderIsDamageUnlessTheCellAllowsIt) {
  RunResult run = good_run();
  run.order.violations = 2;
  EXPECT_EQ(verdict_of(run, {}), Verdict::safety);
  EXPECT_EQ(verdict_of(run, {expectation(Metric::order_violations, Comparison::equal, 0)}),
            Verdict::safety);
  EXPECT_EQ(verdict_of(run, {expectation(Metric::order_violations, Comparison::less_equal, 2)}),
            Verdict::pass);
  EXPECT_EQ(verdict_of(run, {expectation(Metric::acked_loss, Comparison::less_equal, 2)}),
            Verdict::safety);
}

TEST(Verdicts, ABlockThatBreaksTheOwnershipIsDamageUnlessTheCellAllowsIt) {
  for (const Metric metric : {Metric::stale_reads, Metric::foreign_writes}) {
    RunResult run = good_run();
    if (metric == Metric::stale_reads) run.ownership.stale_reads = 2;
    if (metric == Metric::foreign_writes) run.ownership.foreign_writes = 2;
    EXPECT_EQ(verdict_of(run, {}), Verdict::safety);
    EXPECT_EQ(verdict_of(run, {expectation(metric, Comparison::equal, 0)}), Verdict::safety);
    EXPECT_EQ(verdict_of(run, {expectation(metric, Comparison::equal, 2)}), Verdict::pass);
    EXPECT_EQ(verdict_of(run, {expectation(Metric::acked_loss, Comparison::less_equal, 2)}),
              Verdict::safety);
  }
}

TEST(Verdicts, ATakeoverThatWasNotCompletedAnswersNothing) {
  RunResult run = good_run();
  run.takeovers = {{.standby = "s", .disk = "d1", .failure = "claim: reservation_conflict"}};
  RunResult judged_run = run;
  judge_run(judged_run, {kNoLoss});
  EXPECT_EQ(judged_run.verdict, Verdict::inconclusive);
  EXPECT_EQ(judged_run.note, "s did not take d1 over: claim: reservation_conflict");
  run.takeovers[0].completed = true;
  EXPECT_EQ(verdict_of(run, {kNoLoss}), Verdict::pass);
}

TEST(Verdicts, AMessageThatAConsumerWasPutPastIsDamageUnlessTheCellAllowsIt) {
  RunResult run = good_run();
  run.deliveries.skipped = 2;
  EXPECT_EQ(verdict_of(run, {}), Verdict::safety);
  EXPECT_EQ(verdict_of(run, {expectation(Metric::delivery_skipped, Comparison::equal, 0)}),
            Verdict::safety);
  EXPECT_EQ(verdict_of(run, {expectation(Metric::delivery_skipped, Comparison::greater, 0)}),
            Verdict::pass);
  run.deliveries = {.undelivered = 2};  // It may not have come there yet.
  EXPECT_EQ(verdict_of(run, {}), Verdict::pass);
}

TEST(Verdicts, EveryCountIsAQuantity) {
  RunResult run = good_run();
  run.loss.unknown_stored = 1;
  run.loss.unknown_absent = 2;
  run.loss.failed_stored = 3;
  run.loss.expired = 4;
  run.loss.duplicates = 5;
  run.loss.corrupt = 6;
  run.loss.phantoms = 7;
  run.loss.index_missed = 8;
  run.loss.index_endless = 9;
  run.order.violations = 10;
  std::int64_t expected = 1;
  for (const Metric metric :
       {Metric::unknown_stored, Metric::unknown_absent, Metric::failed_stored, Metric::expired,
        Metric::duplicates, Metric::corruption, Metric::phantoms, Metric::index_missed,
        Metric::index_endless, Metric::order_violations}) {
    EXPECT_EQ(value_of({.metric = metric}, run), expected++) << name_of(metric);
  }
}

TEST(Verdicts, WaitsAreCountedByPlaceAndNeedNoFault) {
  RunResult run = good_run();
  run.faults.clear();
  run.waits = {{"w", "writer", WaitPlace::journal, 2, 700, 500, 10},
               {"w", "flusher", WaitPlace::journal, 1, 300, 300, 20},
               {"w", "writer", WaitPlace::device, 9, 9'000, 8'000, 30},
               {"v", "writer", WaitPlace::cpu, 4, 40, 20, 50},
               {"w", "writer", WaitPlace::cpu, 1, 10, 10, 60}};
  EXPECT_EQ(value_of({.metric = Metric::wait_count, .place = WaitPlace::cpu}, run), 5);
  EXPECT_EQ(value_of({.metric = Metric::wait_count, .place = WaitPlace::cpu, .process = "v"}, run),
            4);
  EXPECT_EQ(value_of({.metric = Metric::wait_longest, .place = WaitPlace::journal}, run), 500);
  EXPECT_EQ(value_of({.metric = Metric::wait_total, .place = WaitPlace::journal}, run), 1'000);
  EXPECT_EQ(value_of({.metric = Metric::wait_count, .place = WaitPlace::journal}, run), 3);
  EXPECT_EQ(value_of({.metric = Metric::wait_longest, .place = WaitPlace::memory}, run), 0);
  const Expectation short_wait{.metric = Metric::wait_longest,
                               .comparison = Comparison::less,
                               .bound = 501,
                               .place = WaitPlace::journal};
  EXPECT_TRUE(holds_in(short_wait, run));
  EXPECT_EQ(text_of(short_wait), "wait.journal.longest < 501 ns in every run");
}

TEST(Verdicts, PullsThatFindNothingAreThoseOfOneBroker) {
  RunResult run = good_run();
  run.brokers = {{.broker = "a", .get_miss_times = 3}, {.broker = "b", .get_miss_times = 4}};
  Expectation few = expectation(Metric::pull_missed, Comparison::less_equal, 3);
  few.process = "a";
  EXPECT_EQ(verdict_of(run, {few}), Verdict::pass);
  EXPECT_EQ(verdict_of(run, {few}, false), Verdict::inconclusive)
      << "of the store, not of the pulls";
  few.process = "b";
  EXPECT_EQ(value_of(few, run), 4);
  EXPECT_EQ(verdict_of(run, {few}), Verdict::slo);
  EXPECT_EQ(text_of(few), "pull.missed of b <= 3 in every run");
}

TEST(Verdicts, ABrokerIsUnknownToNameServersForATime) {
  RunResult run = good_run();
  run.brokers = {{.broker = "a", .registration_gap_max_ns = 30'000'000'000}};
  Expectation known = expectation(Metric::registration_gap, Comparison::less, 30'000'000'001);
  known.process = "a";
  EXPECT_EQ(verdict_of(run, {known}), Verdict::pass);
  EXPECT_EQ(text_of(known), "registration.gap of a < 30.0 s in every run");
  run.brokers[0].registration_gap_max_ns += 1;
  EXPECT_EQ(verdict_of(run, {known}), Verdict::slo);
}

TEST(Verdicts, ASteadyStateThatCouldNotBeMeasuredIsInconclusive) {
  const Expectation soon = expectation(Metric::rto_steady, Comparison::less_equal, 1'000);
  RunResult run = good_run();
  run.rto.steady = Steady::load_too_short;
  EXPECT_EQ(verdict_of(run, {soon}), Verdict::inconclusive);
  run.rto.steady = Steady::not_reached;
  EXPECT_EQ(verdict_of(run, {soon}), Verdict::slo);
  run.rto.steady = Steady::reached;
  run.rto.steady_ns = 1'000;
  EXPECT_EQ(verdict_of(run, {soon}), Verdict::pass);
}

TEST(Faults, TheOneWithTheLongestOutageCounts) {
  RunResult run;
  EXPECT_EQ(run.fault(), nullptr);
  run.faults.push_back({"operator.promote", "b", 10, -1, false, {}});
  EXPECT_EQ(run.fault(), nullptr);
  run.faults.push_back({"host.panic", "h", -1, -1, true, {}});
  run.faults.push_back({"process.kill", "b", 20, 30, true, 5});
  EXPECT_EQ(run.fault()->kind, "process.kill") << "the other one had no effect";
  run.faults.push_back({"host.power-loss", "h", 40, -1, true, 7});
  EXPECT_EQ(run.fault()->kind, "host.power-loss");
  run.faults.push_back({"host.destroy", "h", 50, -1, true, {}});
  EXPECT_EQ(run.fault()->kind, "host.destroy") << "it never ended";
}

TEST(Verdicts, TheNoteNamesWhatWasFound) {
  RunResult unread = losing_run();
  unread.loss.lost.push_back({2, 0, 0, true});
  unread.loss.lost[1].in_log_at = 4'660;
  unread.loss.lost[1].queue = "drill/3";
  unread.loss.lost[1].queue_offset = 7;
  judge_run(unread, {});
  EXPECT_EQ(unread.note,
            "2 acknowledged messages lost, 1 of them in the log but not in their queues: message 2 "
            "is in the log at 4660, not in drill/3 at 7");
  RunResult one = losing_run();
  judge_run(one, {});
  EXPECT_EQ(one.note, "1 acknowledged message lost");
  RunResult corrupt = good_run();
  corrupt.loss.corrupt = 2;
  corrupt.loss.damage = {"drill/3 at 7 is missing", "drill/3 at 9 is missing"};
  judge_run(corrupt, {});
  EXPECT_EQ(corrupt.verdict, Verdict::safety);
  EXPECT_EQ(corrupt.note,
            "2 corrupt messages, ranges or queue entries: drill/3 at 7 is missing, ...");
}

TEST(Verdicts, ALossIsDamageUnlessTheCellAllowsOne) {
  EXPECT_EQ(verdict_of(good_run(), {kNoLoss}), Verdict::pass);
  EXPECT_EQ(verdict_of(losing_run(), {kNoLoss}), Verdict::safety);
  EXPECT_EQ(verdict_of(losing_run(), {}), Verdict::safety);
  EXPECT_EQ(verdict_of(losing_run(), {kSomeLoss}), Verdict::pass);
  EXPECT_EQ(verdict_of(losing_run(), {expectation(Metric::acked_loss, Comparison::less_equal, 3)}),
            Verdict::pass);
}

TEST(Verdicts, CorruptionIsDamageUnlessTheCellAllowsSomeAndPhantomsAlwaysAre) {
  RunResult corrupt = good_run();
  corrupt.loss.corrupt = 1;
  EXPECT_EQ(verdict_of(corrupt, {kSomeLoss}), Verdict::safety);
  EXPECT_EQ(verdict_of(corrupt, {expectation(Metric::corruption, Comparison::greater, 0)}),
            Verdict::pass);
  EXPECT_EQ(verdict_of(corrupt, {expectation(Metric::corruption, Comparison::equal, 0)}),
            Verdict::safety);
  RunResult phantom = good_run();
  phantom.loss.phantoms = 1;
  EXPECT_EQ(verdict_of(phantom, {kSomeLoss}), Verdict::safety);
}

TEST(Verdicts, AnExceededTimeIsSloAndNeverExceedsAnyBound) {
  EXPECT_EQ(verdict_of(good_run(), {expectation(Metric::rto_fault, Comparison::less_equal, 50)}),
            Verdict::pass);
  EXPECT_EQ(verdict_of(good_run(), {expectation(Metric::rto_fault, Comparison::less_equal, 49)}),
            Verdict::slo);
  RunResult never = good_run();
  never.rto.client_ns = std::nullopt;
  const auto any = expectation(Metric::rto_client, Comparison::less_equal,
                               std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(verdict_of(never, {any}), Verdict::slo);
}

TEST(Verdicts, NoWriteAfterTheFaultIsLiveness) {
  RunResult run = good_run();
  run.rto.fault_ns = std::nullopt;
  EXPECT_EQ(verdict_of(run, {}), Verdict::liveness);
}

TEST(Verdicts, ACellMayExpectThatNoWriteEverSucceedsAgain) {
  Expectation never = expectation(Metric::rto_fault, Comparison::equal, 0);
  never.bound.reset();
  EXPECT_EQ(text_of(never), "rto.fault = never in every run");
  RunResult run = good_run();
  EXPECT_EQ(verdict_of(run, {never}), Verdict::slo);
  run.rto.fault_ns.reset();
  EXPECT_EQ(verdict_of(run, {never}), Verdict::pass);
  EXPECT_EQ(verdict_of(run, {kNoLoss}), Verdict::liveness);
}

TEST(Verdicts, WithoutAFaultThatTookEffectNoTimeHolds) {
  Expectation never = expectation(Metric::rto_fault, Comparison::equal, 0);
  never.bound.reset();
  RunResult run = good_run();
  run.rto = {};
  EXPECT_TRUE(holds_in(never, run));
  run.faults[0].began_ns = -1;
  EXPECT_FALSE(holds_in(never, run));
  run.faults.clear();
  EXPECT_FALSE(holds_in(never, run));
  EXPECT_EQ(verdict_of(run, {never}), Verdict::inconclusive);
  EXPECT_EQ(judged({run}, {never}).verdict, Verdict::inconclusive);
  EXPECT_FALSE(judged({run}, {never}).expectations[0].holds);
  EXPECT_EQ(verdict_of(run, {kNoLoss}), Verdict::pass);
  // What an operator does breaks nothing: no send needed to succeed again.
  run.faults.push_back({"operator.promote", "b", 10, -1, false, {}});
  EXPECT_EQ(verdict_of(run, {}), Verdict::pass);
}

TEST(Verdicts, AFaultWithoutEffectOrAnUnreadStoreIsInconclusive) {
  RunResult run = good_run();
  run.faults[0].began_ns = -1;
  EXPECT_EQ(verdict_of(run, {expectation(Metric::acked_loss, Comparison::greater, 0)}),
            Verdict::inconclusive);
  EXPECT_EQ(verdict_of(good_run(), {kNoLoss}, false), Verdict::inconclusive);
}

TEST(Verdicts, ADivergenceIsAHarnessFailureThatNamesTheEvent) {
  RunResult run = good_run();
  run.divergence = "the runs differ at event 7";
  judge_run(run, {});
  EXPECT_EQ(run.verdict, Verdict::harness);
  EXPECT_NE(run.note.find("event 7"), std::string::npos);
}

TEST(Verdicts, ARunThatWasGivenUpTellsNothingOfTheStore) {
  RunResult run = losing_run();
  run.loss.failed = 3;
  run.loss.duplicates = 1;
  run.order.violations = 2;
  run.deliveries.delivered = 4;
  give_up(run, "the simulator ended with signal 6");
  EXPECT_EQ(run.verdict, Verdict::harness);
  EXPECT_EQ(run.note, "the simulator ended with signal 6");
  LossReport told;
  told.read = false;
  told.acked = 10;
  told.failed = 3;
  EXPECT_EQ(run.loss, told);
  EXPECT_EQ(run.order, OrderReport());
  EXPECT_EQ(run.deliveries, DeliveryReport());
  EXPECT_EQ(run.seed, 1u);
  EXPECT_EQ(run.faults.size(), 1u);
}

TEST(Verdicts, AnExpectedLossThatDoesNotComeIsSafety) {
  EXPECT_EQ(judged({good_run(1), losing_run(2)}, {kSomeLoss}).verdict, Verdict::pass);
  const CellResult cell = judged({good_run(1), good_run(2)}, {kSomeLoss});
  EXPECT_EQ(cell.verdict, Verdict::safety);
  EXPECT_FALSE(cell.expectations[0].holds);
  EXPECT_EQ(cell.expectations[0].runs_for, 0);
  EXPECT_EQ(cell.expectations[0].runs, 2);
}

TEST(Verdicts, AnExpectationThatNeedsMoreSeedsIsNotEvaluated) {
  Expectation needs_two = kSomeLoss;
  needs_two.seeds_at_least = 2;
  const CellResult few = judged({good_run(1)}, {needs_two});
  EXPECT_EQ(few.verdict, Verdict::inconclusive);
  EXPECT_FALSE(few.expectations[0].evaluated());
  EXPECT_EQ(why_open(few.expectations[0]), "needs 2 runs that give an answer, and 1 did");
  EXPECT_EQ(exit_status({few}), 4);
  // Neither does it hold: the other run may say otherwise.
  EXPECT_FALSE(judged({losing_run(1)}, {needs_two}).expectations[0].holds);
  EXPECT_EQ(judged({good_run(1), losing_run(2)}, {needs_two}).verdict, Verdict::pass);
  EXPECT_EQ(judged({good_run(1), good_run(2)}, {needs_two}).verdict, Verdict::safety);
  EXPECT_EQ(text_of(needs_two), "acked_loss > 0 in total of at least 2 seeds");
}

// A run that ends without a write counts, but what it has lost nobody knows.
TEST(Verdicts, AStoreThatNobodyReadAnswersNoQuestionOfLosses) {
  RunResult unread = good_run();
  unread.rto.fault_ns.reset();
  unread.loss.read = false;
  const Expectation never_lost = expectation(Metric::acked_loss, Comparison::equal, 0, Over::total);
  const CellResult cell = judged({unread}, {kNoLoss, never_lost});
  EXPECT_EQ(cell.runs[0].verdict, Verdict::liveness);
  for (const ExpectationResult& result : cell.expectations) {
    EXPECT_FALSE(result.evaluated());
    EXPECT_FALSE(result.holds);
    EXPECT_EQ(why_open(result), "no run gave an answer");
  }
}

// What the device, the clients and the kernel have told does not need the store.
TEST(Verdicts, AStoreThatNobodyReadHidesNothingThatOthersTell) {
  for (const bool stale : {true, false}) {
    RunResult run = good_run();
    (stale ? run.ownership.stale_reads : run.ownership.foreign_writes) = 2;
    run.loss.read = false;
    const CellResult cell = judged({run}, {});
    EXPECT_EQ(cell.runs[0].verdict, Verdict::safety);
    EXPECT_EQ(exit_status({cell}), 1);
    const Metric metric = stale ? Metric::stale_reads : Metric::foreign_writes;
    EXPECT_EQ(verdict_of(run, {expectation(metric, Comparison::equal, 2)}, false),
              Verdict::inconclusive);
    EXPECT_EQ(verdict_of(run, {expectation(metric, Comparison::equal, 1)}, false), Verdict::safety);
  }
  EXPECT_EQ(
      verdict_of(good_run(), {expectation(Metric::rto_fault, Comparison::less_equal, 49)}, false),
      Verdict::slo);
  EXPECT_EQ(
      verdict_of(good_run(), {expectation(Metric::rto_fault, Comparison::less_equal, 50)}, false),
      Verdict::inconclusive);
  Expectation some_wait = expectation(Metric::wait_count, Comparison::greater, 0);
  some_wait.place = WaitPlace::journal;
  EXPECT_EQ(verdict_of(good_run(), {some_wait}, false), Verdict::safety);
  // Of these nobody knows, whether they would hold or not.
  for (const Metric metric : {Metric::acked_loss, Metric::duplicates, Metric::delivered}) {
    EXPECT_EQ(verdict_of(good_run(), {expectation(metric, Comparison::greater, 0)}, false),
              Verdict::inconclusive);
  }
}

TEST(Verdicts, AQuantileIsOfTheRunsOfACell) {
  std::vector<RunResult> runs;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    runs.push_back(good_run(seed));
    runs.back().rto.fault_ns = static_cast<std::int64_t>(seed) * 10;
  }
  const auto verdict = [&](Over over, std::int64_t bound) {
    return judged(runs, {expectation(Metric::rto_fault, Comparison::less_equal, bound, over)})
        .verdict;
  };
  EXPECT_EQ(verdict(Over::p50, 50), Verdict::pass);
  EXPECT_EQ(verdict(Over::p50, 49), Verdict::slo);
  EXPECT_EQ(verdict(Over::p90, 90), Verdict::pass);
  EXPECT_EQ(verdict(Over::p90, 89), Verdict::slo);
  EXPECT_EQ(verdict(Over::p99, 99), Verdict::slo);
  // One of ten that never ends is beyond the 90th percentile, two are not.
  runs[9].rto.fault_ns.reset();
  Expectation never = expectation(Metric::rto_fault, Comparison::equal, 0);
  EXPECT_TRUE(judged(runs, {expectation(Metric::rto_fault, Comparison::less_equal, 90, Over::p90)})
                  .expectations[0]
                  .holds);
  runs[8].rto.fault_ns.reset();
  EXPECT_FALSE(
      judged(runs, {expectation(Metric::rto_fault, Comparison::less_equal, 1'000, Over::p90)})
          .expectations[0]
          .holds);
  never.bound.reset();
  never.over = Over::p99;
  EXPECT_TRUE(judged(runs, {never}).expectations[0].holds);
  EXPECT_EQ(text_of(never), "rto.fault = never at p99");
}

TEST(Verdicts, ACellOfInconclusiveRunsIsInconclusive) {
  RunResult run = good_run();
  run.faults[0].began_ns = -1;
  EXPECT_EQ(judged({run}, {kSomeLoss}).verdict, Verdict::inconclusive);
}

int status_of(std::initializer_list<Verdict> verdicts) {
  std::vector<CellResult> cells;
  for (const Verdict verdict : verdicts) {
    CellResult cell;
    cell.verdict = verdict;
    cells.push_back(cell);
  }
  return exit_status(cells);
}

TEST(Verdicts, ExitStatusPutsThreeBeforeOneBeforeFour) {
  EXPECT_EQ(status_of({Verdict::pass, Verdict::pass}), 0);
  EXPECT_EQ(status_of({Verdict::pass, Verdict::slo}), 1);
  EXPECT_EQ(status_of({Verdict::liveness}), 1);
  EXPECT_EQ(status_of({Verdict::inconclusive, Verdict::pass}), 4);
  EXPECT_EQ(status_of({Verdict::inconclusive, Verdict::safety}), 1);
  EXPECT_EQ(status_of({Verdict::safety, Verdict::harness, Verdict::inconclusive}), 3);
}

TEST(Expectations, SpeakOfTheCellsThatHaveTheirValues) {
  Expectation e = kNoLoss;
  const CellId cell{{"fault", "power-loss"}, {"flushDiskType", "SYNC_FLUSH"}};
  EXPECT_TRUE(applies_to(e, cell));
  e.cells = {{"fault", "power-loss"}};
  EXPECT_TRUE(applies_to(e, cell));
  e.cells = {{"fault", "process-kill"}};
  EXPECT_FALSE(applies_to(e, cell));
  e.cells = {{"other", "x"}};
  EXPECT_FALSE(applies_to(e, cell));
}

}  // namespace
}  // namespace drydock::reports
