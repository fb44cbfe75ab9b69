// Groups of clients: who is in one, who is told of a change, which queues are locked. Facts:
// storage reference, 12.4, 12.7 and 3.6; RocketMQ's channelExpiredTimeout (120 s, looked at every
// 10 s) and its rebalance lock (60 s).
#include <gtest/gtest.h>

#include "engine/broker/consumer_groups.hpp"
#include "engine/broker/producer_groups.hpp"
#include "engine/broker/queue_locks.hpp"
#include "engine/wire/consumer_group.hpp"
#include "engine/wire/pull_message.hpp"
#include "engine/wire/tag_expression.hpp"
#include "tests/support/raw_client.hpp"

namespace drydock::test {
namespace {

MonotonicTime at_s(std::int64_t seconds) {
  return MonotonicTime::at_ns(Duration::s(seconds).count_ns());
}
ConsumerData consumer(std::string group, std::vector<Subscription> subscriptions = {}) {
  return {.group = std::move(group), .subscriptions = std::move(subscriptions)};
}
using Names = std::vector<std::string>;
using Ids = std::vector<std::uint64_t>;

TEST(ConsumerGroups, AChangeOfMembersOrTopicsIsTold) {
  ConsumerGroups groups;
  const ConsumerData data = consumer("G", {{.topic = "T", .version = 1}});
  EXPECT_TRUE(groups.enter(data, {1, "a", at_s(0)}, false));
  EXPECT_FALSE(groups.enter(data, {1, "a", at_s(30)}, false));
  EXPECT_TRUE(groups.enter(data, {2, "b", at_s(30)}, false));
  EXPECT_EQ(groups.client_ids("G"), (Names{"a", "b"}));
  EXPECT_TRUE(groups.enter(consumer("G", {{.topic = "U"}}), {1, "a", at_s(31)}, false));
  EXPECT_EQ(groups.subscription("G", "T"), nullptr);
  EXPECT_NE(groups.subscription("G", "U"), nullptr);
  EXPECT_TRUE(groups.leave("G", 2));
  EXPECT_FALSE(groups.leave("G", 2));
  EXPECT_TRUE(groups.leave("G", 1));
  EXPECT_FALSE(groups.exists("G"));
}

TEST(ConsumerGroups, ANewerSubscriptionToAKnownTopicReplacesTheOldInSilence) {
  ConsumerGroups groups;
  groups.enter(consumer("G", {{.topic = "T", .version = 5, .tag_codes = {1}}}), {1, "a", {}},
               false);
  EXPECT_FALSE(groups.enter(consumer("G", {{.topic = "T", .version = 4, .tag_codes = {2}}}),
                            {1, "a", {}}, false));
  EXPECT_EQ(groups.subscription("G", "T")->tag_codes, std::vector<std::int32_t>{1});
  EXPECT_FALSE(groups.enter(consumer("G", {{.topic = "T", .version = 6, .tag_codes = {2}}}),
                            {1, "a", {}}, false));
  EXPECT_EQ(groups.subscription("G", "T")->tag_codes, std::vector<std::int32_t>{2});
}

TEST(ConsumerGroups, ABroadcastingGroupIsToldNothing) {
  ConsumerGroups groups;
  ConsumerData data = consumer("G");
  data.model = MessageModel::broadcasting;
  EXPECT_FALSE(groups.enter(data, {1, "a", at_s(0)}, false));
  EXPECT_FALSE(groups.enter(data, {2, "b", at_s(0)}, false));
  EXPECT_EQ(groups.drop(1), Names{});
  EXPECT_EQ(groups.client_ids("G"), Names{"b"});
}

TEST(ConsumerGroups, AHeartbeatWithoutSubscriptionsLeavesThemAsTheyAre) {
  ConsumerGroups groups;
  groups.enter(consumer("G", {{.topic = "T"}}), {1, "a", at_s(0)}, false);
  EXPECT_FALSE(groups.enter(consumer("G"), {1, "a", at_s(9)}, true));
  EXPECT_NE(groups.subscription("G", "T"), nullptr);
}

TEST(ConsumerGroups, AMemberIsGoneAfter120SecondsOfSilence) {
  ConsumerGroups groups;
  groups.enter(consumer("G"), {1, "a", at_s(0)}, false);
  groups.enter(consumer("G"), {2, "b", at_s(50)}, false);
  EXPECT_EQ(groups.next_expiry(), at_s(120));
  EXPECT_EQ(groups.expire(at_s(120)), Names{});
  EXPECT_EQ(groups.expire(at_s(121)), Names{"G"});
  EXPECT_EQ(groups.connections("G"), Ids{2});
  EXPECT_EQ(groups.expire(at_s(171)), Names{});  // Nobody is left to be told.
  EXPECT_FALSE(groups.exists("G"));
  EXPECT_EQ(groups.next_expiry(), std::nullopt);
}

TEST(ConsumerGroups, AConnectionThatEndsLeavesAllItsGroups) {
  ConsumerGroups groups;
  for (const char* group : {"F", "G", "H"}) groups.enter(consumer(group), {1, "a", {}}, false);
  groups.enter(consumer("G"), {2, "b", {}}, false);
  EXPECT_EQ(groups.drop(1), Names{"G"});
  EXPECT_EQ(groups.client_ids("G"), Names{"b"});
  EXPECT_FALSE(groups.exists("F"));
}

TEST(ProducerGroups, MembersTakeTurns) {
  ProducerGroups groups;
  EXPECT_EQ(groups.pick("P"), std::nullopt);
  groups.enter("P", 4, at_s(0));
  groups.enter("P", 7, at_s(1));
  const auto first = groups.pick("P");
  EXPECT_NE(groups.pick("P"), first);
  EXPECT_EQ(groups.pick("P"), first);
  groups.drop(4);
  EXPECT_EQ(groups.pick("P"), 7u);
  groups.expire(at_s(122));
  EXPECT_EQ(groups.pick("P"), std::nullopt);
}

LockBatch batch(std::string client, std::vector<LockQueue> queues) {
  return {.consumer_group = "G", .client_id = std::move(client), .queues = std::move(queues)};
}
const LockQueue kFirst{"b", "T", 0};
const LockQueue kSecond{"b", "T", 1};
using Queues = std::vector<LockQueue>;

TEST(QueueLocks, AQueueIsOneClientsForSixtySeconds) {
  QueueLocks locks;
  EXPECT_EQ(locks.lock(batch("a", {kFirst}), at_s(0)), Queues{kFirst});
  EXPECT_EQ(locks.lock(batch("b", {kFirst, kSecond}), at_s(10)), Queues{kSecond});
  EXPECT_EQ(locks.lock(batch("a", {kFirst}), at_s(20)), Queues{kFirst});
  EXPECT_EQ(locks.lock(batch("b", {kFirst}), at_s(80)), Queues{});
  EXPECT_EQ(locks.lock(batch("b", {kFirst}), at_s(81)), Queues{kFirst});
  EXPECT_EQ(locks.lock(batch("a", {kFirst}), at_s(82)), Queues{});
}

TEST(QueueLocks, OnlyTheHolderGivesALockBack) {
  QueueLocks locks;
  locks.lock(batch("a", {kFirst}), at_s(0));
  locks.unlock(batch("b", {kFirst}));
  EXPECT_TRUE(locks.any("G", at_s(1)));
  locks.unlock(batch("a", {kFirst}));
  EXPECT_FALSE(locks.any("G", at_s(1)));
  EXPECT_EQ(locks.lock(batch("b", {kFirst}), at_s(1)), Queues{kFirst});
  EXPECT_FALSE(locks.any("G", at_s(62)));
}

// As RocketMQ's Java client sends it.
constexpr std::string_view kJavaHeartbeat =
    R"({"clientID":"10.0.0.1@4","consumerDataSet":[{"consumeFromWhere":"CONSUME_FROM_LAST_OFFSET",)"
    R"("consumeType":"CONSUME_PASSIVELY","groupName":"G","messageModel":"CLUSTERING",)"
    R"("subscriptionDataSet":[{"classFilterMode":false,"codeSet":[2598920,2598919],)"
    R"("expressionType":"TAG","subString":"TagA || TagB","subVersion":1700000000000,)"
    R"("tagsSet":["TagA","TagB"],"topic":"orders"}],"unitMode":false}],"heartbeatFingerprint":0,)"
    R"("producerDataSet":[{"groupName":"CLIENT_INNER_PRODUCER"}],"withoutSub":false})";

TEST(WireHeartbeat, JavasHeartbeatIsRead) {
  const auto heartbeat = decode_heartbeat(as_byte_span(kJavaHeartbeat));
  ASSERT_TRUE(heartbeat.has_value());
  EXPECT_EQ(heartbeat->client_id, "10.0.0.1@4");
  EXPECT_EQ(heartbeat->producer_groups, Names{"CLIENT_INNER_PRODUCER"});
  ASSERT_EQ(heartbeat->consumers.size(), 1u);
  EXPECT_EQ(heartbeat->consumers[0].subscriptions,
            (std::vector<Subscription>{{.topic = "orders",
                                        .version = 1'700'000'000'000,
                                        .expression_type = "TAG",
                                        .tag_codes = {2'598'919, 2'598'920}}}));
}

TEST(WireHeartbeat, GroupsWithoutANameAndTooManyAreRefused) {
  for (const std::string& group : {std::string(), std::string(256, 'g')}) {
    const std::string text =
        R"({"clientID":"c","consumerDataSet":[{"groupName":")" + group + R"("}]})";
    EXPECT_FALSE(decode_heartbeat(as_byte_span(text)).has_value());
  }
  std::string many = R"({"clientID":"c","producerDataSet":[{"groupName":"g"})";
  for (std::size_t i = 0; i < kHeartbeatGroupsMax; ++i) many += R"(,{"groupName":"g"})";
  EXPECT_FALSE(decode_heartbeat(as_byte_span(many + "]}")).has_value());
}

TEST(WireConsumerGroup, ALockBatchIsReadBack) {
  const LockBatch written = batch("a", {kFirst, kSecond});
  const SharedBytes body = encode_lock_batch(written);
  const auto read = decode_lock_batch(body.span());
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->queues, written.queues);
  EXPECT_EQ(read->client_id, "a");
  EXPECT_EQ(read->consumer_group, "G");
  EXPECT_FALSE(decode_lock_batch(as_byte_span("{}")).has_value());
}

// A broker with clients that speak bytes.
class BrokerGroups : public ::testing::Test {
 protected:
  BrokerGroups() { world.start_broker(); }

