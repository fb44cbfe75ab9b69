// The order checker finds a message that comes after one that was sent later, and nothing else: one
// change per test to a history and a store that are in order.
#include "reports/order/order.hpp"

#include <gtest/gtest.h>

namespace drydock::reports {
namespace {

constexpr std::int32_t kQueue = 3;

// A producer that waits for each answer: six acknowledged sends to one queue, in their order.
class OrderChecker : public testing::Test {
 protected:
  OrderChecker() {
    for (std::uint64_t key = 1; key <= 6; ++key) {
      SendRecord send;
      send.key = key;
      send.attempts = {{key, kQueue, SendOutcome::acked}};
      send.invoked_ns = 100;  // All in one instant: their order in the history is what counts.
      send.completed_ns = 100;
      send.invoked_by_completion = key;
      send.outcome = SendOutcome::acked;
      history.sends.push_back(send);
      place(key);
    }
    store.read = true;
  }
  SendRecord& send(std::uint64_t key) { return history.sends[key - 1]; }
  // Another copy at the end of the queue.
  void place(std::uint64_t key) {
    StoredCopy copy;
    copy.key = key;
    copy.key_known = true;
    copy.intact = true;
    copy.queue_id = kQueue;
    copy.in_queue = true;
    copy.queue_offset = static_cast<std::int64_t>(store.copies.size());
    copy.physical_offset = copy.queue_offset * 100;
    store.copies.push_back(copy);
  }
  void swap(std::uint64_t a, std::uint64_t b) {
    std::swap(store.copies[a - 1].key, store.copies[b - 1].key);
  }
  OrderReport check() const { return check_order(history, store); }

  History history;
  FinalStore store;
};

TEST_F(OrderChecker, FindsNothingWhereAllIsInOrder) { EXPECT_EQ(check(), OrderReport()); }

TEST_F(OrderChecker, NamesAMessageThatComesAfterALaterOne) {
  swap(2, 3);
  const OrderReport report = check();
  EXPECT_EQ(report.violations, 1);
  ASSERT_EQ(report.examples.size(), 1u);
  EXPECT_EQ(report.examples[0], (OrderViolation{2, 3, kQueue, 2, 1}));
}

TEST_F(OrderChecker, CountsMessagesAndNotPairs) {
  swap(1, 6);  // 6 2 3 4 5 1
  EXPECT_EQ(check().violations, 5);
}

TEST_F(OrderChecker, LetsSendsThatWereUnderWayTogetherComeInAnyOrder) {
  swap(2, 3);
  send(2).invoked_by_completion = 3;
  EXPECT_EQ(check().violations, 0);
}

TEST_F(OrderChecker, LetsAnUnansweredSendComeLate) {
  swap(2, 3);
  send(2).outcome = SendOutcome::unknown;
  send(2).attempts[0].outcome = SendOutcome::unknown;
  EXPECT_EQ(check().violations, 0);
}

TEST_F(OrderChecker, SeesAnUnansweredSendBeforeAnEarlierOne) {
  swap(2, 3);
  send(3).outcome = SendOutcome::unknown;
  EXPECT_EQ(check().violations, 1);
}

TEST_F(OrderChecker, TakesTheFirstCopyOfADuplicate) {
  place(2);  // At the end, behind 3 to 6.
  EXPECT_EQ(check().violations, 0);
  store.copies[1].key_known = false;  // Without its first copy it comes late.
  EXPECT_EQ(check().violations, 1);
}

TEST_F(OrderChecker, LooksAtWhatReadersGet) {
  swap(2, 3);
  store.copies[2].in_queue = false;
  EXPECT_EQ(check().violations, 0);
}

TEST_F(OrderChecker, QueuesHaveNoOrderAmongEachOther) {
  swap(2, 3);
  send(2).attempts[0].queue_id = 4;
  store.copies[2].queue_id = 4;
  EXPECT_EQ(check().violations, 0);
}

TEST_F(OrderChecker, ACopyInAQueueThatDidNotAcknowledgeItPromisesNothing) {
  swap(2, 3);
  // Its retry for another queue was the one that was acknowledged.
  send(2).attempts = {{2, kQueue, SendOutcome::unknown}, {20, 4, SendOutcome::acked}};
  EXPECT_EQ(check().violations, 0);
}

// Of a send with copies in two queues each one has a place in its own.
TEST_F(OrderChecker, ASendHasAPlaceInEachQueueThatHoldsIt) {
  swap(2, 3);
  send(2).attempts.insert(send(2).attempts.begin(), {20, 1, SendOutcome::unknown});
  place(2);
  store.copies.back().queue_id = 1;  // Before queue 3.
  EXPECT_EQ(check().violations, 1);
}

TEST_F(OrderChecker, ProducersHaveNoOrderAmongEachOther) {
  swap(2, 3);
  send(2).producer = 1;
  EXPECT_EQ(check().violations, 0);
}

TEST_F(OrderChecker, WhatIsLostBreaksNoOrder) {
  store.copies.erase(store.copies.begin() + 1);
  EXPECT_EQ(check().violations, 0);
}

TEST_F(OrderChecker, GoesByThePlaceInTheQueueNotInTheLog) {
  std::swap(store.copies[1].queue_offset, store.copies[2].queue_offset);
  EXPECT_EQ(check().violations, 1);
}

TEST_F(OrderChecker, KeepsAFewExamples) {
  for (std::uint64_t key = 7; key <= 60; ++key) {
    history.sends.push_back(send(1));
    send(key).key = key;
    send(key).invoked_by_completion = key;
    place(key);
  }
  std::reverse(store.copies.begin(), store.copies.end());
  for (std::size_t i = 0; i < store.copies.size(); ++i) {
    store.copies[i].queue_offset = static_cast<std::int64_t>(i);
  }
  const OrderReport report = check();
  EXPECT_EQ(report.violations, 59);
  EXPECT_EQ(report.examples.size(), kOrderExamplesMax);
}

}  // namespace
}  // namespace drydock::reports
