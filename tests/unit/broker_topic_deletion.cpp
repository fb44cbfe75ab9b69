// A topic that is deleted and made again, while its old records are still in the log: its numbers
// start again, as in RocketMQ, or go on (topic.numbers-start-again).
#include <gtest/gtest.h>

#include "engine/broker/deleted_topics.hpp"
#include "engine/wire/register_broker.hpp"
#include "engine/wire/send_message.hpp"
#include "engine/wire/topic_admin.hpp"
#include "tests/support/raw_client.hpp"

namespace drydock::test {
namespace {

constexpr std::string_view kFile = "/store/config/deletedTopics.json";

template <class Fields>
SharedBytes request(RequestCode code, const Fields& fields, std::string_view body = {}) {
  return encode_command(request_head(code, 1), fields, {}, as_byte_span(body));
}
SharedBytes make(std::string_view topic) {
  const std::int32_t permissions = permission::kRead | permission::kWrite;
  return request(
      RequestCode::update_and_create_topic,
      UpdateTopicHeader{
          .topic = topic, .read_queues = 1, .write_queues = 1, .permissions = permissions});
}
SharedBytes remove(std::string_view topic) {
  return request(RequestCode::delete_topic_in_broker, TopicStatsHeader{topic});
}
SharedBytes send(std::string_view topic) {
  SendMessageHeader header;
  header.producer_group = "g";
  header.topic = topic;
  return request(RequestCode::send_message_v2, header, "body");
}

struct Deletion {
  explicit Deletion(bool hardened, FlushDiskType flush = FlushDiskType::sync_flush)
      : world(configuration(hardened, flush)) {
    broker = &world.start_broker();
  }
  static BrokerConfiguration configuration(bool hardened, FlushDiskType flush) {
    BrokerConfiguration configuration = small_broker();
    configuration.store.flush_disk_type = flush;
    Behaviour behaviour = *Behaviour::preset("hardened");
    const BehaviourValue value = hardened ? BehaviourValue::hardened : BehaviourValue::faithful;
    behaviour.set(BehaviourSwitch::topic_numbers_start_again, value);
    configuration.store.behaviour = behaviour;
    return configuration;
  }
  // The number that the message got; -1: it was refused.
  std::int64_t sent(std::string_view topic = "orders") {
    Asking ask(world);
    const RemotingCommand answer = ask(send(topic));
    if (!answer.is(ResponseCode::success)) return -1;
    const auto receipt = decode_send_message_response(answer.ext_fields.span());
    return receipt ? receipt->queue_offset.value() : -1;
  }
  bool does(SharedBytes what) {
    Asking ask(world);
    return ask(std::move(what)).is(ResponseCode::success);
  }
  std::string stats(std::string_view topic = "orders") {
    Asking ask(world);
    const RemotingCommand told =
        ask(request(RequestCode::get_topic_stats_info, TopicStatsHeader{topic}));
    return std::string(as_text(told.body.span()));
  }
  void restart_orderly() {
    broker->terminate();
    world.run_for(Duration::s(2));
    broker = &world.start_broker();
  }
  void lose_power() {
    broker->kill();
    world.run_for(Duration());
    world.files.lose_power();
    broker = &world.start_broker();
  }