  static SharedBytes heartbeat(std::string_view id, std::string_view group = "G",
                               std::string_view producer = "") {
    std::string body = R"({"clientID":")" + std::string(id) + R"(","consumerDataSet":[)";
    if (!group.empty()) {
      body += R"({"groupName":")" + std::string(group) +
              R"(","messageModel":"CLUSTERING","subscriptionDataSet":[{"topic":"orders",)" +
              R"("subString":"A","codeSet":[65],"subVersion":7}]})";
    }
    body += R"(],"producerDataSet":[)";
    if (!producer.empty()) body += R"({"groupName":")" + std::string(producer) + R"("})";
    body += "]}";
    return encode_command(request_head(RequestCode::heart_beat, 1), NoFields(), {},
                          as_byte_span(body));
  }
  static SharedBytes list(std::string_view group = "G") {
    return encode_command(request_head(RequestCode::get_consumer_list_by_group, 2),
                          ConsumerGroupHeader{group}, {}, {});
  }
  static Names ids(const std::vector<RemotingCommand>& responses) {
    if (responses.size() != 1) return {"no answer"};
    if (responses[0].head.code != 0) return {"code " + std::to_string(responses[0].head.code)};
    return decode_consumer_list(responses[0].body.span()).value_or(Names{"unreadable"});
  }
  static int notices(const std::vector<RemotingCommand>& commands) {
    int count = 0;
    for (const RemotingCommand& command : commands) {
      count += command.is(RequestCode::notify_consumer_ids_changed) && command.is_one_way() ? 1 : 0;
    }
    return count;
  }
  std::string topics() {
    return std::string(as_text(world.files.at("/store/config/topics.json").cached));
  }

