// How long sends took while faults were at work, on small histories.
#include "reports/latency/latency.hpp"

#include <gtest/gtest.h>

#include "reports/expect/expect.hpp"

namespace drydock::reports {
namespace {

constexpr std::int64_t kBegin = 100;
constexpr std::int64_t kEnd = 1'000;

SendRecord send(std::uint32_t producer, std::int64_t invoked, std::int64_t completed,
                SendOutcome outcome) {
  SendRecord record;
  record.producer = producer;
  record.invoked_ns = invoked;
  record.completed_ns = completed;
  record.outcome = outcome;
  return record;
}

History two_producers() {
  History history;
  history.producers = {{"a", 500}, {"b", 500}};
  return history;
}

TEST(Latency, CountsSendsByTheMomentOfTheirInvocation) {
  History history = two_producers();
  history.sends = {send(0, 99, 900, SendOutcome::acked), send(0, 100, 110, SendOutcome::acked),
                   send(0, 999, 1'500, SendOutcome::acked),
                   send(0, 1'000, 1'001, SendOutcome::acked)};
  const SendsReport all = measure_sends(history, kBegin, kEnd).at(0);
  EXPECT_EQ(all.sends, 2);
  EXPECT_EQ(all.acked, 2);
  EXPECT_EQ(all.longest_ns, 501);
}

TEST(Latency, SendsThatFailedTakeTheirTimeToo) {
  History history = two_producers();
  history.sends = {send(0, 100, 110, SendOutcome::acked), send(0, 200, 700, SendOutcome::unknown),
                   send(0, 300, 305, SendOutcome::failed)};
  const SendsReport all = measure_sends(history, kBegin, kEnd).at(0);
  EXPECT_EQ(all.sends, 3);
  EXPECT_EQ(all.acked, 1);
  EXPECT_EQ(all.p50_ns, 10);
  EXPECT_EQ(all.p99_ns, 500);
}

TEST(Latency, ASendThatNeverEndedCountsUpToTheEndOfTheLoad) {
  History history = two_producers();
  history.sends = {send(0, 400, -1, SendOutcome::unknown)};
  EXPECT_EQ(measure_sends(history, kBegin, kEnd).at(0).longest_ns, 600);
}

TEST(Latency, TellsProducersApart) {
  History history = two_producers();
  history.sends = {send(0, 100, 110, SendOutcome::acked), send(1, 100, 400, SendOutcome::acked)};
  RunResult run;
  run.sends = measure_sends(history, kBegin, kEnd);
  ASSERT_EQ(run.sends.size(), 3U);
  EXPECT_EQ(sends_of(run, "").sends, 2);
  EXPECT_EQ(sends_of(run, "a").longest_ns, 10);
  EXPECT_EQ(sends_of(run, "b").longest_ns, 300);
  const Expectation quick{
      .metric = Metric::send_longest, .comparison = Comparison::less, .bound = 300, .process = "b"};
  EXPECT_FALSE(holds_in(quick, run));
  EXPECT_EQ(text_of(quick), "send.longest of b < 300 ns in every run");
}

TEST(Latency, CountsRefusalsPerAttempt) {
  History history = two_producers();
  history.sends = {send(0, 100, 110, SendOutcome::acked)};
  history.sends[0].attempts = {{1, 0, SendOutcome::failed, true},
                               {2, 0, SendOutcome::failed, true},
                               {3, 0, SendOutcome::failed, false},
                               {4, 0, SendOutcome::acked, false}};
  EXPECT_EQ(measure_sends(history, kBegin, kEnd).at(0).busy, 2);
}

// Too slow and too busy are poor service; nothing is damaged by that.
TEST(Latency, ABrokenBoundIsNoDamage) {
  RunResult run;
  run.verdict = Verdict::pass;
  run.sends = {{.producer = "", .sends = 10, .acked = 1, .busy = 7, .longest_ns = 900}};
  for (const Expectation& broken :
       {Expectation{.metric = Metric::send_busy, .bound = 0},
        Expectation{.metric = Metric::send_acked, .comparison = Comparison::greater, .bound = 5},
        Expectation{
            .metric = Metric::send_longest, .comparison = Comparison::less, .bound = 900}}) {
    RunResult judged = run;
    judge_run(judged, {broken});
    EXPECT_EQ(judged.verdict, Verdict::slo) << text_of(broken);
  }
}

TEST(Latency, WithoutProducersThereIsNothing) {
  EXPECT_TRUE(measure_sends(History(), kBegin, kEnd).empty());
  EXPECT_EQ(sends_of(RunResult(), "a"), SendsReport());
}

}  // namespace
}  // namespace drydock::reports
