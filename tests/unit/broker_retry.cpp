// Messages that come again, and dead letters. Facts: storage reference, 9.2, 9.3 and pitfalls
// 30, 31.
#include "engine/broker/retry.hpp"

#include <gtest/gtest.h>

#include "engine/broker/subscription_groups.hpp"
#include "engine/wire/message_id.hpp"
#include "engine/wire/send_back.hpp"
#include "tests/support/message_world.hpp"

namespace drydock::test {
namespace {

TEST(Retry, ASendBackIsDeadWhenItHasComeAsOftenAsAllowed) {
  EXPECT_EQ(decide_send_back(0, 0, 16), (RetryDecision{.delay_level = 3}));
  EXPECT_EQ(decide_send_back(15, 0, 16), (RetryDecision{.delay_level = 18}));
  EXPECT_EQ(decide_send_back(16, 0, 16), (RetryDecision{.dead = true}));
  EXPECT_EQ(decide_send_back(2, 7, 16), (RetryDecision{.delay_level = 7}));
  EXPECT_EQ(decide_send_back(0, -1, 16), (RetryDecision{.dead = true}));
  EXPECT_EQ(decide_send_back(0, 0, 0), (RetryDecision{.dead = true}));
}

TEST(Retry, ASendIsDeadWhenItHasComeMoreOftenThanAllowed) {
  EXPECT_FALSE(dead_when_sent(16, 16, false));
  EXPECT_TRUE(dead_when_sent(17, 16, false));
  EXPECT_TRUE(dead_when_sent(1, 16, true));
}

TEST(SubscriptionGroups, AGroupIsMadeWithRocketMqsDefaultsAndReadBack) {
  SubscriptionGroups groups(true);
  EXPECT_EQ(groups.find("G")->retry_times_max, 16);
  ASSERT_NE(groups.find_or_create("G", 1), nullptr);
  std::string text = groups.write();
  std::erase_if(text, [](char c) { return c == '\n' || c == '\t'; });
  EXPECT_NE(text.find(R"("subscriptionGroupTable":{"G":{"attributes":{},"brokerId":0,)"
                      R"("consumeBroadcastEnable":true,"consumeEnable":true,)"
                      R"("consumeFromMinEnable":true,"consumeMessageOrderly":false,)"
                      R"("consumeTimeoutMinute":15,"groupName":"G",)"
                      R"("groupRetryPolicy":{"type":"CUSTOMIZED"},"groupSysFlag":0,)"
                      R"("notifyConsumerIdsChangedEnable":true,"retryMaxTimes":16,)"
                      R"("retryQueueNums":1,"whichBrokerWhenConsumeSlowly":1}})"),
            std::string::npos);
  SubscriptionGroups read(false);
  ASSERT_TRUE(read.read(text));
  EXPECT_NE(read.find("G"), nullptr);
  EXPECT_EQ(read.find("H"), nullptr);
  EXPECT_EQ(read.find_or_create("H", 1), nullptr);
}

TEST(SubscriptionGroups, WhatOthersConfiguredIsKept) {
  SubscriptionGroups groups(true);
  ASSERT_TRUE(groups.read(R"({"subscriptionGroupTable":{"G":{"retryMaxTimes":2,)"
                          R"("retryQueueNums":0,"consumeTimeoutMinute":99}}})"));
  EXPECT_EQ(groups.find("G")->retry_times_max, 2);
  EXPECT_EQ(groups.find("G")->retry_queues, 0);
  EXPECT_NE(groups.write().find("\"consumeTimeoutMinute\":99"), std::string::npos);
  EXPECT_FALSE(groups.read("7"));
  EXPECT_FALSE(groups.read(R"({"subscriptionGroupTable":{"G":1}})"));
}

class BrokerRetry : public ::testing::Test {
 protected:
  std::int32_t send_back(const Delivered& message, std::int32_t level = 0,
                         std::optional<std::int32_t> most = {}) {
    SendBackHeader header;
    header.offset = PhysicalOffset(message.physical_offset);
    header.group = "G";
    header.delay_level = level;
    header.max_reconsume_times = most;
    return world.code_of(
        encode_command(request_head(RequestCode::consumer_send_msg_back, 9'000), header, {}, {}));
  }
  MessageWorld world;
};

TEST_F(BrokerRetry, AMessageThatIsSentBackComesAgainAfterTenSeconds) {
  ASSERT_EQ(world.send("orders", {{"KEYS", "k"}}), 0);
  const Delivered first = world.messages("orders").at(0);
  ASSERT_EQ(send_back(first), 0);
  EXPECT_EQ(world.messages("SCHEDULE_TOPIC_XXXX", 2).size(), 1u);
  world.run_for(Duration::s(11));
  const auto again = world.messages("%RETRY%G");
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].property("KEYS"), "k");
  EXPECT_EQ(again[0].property("RETRY_TOPIC"), "orders");
  EXPECT_EQ(again[0].property("WAIT"), "false");
  EXPECT_EQ(again[0].origin.reconsume_times, 1);
  const OffsetMessageId id{BrokerWorld::broker_endpoint(), PhysicalOffset(first.physical_offset)};
  EXPECT_EQ(again[0].property("ORIGIN_MESSAGE_ID"), view_of(encode_offset_message_id(id)));
  // And again, from the retry topic: the first place is remembered, the next level counts.
  ASSERT_EQ(send_back(again[0]), 0);
  const auto waiting = world.messages("SCHEDULE_TOPIC_XXXX", 3);
  ASSERT_EQ(waiting.size(), 1u);
  EXPECT_EQ(waiting[0].property("RETRY_TOPIC"), "orders");
  EXPECT_EQ(waiting[0].property("ORIGIN_MESSAGE_ID"), again[0].property("ORIGIN_MESSAGE_ID"));
}

TEST_F(BrokerRetry, WhatHasComeTooOftenOrIsGivenUpIsADeadLetter) {
  ASSERT_EQ(world.send("orders"), 0);
  const Delivered message = world.messages("orders").at(0);
  ASSERT_EQ(send_back(message, 0, 0), 0);
  ASSERT_EQ(send_back(message, -1), 0);
  const auto dead = world.messages("%DLQ%G");
  ASSERT_EQ(dead.size(), 2u);
  EXPECT_EQ(dead[0].property("RETRY_TOPIC"), "orders");
  EXPECT_EQ(dead[0].origin.reconsume_times, 1);
}

TEST_F(BrokerRetry, ASendBackOfWhatIsNotThereIsASystemError) {
  ASSERT_EQ(world.send("orders"), 0);
  Delivered message = world.messages("orders").at(0);
  message.physical_offset += 1;
  EXPECT_EQ(send_back(message), 1);
  message.physical_offset = 1'000'000'000;
  EXPECT_EQ(send_back(message), 1);
}

TEST_F(BrokerRetry, ASendToARetryTopicComesThereUntilItHasComeTooOften) {
  ASSERT_EQ(world.send("%RETRY%G", {{"KEYS", "1"}}, 16), 0);
  ASSERT_EQ(world.send("%RETRY%G", {{"KEYS", "2"}, {"DELAY", "3"}}, 17), 0);
  ASSERT_EQ(world.send("%RETRY%G", {{"KEYS", "3"}}, 3, 2), 0);
  const auto retried = world.messages("%RETRY%G");
  ASSERT_EQ(retried.size(), 1u);
  EXPECT_EQ(retried[0].property("KEYS"), "1");
  const auto dead = world.messages("%DLQ%G");
  ASSERT_EQ(dead.size(), 2u);
  EXPECT_EQ(dead[0].property("KEYS"), "2");
  EXPECT_EQ(dead[0].property("DELAY"), "-1");
  EXPECT_EQ(dead[1].property("KEYS"), "3");
}

// Nothing may wait in the way of a group that consumes in order.
TEST_F(BrokerRetry, ASendToTheRetryTopicOfAGroupThatHoldsLocksIsADeadLetter) {
  const LockBatch batch{.consumer_group = "G", .client_id = "c", .queues = {{"b", "T", 0}}};
  const SharedBytes body = encode_lock_batch(batch);
  ASSERT_EQ(world.code_of(encode_command(request_head(RequestCode::lock_batch_mq, 9'001),
                                         NoFields(), {}, body.span())),
            0);
  ASSERT_EQ(world.send("%RETRY%G", {{"KEYS", "1"}}, 1), 0);
  EXPECT_EQ(world.messages("%DLQ%G").size(), 1u);
}

TEST(BrokerRetryGroups, WithoutAutoCreationAGroupDoesNotExist) {
  BrokerConfiguration configuration = small_broker();
  configuration.auto_create_subscription_group = false;
  MessageWorld world(configuration);
  ASSERT_EQ(world.send("orders"), 0);
  SendBackHeader header;
  header.group = "G";
  EXPECT_EQ(world.code_of(encode_command(request_head(RequestCode::consumer_send_msg_back, 1),
                                         header, {}, {})),
            26);
  EXPECT_EQ(world.send("%RETRY%G", {}, 1), 26);
}

}  // namespace
}  // namespace drydock::test
