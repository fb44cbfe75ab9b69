// GET_BROKER_RUNTIME_INFO as an operator's tool sees it: keys, and figures that follow from what
// clients have done (storage reference, 10.2).
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "engine/broker/traffic.hpp"
#include "engine/wire/pull_message.hpp"
#include "engine/wire/send_message.hpp"
#include "tests/support/raw_client.hpp"

namespace drydock::test {
namespace {

constexpr std::int64_t kStart = 1'700'000'000'000;  // What the broker's clock begins with.
constexpr std::int64_t kDay = 86'400'000;

using Table = std::map<std::string, std::string>;

Table runtime_info(RawClient& client) {
  const std::vector<RemotingCommand> answers = client.ask(
      encode_command(request_head(RequestCode::get_broker_runtime_info, 1), NoFields(), {}, {}));
  EXPECT_EQ(answers.size(), 1U);
  if (answers.size() != 1) return {};
  EXPECT_EQ(answers[0].head.code, 0);
  const auto body = nlohmann::json::parse(as_text(answers[0].body.span()));
  return body.at("table").get<Table>();
}

SharedBytes send(std::string_view body) {
  SendMessageHeader header;
  header.producer_group = "g";
  header.topic = "orders";
  return encode_command(request_head(RequestCode::send_message_v2, 1), header, {},
                        as_byte_span(body));
}

SharedBytes pull(std::int64_t offset) {
  PullMessageHeader header;
  header.consumer_group = "readers";
  header.topic = "orders";
  header.queue_offset = offset;
  header.message_count_max = 32;
  header.subscription = "*";
  header.sys_flag = pull_flag::kSubscription;
  return encode_command(request_head(RequestCode::pull_message, 2), header, {}, {});
}

// A broker without a pool tells the largest int, as RocketMQ's does.
TEST(BrokerRuntimeInfo, FreeBuffersOfTheTransientPoolAreCounted) {
  for (const bool pooled : {false, true}) {
    BrokerConfiguration configuration = small_broker();
    configuration.store.transient_store_pool_enable = pooled;
    configuration.store.transient_store_pool_size = 3;
    BrokerWorld world(configuration);
    world.start_broker();
    RawClient client(world);
    EXPECT_EQ(runtime_info(client).at("remainTransientStoreBufferNumbs"),
              pooled ? "3" : "2147483647");
  }
}

TEST(BrokerRuntimeInfo, ItHasTheKeysOfRocketMq) {
  BrokerWorld world;
  world.start_broker();
  RawClient client(world);
  const Table table = runtime_info(client);
  for (const char* key : {"bootTimestamp",
                          "runtime",
                          "putMessageEntireTimeMax",
                          "putMessageTimesTotal",
                          "putMessageFailedTimes",
                          "putMessageSizeTotal",
                          "putMessageDistributeTime",
                          "putMessageAverageSize",
                          "dispatchMaxBuffer",
                          "getMessageEntireTimeMax",
                          "putTps",
                          "getFoundTps",
                          "getMissTps",
                          "getTotalTps",
                          "getTransferredTps",
                          "putLatency99",
                          "putLatency999",
                          "commitLogMinOffset",
                          "commitLogMaxOffset",
                          "commitLogDiskRatio",
                          "consumeQueueDiskRatio",
                          "brokerActive",
                          "brokerVersion",
                          "brokerVersionDesc",
                          "msgPutTotalYesterdayMorning",
                          "msgPutTotalTodayMorning",
                          "msgPutTotalTodayNow",
                          "msgGetTotalYesterdayMorning",
                          "msgGetTotalTodayMorning",
                          "msgGetTotalTodayNow",
                          "dispatchBehindBytes",
                          "pageCacheLockTimeMills",
                          "earliestMessageTimeStamp",
                          "startAcceptSendRequestTimeStamp",
                          "remainTransientStoreBufferNumbs",
                          "remainHowManyDataToFlush",
                          "commitLogDirCapacity",
                          "sendThreadPoolQueueSize",
                          "sendThreadPoolQueueCapacity",
                          "sendThreadPoolQueueHeadWaitTimeMills",
                          "pullThreadPoolQueueSize",
                          "pullThreadPoolQueueCapacity",
                          "pullThreadPoolQueueHeadWaitTimeMills",
                          "EndTransactionQueueSize",
                          "EndTransactionThreadPoolQueueCapacity"}) {
    EXPECT_TRUE(table.contains(key)) << key;
  }
  EXPECT_EQ(table.at("earliestMessageTimeStamp"), "-1");
  EXPECT_EQ(table.at("brokerVersion"), "479");
  EXPECT_EQ(table.at("sendThreadPoolQueueCapacity"), "10000");
  EXPECT_EQ(table.at("msgPutTotalTodayNow"), "0");
}

TEST(BrokerRuntimeInfo, WhatClientsSendAndPullIsCounted) {
  BrokerWorld world;
  world.start_broker();
  RawClient client(world);
  ASSERT_EQ(client.ask(send("one")).size(), 1U);
  ASSERT_EQ(client.ask(send("two")).size(), 1U);
  ASSERT_EQ(client.ask(pull(0)).size(), 1U);
  const Table table = runtime_info(client);
  EXPECT_EQ(table.at("putMessageTimesTotal"), "2");
  EXPECT_EQ(table.at("putMessageSizeTotal"), table.at("commitLogMaxOffset"));
  EXPECT_EQ(table.at("msgPutTotalTodayNow"), "2");
  EXPECT_EQ(table.at("msgPutTotalTodayMorning"), "0");
  EXPECT_EQ(table.at("msgGetTotalTodayNow"), "2");
  EXPECT_EQ(table.at("dispatchBehindBytes"), "0");
  EXPECT_GE(std::stoll(table.at("earliestMessageTimeStamp")), kStart);
}

TEST(BrokerTraffic, MidnightsAreRemembered) {
  DailyCount count(kStart);
  count.add(3, kStart);
  count.add(4, kStart + kDay);
  EXPECT_EQ(count.today_morning(), 3);
  EXPECT_EQ(count.yesterday_morning(), 0);
  count.turn(kStart + 2 * kDay);
  EXPECT_EQ(count.today_morning(), 7);
  EXPECT_EQ(count.yesterday_morning(), 3);
  count.turn(kStart + 9 * kDay);  // Nothing came for days: both mornings saw the same.
  EXPECT_EQ(count.yesterday_morning(), 7);
  EXPECT_EQ(count.now(), 7);
}

TEST(BrokerTraffic, MoreGroupsThanItHasRoomForAreCountedAsOne) {
  Traffic traffic(kStart);
  for (std::size_t i = 0; i < Traffic::kGroupsMax + 5; ++i) {
    traffic.out("g" + std::to_string(i), "t", {1, 10}, kStart);
  }
  traffic.out("g0", "t", {1, 10}, kStart);
  EXPECT_EQ(traffic.out().size(), Traffic::kGroupsMax + 1);
  EXPECT_EQ(traffic.out().at("g0").at("t").messages, 2);
  EXPECT_EQ(traffic.out().at(std::string(Traffic::kOtherGroups)).at("t").messages, 5);
}

TEST(BrokerTraffic, SystemTopicsAreNotInTheTotals) {
  Traffic traffic(kStart);
  traffic.in("orders", {1, 100}, kStart);
  traffic.in("SCHEDULE_TOPIC_XXXX", {1, 100}, kStart);
  traffic.out("g", "rmq_sys_wheel_timer", {5, 500}, kStart);
  EXPECT_EQ(traffic.put().now(), 1);
  EXPECT_EQ(traffic.got().now(), 0);
  EXPECT_EQ(traffic.in().at("SCHEDULE_TOPIC_XXXX").messages, 1);
}

}  // namespace
}  // namespace drydock::test
