// rto.fault and rto.client follow their definitions: examples on small histories, fault at 100.
#include <gtest/gtest.h>

#include "reports/rto/rto.hpp"

namespace drydock::reports {
namespace {

constexpr std::int64_t kFault = 100;
constexpr std::int64_t kEnd = 1'000;

History history_of(std::initializer_list<SendRecord> sends) {
  History history;
  history.timeout_ns = 50;
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
  EXPECT_EQ(measure_rto(history, kFault, kEnd).fault_ns, 130);
}

TEST(Rto, AnAckOfASendInvokedBeforeTheFaultDoesNotCount) {
  const History history = history_of({acked(99, 105), unknown(110, 160)});
  EXPECT_EQ(measure_rto(history, kFault, kEnd).fault_ns, std::nullopt);
}

TEST(Rto, ClientCountsFromTheFirstFailedSendToTheFirstAckOfALaterOne) {
  const History history =
      history_of({acked(101, 104), unknown(110, 160), acked(105, 170), acked(200, 230)});
  const RtoReport report = measure_rto(history, kFault, kEnd);
  EXPECT_EQ(report.fault_ns, 4);
  // The send of 105 was acked after more than its time-out: it is the first failed one.
  EXPECT_EQ(report.client_ns, 125);
}

TEST(Rto, ClientIsZeroIfNothingFailedAndTheStallIsThere) {
  const RtoReport report = measure_rto(history_of({acked(95, 140), acked(110, 150)}), kFault, kEnd);
  EXPECT_EQ(report.client_ns, 0);
  EXPECT_EQ(report.longest_stall_ns, 45);
}

TEST(Rto, NeverIsNoNumber) {
  const RtoReport report =
      measure_rto(history_of({unknown(110, 160), unknown(200, -1)}), kFault, kEnd);
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

}  // namespace
}  // namespace drydock::reports