  BrokerWorld world;
  sim::SimProcess* broker = nullptr;
};

TEST(BrokerTopicDeletion, NumbersOfATopicThatIsMadeAgainStartAgainOrGoOn) {
  for (const bool hardened : {false, true}) {
    Deletion it(hardened);
    ASSERT_TRUE(it.does(make("orders")));
    for (int i = 0; i < 3; ++i) ASSERT_EQ(it.sent(), i);
    it.world.run_for(Duration::s(1));
    ASSERT_TRUE(it.does(remove("orders")));
    EXPECT_EQ(it.world.files.exists(std::string(kFile)), hardened);
    ASSERT_TRUE(it.does(make("orders")));
    EXPECT_EQ(it.sent(), hardened ? 3 : 0);
    ASSERT_TRUE(it.does(remove("orders")));
    ASSERT_TRUE(it.does(make("orders")));
    // After an orderly stop only what lies behind the units of all queues is dispatched again.
    ASSERT_EQ(it.sent("others"), 0);
    it.world.run_for(Duration::s(1));
    it.restart_orderly();
    EXPECT_EQ(it.sent(), hardened ? 4 : 0) << "also over a restart";
  }
}

// The queue's files are not flushed yet, so recovery makes all units again, those of old records
// first. A record with the number 0 is written wherever the queue ends; the one behind it is not.
TEST(BrokerTopicDeletion, NewMessagesOfATopicThatWasMadeAgainAreLostInARecoveryOrNot) {
  for (const bool hardened : {false, true}) {
    Deletion it(hardened);
    ASSERT_TRUE(it.does(make("orders")));
    for (int i = 0; i < 3; ++i) ASSERT_EQ(it.sent(), i);
    ASSERT_TRUE(it.does(remove("orders")));
    ASSERT_TRUE(it.does(make("orders")));
    for (int i = 0; i < 2; ++i) ASSERT_EQ(it.sent(), i + (hardened ? 3 : 0));
    it.lose_power();
    const std::string told = it.stats();
    const std::string end = "\"maxOffset\":" + std::to_string(hardened ? 5 : 4);
    EXPECT_NE(told.find(end), std::string::npos) << told;
  }
}

// What cannot be written down is not deleted, and can be asked for again.
TEST(BrokerTopicDeletion, WithoutItsNumbersWrittenDownNoQueueIsDeleted) {
  Deletion it(true);
  ASSERT_TRUE(it.does(make("orders")));
  ASSERT_EQ(it.sent(), 0);
  it.world.run_for(Duration::s(1));
  it.world.files.failing_path = "deletedTopics";
  it.world.files.write_failures = 100;
  EXPECT_FALSE(it.does(remove("orders")));
  EXPECT_TRUE(it.world.files.exists("/store/consumequeue/orders/0/00000000000000000000"));
  it.world.files.write_failures = 0;
  EXPECT_TRUE(it.does(remove("orders")));
  EXPECT_FALSE(it.world.files.exists("/store/consumequeue/orders/0/00000000000000000000"));
}

// Who asks again, as he is told to, is not told of success before it is true.
TEST(BrokerTopicDeletion, ATopicThatCouldNotBeTakenOutOfTheFileIsTakenOutWhenItIsAskedForAgain) {
  Deletion it(true);
  ASSERT_TRUE(it.does(make("orders")));
  it.world.files.failing_path = "topics.json";
  it.world.files.write_failures = 100;
  EXPECT_FALSE(it.does(remove("orders")));
  EXPECT_FALSE(it.does(remove("orders")));
  it.world.files.write_failures = 0;
  EXPECT_TRUE(it.does(remove("orders")));
  const Bytes& file = it.world.files.at("/store/config/topics.json").durable;
  EXPECT_EQ(as_text(file).find("orders"), std::string_view::npos);
}

TEST(DeletedTopics, AreReadAsTheyAreWrittenAndForgottenWithTheLog) {
  DeletedTopics topics;
  EXPECT_TRUE(topics.remember("nothing", {}, PhysicalOffset(5)));
  EXPECT_EQ(topics.changes(), 0u);
  EXPECT_TRUE(topics.remember("orders", {{0, QueueOffset(55)}, {3, QueueOffset(7)}},
                              PhysicalOffset(81'920)));
  EXPECT_TRUE(topics.remember("orders", {{3, QueueOffset(6)}}, PhysicalOffset(90'000)));
  EXPECT_TRUE(topics.remember("bills", {{0, QueueOffset(1)}}, PhysicalOffset(100)));
  DeletedTopics copy;
  ASSERT_TRUE(copy.read(topics.write()));
  ASSERT_EQ(copy.all().size(), 3u);
  EXPECT_EQ(copy.all()[0].topic, "bills");
  EXPECT_EQ(copy.all()[2].queue_id, 3);
  EXPECT_EQ(copy.all()[2].next, QueueOffset(7)) << "numbers never go back";
  copy.forget_before(PhysicalOffset(89'999));
  ASSERT_EQ(copy.all().size(), 2u);
  copy.forget_before(PhysicalOffset(90'000));
  EXPECT_TRUE(copy.all().empty());
  for (const char* const text :
       {"", "[]", R"({"topics":[]})", R"({"topics":{"a":{"logEnd":-1,"queues":{}}}})",
        R"({"topics":{"a":{"logEnd":1,"queues":{"-1":5}}}})",
        R"({"topics":{"a":{"logEnd":1,"queues":{"0":4611686018427387904}}}})",
        R"({"topics":{"a/b":{"logEnd":1,"queues":{"0":4}}}})", R"({"topics":{"a":7}})"}) {
    EXPECT_FALSE(topics.read(text)) << text;
  }
  EXPECT_EQ(topics.all().size(), 3u) << "a bad file changes nothing";
}

}  // namespace
}  // namespace drydock::test