  BrokerWorld world;
};

TEST_F(BrokerGroups, MembersAreListedAndToldOfEachOther) {
  RawClient first(world);
  EXPECT_EQ(ids(first.ask(list())), Names{"code 1"});
  EXPECT_EQ(notices(first.ask(heartbeat("a"))), 1);
  EXPECT_EQ(notices(first.ask(heartbeat("a"))), 0);
  EXPECT_EQ(ids(first.ask(list())), Names{"a"});
  {
    RawClient second(world);
    EXPECT_EQ(notices(second.ask(heartbeat("b"))), 1);
    EXPECT_EQ(notices(first.responses_within(Duration::s(1))), 1);
    EXPECT_EQ(ids(first.ask(list())), (Names{"a", "b"}));
    second.actor().stream().reset();
  }
  EXPECT_EQ(notices(first.responses_within(Duration::s(1))), 1);
  EXPECT_EQ(ids(first.ask(list())), Names{"a"});
}

TEST_F(BrokerGroups, AMemberThatUnregistersIsGone) {
  RawClient first(world);
  RawClient second(world);
  first.ask(heartbeat("a"));
  second.ask(heartbeat("b"));
  first.responses_within(Duration::s(1));
  const UnregisterClientHeader fields{.client_id = "b", .consumer_group = "G"};
  EXPECT_EQ(second.code_of(
                encode_command(request_head(RequestCode::unregister_client, 3), fields, {}, {})),
            0);
  EXPECT_EQ(notices(first.responses_within(Duration::s(1))), 1);
  EXPECT_EQ(ids(first.ask(list())), Names{"a"});
}

// Its connection goes on: it asks for something every minute.
TEST_F(BrokerGroups, AMemberWithoutHeartbeatsIsGoneAtTheLookBehind120Seconds) {
  RawClient silent(world);
  silent.ask(heartbeat("a"));
  for (int i = 0; i < 11; ++i) {
    silent.responses_within(Duration::s(10));
    EXPECT_EQ(ids(silent.ask(list())), Names{"a"}) << i;
  }
  silent.responses_within(Duration::s(10));
  EXPECT_EQ(ids(silent.ask(list())), Names{"code 1"});
}

TEST_F(BrokerGroups, AConsumersHeartbeatMakesTheRetryTopicOfItsGroup) {
  RawClient client(world);
  client.ask(heartbeat("a", "orders-group"));
  EXPECT_NE(topics().find("%RETRY%orders-group"), std::string::npos);
  const std::string groups(as_text(world.files.at("/store/config/subscriptionGroup.json").cached));
  EXPECT_NE(groups.find("\"groupName\":\"orders-group\""), std::string::npos);
  EXPECT_NE(groups.find("\"retryMaxTimes\":16"), std::string::npos);
}

TEST_F(BrokerGroups, APullWithoutASubscriptionHasThatOfItsGroup) {
  Client sender(world);
  for (const std::uint64_t key : {1u, 2u, 3u}) {
    OutgoingMessage message = outgoing(key);
    message.tags = SharedBytes::copy_of(key == 2 ? "A" : "B");
    ASSERT_EQ(sender.send_now(std::move(message)).status, SendStatus::acked);
  }
  RawClient client(world);
  PullMessageHeader header;
  header.consumer_group = "G";
  header.topic = "orders";
  header.sub_version = 7;
  const auto pull = [&] {
    return encode_command(request_head(RequestCode::pull_message, 4), header, {}, {});
  };
  EXPECT_EQ(client.code_of(pull()), 24);
  client.ask(heartbeat("a"));
  std::string keys;
  for (std::int32_t queue = 0; queue < 4; ++queue) {
    header.queue_id = queue;
    const auto responses = client.ask(pull());
    ASSERT_EQ(responses.size(), 1u);
    for_each_record(responses[0].body.span(), [&](auto, const RecordView& view) {
      keys += find_property(as_text(view.properties), "KEYS");
    });
  }
  EXPECT_EQ(keys, "2");
  header.sub_version = 8;
  EXPECT_EQ(client.code_of(pull()), 25);
}

TEST_F(BrokerGroups, QueuesAreLockedAndUnlocked) {
  RawClient client(world);
  const auto locked = [&](RequestCode code, std::string_view id) {
    const SharedBytes body = encode_lock_batch(batch(std::string(id), {kFirst}));
    const auto responses =
        client.ask(encode_command(request_head(code, 5), NoFields(), {}, body.span()));
    return responses.size() == 1 ? std::string(as_text(responses[0].body.span())) : "no answer";
  };
  const std::string yes = R"({"lockOKMQSet":[{"brokerName":"b","queueId":0,"topic":"T"}]})";
  EXPECT_EQ(locked(RequestCode::lock_batch_mq, "a"), yes);
  EXPECT_EQ(locked(RequestCode::lock_batch_mq, "b"), R"({"lockOKMQSet":[]})");
  EXPECT_EQ(locked(RequestCode::unlock_batch_mq, "a"), "");
  EXPECT_EQ(locked(RequestCode::lock_batch_mq, "b"), yes);
}

TEST_F(BrokerGroups, BodiesThatCannotBeReadAreRefused) {
  RawClient client(world);
  for (const RequestCode code :
       {RequestCode::heart_beat, RequestCode::lock_batch_mq, RequestCode::unlock_batch_mq,
        RequestCode::unregister_client, RequestCode::get_consumer_list_by_group}) {
    EXPECT_EQ(
        client.code_of(encode_command(request_head(code, 6), NoFields(), {}, as_byte_span("{}"))),
        1)
        << static_cast<int>(code);
  }
}

}  // namespace
}  // namespace drydock::test
