// rto.fault, its stages, rto.client and rto.steady follow their definitions: examples on small
// histories.
#include <gtest/gtest.h>

#include <numeric>

#include "reports/rto/rto.hpp"
#include "reports/rto/stages.hpp"
#include "reports/rto/steady.hpp"

namespace drydock::reports {
namespace {

constexpr std::int64_t kFault = 100;
constexpr std::int64_t kEnd = 1'000;

RtoReport measured(const History& history) {
  return measure_rto(history, {}, {kFault, kEnd}, kNoStageEnds);
}

History history_of(std::initializer_list<SendRecord> sends) {
  History history;
  history.producers = {{"p", 50}};
  for (SendRecord send : sends) {
    send.key = history.sends.size() + 1;
    history.sends.push_back(send);
  }
  return history;
}

SendRecord send(std::int64_t invoked, std::int64_t completed, SendOutcome outcome) {
  SendRecord record;
  record.invoked_ns = invoked;
  record.completed_ns = completed;
  record.outcome = outcome;
  return record;
}
SendRecord acked(std::int64_t invoked, std::int64_t completed) {
  return send(invoked, completed, SendOutcome::acked);
}
SendRecord unknown(std::int64_t invoked, std::int64_t completed) {
  return send(invoked, completed, SendOutcome::unknown);
}

TEST(Rto, FaultCountsFromTheFaultToTheFirstAckOfALaterSend) {
  const History history =
      history_of({acked(90, 95), unknown(110, 160), acked(200, 230), acked(190, 240)});
  EXPECT_EQ(measured(history).fault_ns, 130);
}

TEST(Rto, AnAckOfASendInvokedBeforeTheFaultDoesNotCount) {
  const History history = history_of({acked(99, 105), unknown(110, 160)});
  EXPECT_EQ(measured(history).fault_ns, std::nullopt);
}

TEST(Rto, ClientCountsFromTheFirstFailedSendToTheFirstAckOfALaterOne) {
  const History history =
      history_of({acked(101, 104), unknown(110, 160), acked(105, 170), acked(200, 230)});
  const RtoReport report = measured(history);
  EXPECT_EQ(report.fault_ns, 4);
  // The send of 105 was acked after more than its time-out: it is the first failed one.
  EXPECT_EQ(report.client_ns, 125);
}

TEST(Rto, ClientIsZeroIfNothingFailedAndTheStallIsThere) {
  const RtoReport report = measured(history_of({acked(95, 140), acked(110, 150)}));
  EXPECT_EQ(report.client_ns, 0);
  EXPECT_EQ(report.longest_stall_ns, 45);
}

TEST(Rto, AStallThatWasOverBeforeTheFaultIsNoneAfterIt) {
  EXPECT_EQ(measured(history_of({acked(10, 90), acked(110, 115)})).longest_stall_ns, 5);
}

TEST(Rto, NeverIsNoNumber) {
  const RtoReport report = measured(history_of({unknown(110, 160), unknown(200, -1)}));
  EXPECT_EQ(report.fault_ns, std::nullopt);
  EXPECT_EQ(report.client_ns, std::nullopt);
  EXPECT_EQ(report.longest_stall_ns, 800);
}

TEST(Rto, BaselineTakesAckedSendsInsideTheWindow) {
  const History history =
      history_of({acked(0, 10), acked(10, 40), unknown(20, 25), acked(30, 36), acked(90, 120)});
  const BaselineReport report = measure_baseline(history, 5, 100);
  EXPECT_EQ(report.acked, 2);
  EXPECT_EQ(report.latency_p50_ns, 6);
  EXPECT_EQ(report.latency_p99_ns, 30);
}

constexpr std::int64_t kSecond = 1'000'000'000;

// A hundred sends per second, each acknowledged after 1 ms, but for those that are due in an
// outage: they stay without an answer.
History steady_load(std::int64_t seconds, std::int64_t outage_begin, std::int64_t outage_end) {
  History history;
  history.producers = {{"p", 3 * kSecond}};
  for (std::int64_t due = 0; due < seconds * kSecond; due += kSecond / 100) {
    const bool answered = due < outage_begin || due >= outage_end;
    history.sends.push_back(answered ? acked(due, due + 1'000'000) : unknown(due, -1));
    history.sends.back().key = history.sends.size();
  }
  return history;
}
RtoReport steady_report(const History& history, std::int64_t fault_ns, std::int64_t load_end_ns) {
  return measure_rto(history, measure_baseline(history, 0, fault_ns), {fault_ns, load_end_ns},
                     kNoStageEnds);
}

TEST(Steady, IsReachedWithTheFirstSendOfTheFirstGoodWindow) {
  const RtoReport report =
      steady_report(steady_load(30, 10 * kSecond, 14 * kSecond), 10 * kSecond, 30 * kSecond);
  EXPECT_EQ(report.steady, Steady::reached);
  EXPECT_EQ(report.steady_ns, 4 * kSecond + 1'000'000);
}

TEST(Steady, IsZeroIfTheRateNeverSank) {
  const RtoReport report = steady_report(steady_load(30, 0, 0), 10 * kSecond, 30 * kSecond);
  EXPECT_EQ(report.steady_ns, 0);
}

TEST(Steady, ADipInsideTheWindowPutsItOff) {
  // Back at 12 s for three seconds, then gone again until 17 s.
  History history = steady_load(40, 10 * kSecond, 12 * kSecond);
  for (SendRecord& send : history.sends) {
    if (send.invoked_ns < 15 * kSecond || send.invoked_ns >= 17 * kSecond) continue;
    send.outcome = SendOutcome::failed;
  }
  EXPECT_EQ(steady_report(history, 10 * kSecond, 40 * kSecond).steady_ns, 7 * kSecond + 1'000'000);
}

TEST(Steady, WhatIsCaughtUpInOneSecondDoesNotStandForOthers) {
  // What was due in ten seconds without an answer is acknowledged at 20 s, all at once.
  History history = steady_load(40, 10 * kSecond, 20 * kSecond);
  history.producers = {{"p", 60 * kSecond}};
  for (SendRecord& send : history.sends) {
    if (send.outcome != SendOutcome::unknown) continue;
    send.outcome = SendOutcome::acked;
    send.completed_ns = 20 * kSecond;
  }
  EXPECT_EQ(steady_report(history, 10 * kSecond, 40 * kSecond).steady_ns, 10 * kSecond);
}

TEST(Steady, NinetyEightPercentAreNotEnough) {
  History history = steady_load(40, 0, 0);
  for (std::size_t i = 1'000; i < history.sends.size(); ++i) {
    if (i % 50 == 0) history.sends[i].outcome = SendOutcome::failed;
  }
  const RtoReport report = steady_report(history, 10 * kSecond, 40 * kSecond);
  EXPECT_EQ(report.steady, Steady::not_reached);
  EXPECT_EQ(report.steady_ns, std::nullopt);
}

TEST(Steady, AnAckBeyondItsTimeOutDoesNotCount) {
  History history = steady_load(40, 0, 0);
  for (SendRecord& send : history.sends) {
    if (send.invoked_ns >= 10 * kSecond) send.completed_ns = send.invoked_ns + 4 * kSecond;
  }
  EXPECT_EQ(steady_report(history, 10 * kSecond, 40 * kSecond).steady, Steady::not_reached);
}

TEST(Steady, SaysWhyItCannotBeTold) {
  const History history = steady_load(30, 10 * kSecond, 12 * kSecond);
  EXPECT_EQ(steady_report(history, 10 * kSecond, 16 * kSecond).steady, Steady::load_too_short);
  EXPECT_EQ(measure_rto(history, {}, {10 * kSecond, 30 * kSecond}, kNoStageEnds).steady,
            Steady::no_baseline);
  const BaselineReport half_a_second = measure_baseline(history, 0, kSecond / 2);
  EXPECT_EQ(measure_rto(history, half_a_second, {10 * kSecond, 30 * kSecond}, kNoStageEnds).steady,
            Steady::no_baseline);
  // Writes never resumed: that is no matter of the load.
  EXPECT_EQ(
      steady_report(steady_load(30, 10 * kSecond, 40 * kSecond), 10 * kSecond, 30 * kSecond).steady,
      Steady::not_reached);
}

TEST(Steady, TheBaselineIsTheEndOfThePhaseWarm) {
  // Nothing can be sent for five of eight seconds.
  const History history = steady_load(8, 0, 5 * kSecond);
  const BaselineReport baseline = measure_baseline(history, 0, 8 * kSecond);
  EXPECT_EQ(baseline.window_ns, 5 * kSecond);
  EXPECT_EQ(baseline.window_acked, 300);
}

std::int64_t sum(const StageTimes& spans) {
  return std::accumulate(spans.begin(), spans.end(), std::int64_t{0});
}
std::int64_t span(const StageTimes& spans, Stage stage) {
  return spans[static_cast<std::size_t>(stage)];
}

TEST(Stages, OfAKilledProcess) {
  WayBack way;
  way.lives = {{.started_ns = 0, .serving_ns = 10}, {.started_ns = 1'100, .serving_ns = 1'150}};
  const StageTimes spans =
      split_stages(100, 1'200, stage_ends(way, Sends::wait_for_nobody, 100, 1'200));
  EXPECT_EQ(span(spans, Stage::detect), 1'000);
  EXPECT_EQ(span(spans, Stage::recover), 50);
  EXPECT_EQ(span(spans, Stage::client), 50);
  EXPECT_EQ(sum(spans), 1'100);
}

TEST(Stages, OfAHostWithoutPower) {
  WayBack way;
  way.lives = {{.started_ns = 0, .serving_ns = 10},
               {.started_ns = 700, .serving_ns = 900, .power_back_ns = 300, .mounted_ns = 720}};
  const StageTimes spans =
      split_stages(100, 950, stage_ends(way, Sends::wait_for_nobody, 100, 950));
  EXPECT_EQ(span(spans, Stage::detect), 200);
  EXPECT_EQ(span(spans, Stage::mount), 420) << "the mount ended after the process had started";
  EXPECT_EQ(span(spans, Stage::recover), 180);
  EXPECT_EQ(span(spans, Stage::client), 50);
}

TEST(Stages, OfAPromotedSlaveThatMustHaveASlaveAndARoute) {
  WayBack way;
  way.lives = {{.started_ns = 0, .serving_ns = 10},
               {.started_ns = 0, .serving_ns = 12},
               {.started_ns = 510, .serving_ns = 600, .promoted_ns = 500}};
  way.slave_acks_ns = {50, 650};
  way.routes_ns = {20, 680, 690};
  const StageTimes spans = split_stages(100, 700, stage_ends(way, Sends::wait_for_slave, 100, 700));
  EXPECT_EQ(span(spans, Stage::detect), 400) << "up to the operator's act";
  EXPECT_EQ(span(spans, Stage::decide), 0);
  EXPECT_EQ(span(spans, Stage::recover), 100);
  EXPECT_EQ(span(spans, Stage::resync), 50);
  EXPECT_EQ(span(spans, Stage::route), 30);
  EXPECT_EQ(span(spans, Stage::client), 20);
  const StageTimes alone =
      split_stages(100, 700, stage_ends(way, Sends::wait_for_nobody, 100, 700));
  EXPECT_EQ(span(alone, Stage::resync), 0);
  EXPECT_EQ(span(alone, Stage::route), 80);
}

TEST(Stages, WithoutANewLifeAllIsTheClients) {
  WayBack way;
  way.lives = {{.started_ns = 0, .serving_ns = 10}, {.started_ns = 500, .serving_ns = 600}};
  const StageTimes spans =
      split_stages(100, 130, stage_ends(way, Sends::wait_for_nobody, 100, 130));
  EXPECT_EQ(span(spans, Stage::client), 30);
  EXPECT_EQ(sum(spans), 30);
}

TEST(Stages, WhatWaitsForASlaveThatComesBackIsResync) {
  WayBack way;
  way.lives = {{.started_ns = 0, .serving_ns = 10}};
  way.slave_acks_ns = {20, 400};
  const StageTimes waiting =
      split_stages(100, 410, stage_ends(way, Sends::wait_for_slave, 100, 410));
  EXPECT_EQ(span(waiting, Stage::resync), 300);
  EXPECT_EQ(span(waiting, Stage::client), 10);
  const StageTimes not_waiting =
      split_stages(100, 410, stage_ends(way, Sends::wait_for_nobody, 100, 410));
  EXPECT_EQ(span(not_waiting, Stage::client), 310);
}

TEST(Stages, AreThoseOfTheLastLifeThatServed) {
  WayBack way;
  way.lives = {{.started_ns = 200, .serving_ns = 250}, {.started_ns = 400, .serving_ns = 500}};
  const StageTimes spans =
      split_stages(100, 600, stage_ends(way, Sends::wait_for_nobody, 100, 600));
  EXPECT_EQ(span(spans, Stage::detect), 300);
  EXPECT_EQ(span(spans, Stage::recover), 100);
}

// What a slave acknowledged, or a client learned, before the broker served is of an earlier life.
TEST(Stages, ResyncAndRouteCountFromServing) {
  WayBack way;
  way.lives = {{.started_ns = 200, .serving_ns = 300}};
  way.slave_acks_ns = {150, 350};
  way.routes_ns = {160, 380};
  const StageTimes spans = split_stages(100, 400, stage_ends(way, Sends::wait_for_slave, 100, 400));
  EXPECT_EQ(span(spans, Stage::resync), 50);
  EXPECT_EQ(span(spans, Stage::route), 30);
  EXPECT_EQ(span(spans, Stage::client), 20);
}

TEST(Stages, AddUpWhateverTheMomentsAre) {
  StageTimes ends = kNoStageEnds;
  ends[0] = 900;  // Beyond the end.
  ends[5] = 50;   // Before the fault.
  ends[6] = 400;  // Before an earlier stage's.
  const StageTimes spans = split_stages(100, 800, ends);
  EXPECT_EQ(sum(spans), 700);
  EXPECT_EQ(span(spans, Stage::detect), 700);
  for (const std::int64_t each : spans) EXPECT_GE(each, 0);
}

}  // namespace
}  // namespace drydock::reports
