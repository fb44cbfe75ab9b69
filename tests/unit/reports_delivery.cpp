// What consumers were given, on histories made by hand.
#include <gtest/gtest.h>

#include "reports/delivery/delivery.hpp"

namespace drydock::reports {
namespace {

// Messages 1 to 5 in queue 0 of "t", at offsets 0 to 4; nothing was delivered yet.
class Deliveries : public ::testing::Test {
 protected:
  Deliveries() {
    store.read = true;
    store.queues.push_back({"t", 0, 0, 5});
    for (std::uint64_t key = 1; key <= 5; ++key) {
      StoredCopy copy;
      copy.key = key;
      copy.key_known = true;
      copy.in_queue = true;
      copy.queue = 0;
      copy.queue_offset = static_cast<std::int64_t>(key) - 1;
      store.copies.push_back(copy);
    }
    history.consumers = {{"a", "t"}, {"b", "u"}};
  }
  void deliver(std::uint64_t key, std::uint32_t consumer = 0) {
    history.deliveries.push_back({consumer, key, 0, static_cast<std::int64_t>(key) - 1});
  }
  DeliveryReport check() const { return check_deliveries(history, store); }

  History history;
  FinalStore store;
};

TEST_F(Deliveries, EachMessageOnceIsAllThereIsToSay) {
  for (std::uint64_t key = 1; key <= 5; ++key) deliver(key);
  EXPECT_EQ(check(), (DeliveryReport{.delivered = 5}));
}

TEST_F(Deliveries, WhatHasNotComeYetIsNotSkipped) {
  deliver(1);
  deliver(2);
  EXPECT_EQ(check(), (DeliveryReport{.delivered = 2, .undelivered = 3}));
  history.deliveries.clear();
  EXPECT_EQ(check(), (DeliveryReport{.undelivered = 5}));
}

TEST_F(Deliveries, AMessageThatWasPassedOverIsSkipped) {
  deliver(1);
  deliver(4);
  EXPECT_EQ(check(), (DeliveryReport{.delivered = 2, .skipped = 2, .undelivered = 3}));
}

TEST_F(Deliveries, AMessageThatFirstComesAfterALaterOneOfItsQueueIsOutOfOrder) {
  for (const std::uint64_t key : {1u, 3u, 2u, 5u, 4u}) deliver(key);
  EXPECT_EQ(check(), (DeliveryReport{.delivered = 5, .out_of_order = 2}));
  history.deliveries.clear();
  // After a restart a consumer begins earlier: what comes again is no disorder.
  for (const std::uint64_t key : {1u, 2u, 3u, 2u, 3u, 4u, 5u}) deliver(key);
  EXPECT_EQ(check(), (DeliveryReport{.delivered = 5, .again = 2}));
}

TEST_F(Deliveries, ASecondDeliveryToTheSameConsumerIsOneAgain) {
  deliver(1);
  deliver(1);
  deliver(1, 1);
  EXPECT_EQ(check(), (DeliveryReport{.delivered = 2, .again = 1, .undelivered = 4}));
}

TEST_F(Deliveries, AMessageThatNoReaderFindsAnyMoreIsGone) {
  deliver(1);
  deliver(9);
  store.copies[0].in_queue = false;
  // Behind what was cut stands something else, which the consumer has passed.
  EXPECT_EQ(check(), (DeliveryReport{.delivered = 2, .skipped = 4, .gone = 2, .undelivered = 4}));
}

TEST_F(Deliveries, AMessageThatHasExpiredIsNotGone) {
  for (std::uint64_t key = 1; key <= 5; ++key) deliver(key);
  SendRecord send;
  send.key = 1;
  send.outcome = SendOutcome::acked;
  send.physical_offset = 0;
  history.sends.push_back(send);
  store.copies.erase(store.copies.begin());
  EXPECT_EQ(check(), (DeliveryReport{.delivered = 5, .gone = 1}));
  store.expired_to = 1;
  EXPECT_EQ(check(), (DeliveryReport{.delivered = 5}));
}

TEST_F(Deliveries, MessagesWithoutAKeyOfOursAreNotOneMessage) {
  deliver(1);
  for (int i = 0; i < 3; ++i) history.deliveries.push_back({0, 0, 0, 1 + i});
  EXPECT_EQ(check().delivered, 1);
  EXPECT_EQ(check().again, 0);
}

TEST_F(Deliveries, WhatAConsumerGotInOneQueueSaysNothingOfAnother) {
  store.queues.push_back({"t", 1, 0, 1});
  StoredCopy other = store.copies[0];
  other.key = 6;
  other.queue = 1;
  store.copies.push_back(other);
  for (std::uint64_t key = 1; key <= 5; ++key) deliver(key);
  EXPECT_EQ(check(), (DeliveryReport{.delivered = 5, .undelivered = 1}));
}

TEST_F(Deliveries, WhoGoesBackHasPassedOverWhatLiesBeforeTheFurthest) {
  deliver(4);
  deliver(1);
  EXPECT_EQ(check(),
            (DeliveryReport{.delivered = 2, .skipped = 2, .undelivered = 3, .out_of_order = 1}));
}

// Its place was given to another message, which the consumer has got; the first one is there too.
TEST_F(Deliveries, AMessageAtTheFurthestPlaceItselfIsPassed) {
  deliver(1);
  history.deliveries.push_back({0, 9, 0, 1});
  EXPECT_EQ(check(), (DeliveryReport{.delivered = 2, .skipped = 1, .gone = 1, .undelivered = 4}));
}

}  // namespace
}  // namespace drydock::reports
