// What operators ask about topics and groups, as `mqadmin` does, and what a name server is told.
#include <gtest/gtest.h>

#include "engine/wire/consumer_offset.hpp"
#include "engine/wire/register_broker.hpp"
#include "engine/wire/send_message.hpp"
#include "engine/wire/topic_admin.hpp"
#include "tests/support/raw_client.hpp"

namespace drydock::test {
namespace {

constexpr std::int32_t kReadWrite = permission::kRead | permission::kWrite;

template <class Fields>
SharedBytes request(RequestCode code, const Fields& fields, std::string_view body = {}) {
  return encode_command(request_head(code, 1), fields, {}, as_byte_span(body));
}
UpdateTopicHeader topic_of(std::string_view name, std::int32_t queues) {
  return {.topic = name, .read_queues = queues, .write_queues = queues, .permissions = kReadWrite};
}
SharedBytes update(const UpdateTopicHeader& header) {
  return request(RequestCode::update_and_create_topic, header);
}
SharedBytes stats_of(std::string_view topic) {
  return request(RequestCode::get_topic_stats_info, TopicStatsHeader{topic});
}
SharedBytes send(std::string_view topic, std::int32_t queue_id) {
  SendMessageHeader header;
  header.producer_group = "g";
  header.topic = topic;
  header.queue_id = queue_id;
  return request(RequestCode::send_message_v2, header, "body");
}

std::string body_of(const RemotingCommand& answer) {
  return std::string(as_text(answer.body.span()));
}
bool is(const RemotingCommand& answer, ResponseCode code) { return answer.is(code); }

TEST(BrokerTopicAdmin, ATopicThatAnOperatorMakesHasTheQueuesThatHeWants) {
  BrokerWorld world;
  world.start_broker();
  Asking ask(world);
  EXPECT_TRUE(is(ask(stats_of("orders")), ResponseCode::topic_not_exist));
  EXPECT_TRUE(is(ask(update(topic_of("orders", 2))), ResponseCode::success));
  EXPECT_TRUE(is(ask(send("orders", 1)), ResponseCode::success));
  EXPECT_TRUE(is(ask(send("orders", 2)), ResponseCode::invalid_parameter));
  EXPECT_TRUE(is(ask(update(topic_of("orders", 3))), ResponseCode::success));
  EXPECT_TRUE(is(ask(send("orders", 2)), ResponseCode::success));
  EXPECT_EQ(body_of(ask(request(RequestCode::get_topic_config, TopicStatsHeader{"orders"}))),
            R"({"attributes":{},"order":false,"perm":6,"readQueueNums":3,)"
            R"("topicFilterType":"SINGLE_TAG","topicName":"orders","topicSysFlag":0,)"
            R"("writeQueueNums":3})");
  const std::string told = body_of(ask(stats_of("orders")));
  EXPECT_NE(told.find(R"("queueId":0,"topic":"orders"}:{"lastUpdateTimestamp":0,"maxOffset":0)"),
            std::string::npos)
      << told;
  EXPECT_NE(told.find(R"("queueId":2,"topic":"orders"}:{"lastUpdateTimestamp":17)"),
            std::string::npos)
      << told;
}

SharedBytes remove(std::string_view topic) {
  return request(RequestCode::delete_topic_in_broker, TopicStatsHeader{topic});
}

TEST(BrokerTopicAdmin, ATopicThatIsDeletedIsGoneWithItsQueuesAndOffsets) {
  BrokerWorld world;
  world.configuration.auto_create_topic_enable = false;
  world.start_broker();
  Asking ask(world);
  ask(update(topic_of("orders", 2)));
  ask(update(topic_of("others", 1)));
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(is(ask(send("orders", 1)), ResponseCode::success));
    ASSERT_TRUE(is(ask(send("others", 0)), ResponseCode::success));
  }
  world.run_for(Duration::s(1));
  const std::string queue = "/store/consumequeue/orders/1/00000000000000000000";
  ASSERT_TRUE(world.files.exists(queue));
  EXPECT_TRUE(is(ask(remove("orders")), ResponseCode::success));
  EXPECT_FALSE(world.files.exists(queue));
  EXPECT_FALSE(world.files.exists("/store/consumequeue/orders"));
  EXPECT_EQ(world.files.at("/store/config/topics.json").cached.size() > 0, true);
  EXPECT_TRUE(is(ask(stats_of("orders")), ResponseCode::topic_not_exist));
  EXPECT_FALSE(is(ask(send("orders", 1)), ResponseCode::success));
  EXPECT_TRUE(is(ask(remove("orders")), ResponseCode::success)) << "as RocketMQ answers";
  // The other one is as it was, and the same name begins anew.
  EXPECT_NE(body_of(ask(stats_of("others"))).find(R"("maxOffset":3)"), std::string::npos);
  ask(update(topic_of("orders", 2)));
  ASSERT_TRUE(is(ask(send("orders", 1)), ResponseCode::success));
  world.run_for(Duration::s(1));
  EXPECT_NE(body_of(ask(stats_of("orders"))).find(R"("maxOffset":1)"), std::string::npos);
}

TEST(BrokerTopicAdmin, TopicsOfTheSystemAreNotDeleted) {
  BrokerWorld world;
  world.start_broker();
  Asking ask(world);
  for (const char* const topic : {"TBW102", "SCHEDULE_TOPIC_XXXX", "DefaultCluster", ""}) {
    EXPECT_FALSE(is(ask(remove(topic)), ResponseCode::success)) << topic;
  }
}

// B025: whatever dispatch, a flush and a reader are at when a topic goes, nothing of them is left,
// and the other topics have all of theirs.
TEST(BrokerTopicAdmin, TopicsComeAndGoWhileTheirMessagesAreDispatchedAndFlushed) {
  for (std::int64_t step_us = 100; step_us <= 3000; step_us += 100) {
    BrokerConfiguration configuration = small_broker();
    configuration.store.mapped_file_size_consume_queue = 60;  // Three messages.
    BrokerWorld world(configuration);
    world.files.block_stores = true;
    world.files.store_time = Duration::us(300);
    world.files.sync_time = Duration::us(700);
    world.start_broker();
    RawClient client(world);
    client.ask(update(topic_of("kept", 1)));
    int sent = 0;
    for (int round = 0; round < 10; ++round) {
      client.ask(update(topic_of("passing", 1)));
      for (int i = 0; i < 7; ++i) {
        client.send(send("passing", 0));
        client.send(send("kept", 0));
        ++sent;
      }
      world.run_for(Duration::us(step_us));
      EXPECT_EQ(client.ask(remove("passing")).size(), 15u);
    }
    const std::string told = body_of(client.ask(stats_of("kept")).at(0));
    EXPECT_NE(told.find("\"maxOffset\":" + std::to_string(sent)), std::string::npos) << told;
    client.ask(remove("passing"));
    world.run_for(Duration::s(70));
    for (const std::string& path : world.files.paths()) {
      EXPECT_EQ(path.find("/consumequeue/passing/"), std::string::npos) << path;
    }
  }
}

TEST(BrokerTopicAdmin, ATopicThatIsMadeAgainGetsItsFilesOnceTheOldOnesAreGone) {
  BrokerWorld world;
  sim::SimProcess& broker = world.start_broker();
  {
    RawClient client(world);
    client.ask(update(topic_of("orders", 1)));
    client.ask(send("orders", 0));
    world.files.remove_time = Duration::ms(300);
    client.send(remove("orders"));
    world.run_for(Duration::ms(100));  // The first file is being removed.
    client.send(update(topic_of("orders", 1)));
    client.send(send("orders", 0));
    world.run_for(Duration::s(3));
  }
  world.files.remove_time = Duration();
  const std::string queue = "/store/consumequeue/orders/0/00000000000000000000";
  EXPECT_TRUE(world.files.exists(queue));
  broker.terminate();
  world.run_for(Duration::s(2));
  world.start_broker();
  Asking ask(world);
  const std::string told = body_of(ask(stats_of("orders")));
  EXPECT_NE(told.find(R"("maxOffset":1)"), std::string::npos) << told;
}

TEST(BrokerTopicAdmin, ExpiredFilesGoWhenAnOperatorAsks) {
  BrokerConfiguration configuration = small_broker();
  configuration.store.mapped_file_size_commit_log = 4096;
  configuration.store.retention.file_reserved_time = Duration();
  BrokerWorld world(configuration);
  world.start_broker();
  Asking ask(world);
  for (int i = 0; i < 60; ++i) ask(send("TBW102x", 0));
  world.run_for(Duration::s(61));
  EXPECT_EQ(world.count(EventName::store_file_deleted), 0u);
  EXPECT_TRUE(is(ask(request(RequestCode::delete_expired_commitlog, TopicStatsHeader{""})),
                 ResponseCode::success));
  world.run_for(Duration::s(10));
  EXPECT_GT(world.count(EventName::store_file_deleted), 0u);
}

TEST(BrokerTopicAdmin, TopicsOfTheSystemAndOddOnesAreRefused) {
  BrokerWorld world;
  world.start_broker();
  Asking ask(world);
  for (const std::string_view name :
       {"TBW102", "SCHEDULE_TOPIC_XXXX", "rmq_sys_wheel_timer", "DefaultCluster", "a,b", "a/b"}) {
    EXPECT_TRUE(is(ask(update(topic_of(name, 1))), ResponseCode::invalid_parameter)) << name;
  }
  UpdateTopicHeader odd = topic_of("orders", 1);
  odd.permissions = 64;
  EXPECT_TRUE(is(ask(update(odd)), ResponseCode::invalid_parameter));
  odd = topic_of("orders", 65'536);
  EXPECT_TRUE(is(ask(update(odd)), ResponseCode::invalid_parameter));
  odd = topic_of("orders", 1);
  odd.attributes = "+message.type=FIFO";
  EXPECT_TRUE(is(ask(update(odd)), ResponseCode::invalid_parameter));
  odd = topic_of("orders", -1);
  EXPECT_TRUE(is(ask(update(odd)), ResponseCode::system_error));
  EXPECT_TRUE(is(ask(stats_of("orders")), ResponseCode::topic_not_exist));
}

// 65,535 queues with long names take more than 16 MiB.
TEST(BrokerTopicAdmin, StatisticsThatNoFrameHoldsAreRefusedWithAReason) {
  BrokerConfiguration configuration = small_broker();
  configuration.broker_name = std::string(100, 'b');
  BrokerWorld world(configuration);
  world.start_broker();
  Asking ask(world);
  const std::string name(127, 't');
  const auto refused = [](const RemotingCommand& answer) {
    return is(answer, ResponseCode::system_error) &&
           as_text(answer.remark.span()).starts_with("the statistics of so many queues");
  };
  const auto consumed = [&](std::string_view topic) {
    return ask(request(RequestCode::get_consume_stats, ConsumeStatsHeader{"g", topic}));
  };
  ASSERT_TRUE(is(ask(update(topic_of(name, kQueuesMax))), ResponseCode::success));
  EXPECT_TRUE(refused(ask(stats_of(name))));
  EXPECT_TRUE(refused(consumed(name)));
  // Several topics, each of which would fit.
  for (const std::string_view topic : {"one", "two"}) {
    ASSERT_TRUE(is(ask(update(topic_of(topic, kQueuesMax))), ResponseCode::success));
    EXPECT_TRUE(is(ask(stats_of(topic)), ResponseCode::success));
    EXPECT_TRUE(is(consumed(topic), ResponseCode::success));
    ConsumerOffsetHeader offset;
    offset.consumer_group = "g";
    offset.queue = {topic, 0};
    offset.commit_offset = 0;
    ask(request(RequestCode::update_consumer_offset, offset));
  }
  EXPECT_TRUE(refused(consumed({})));
}

// A topic that is known and not saved is gone with the broker.
TEST(BrokerTopicAdmin, WhoAsksForATopicThatCannotBeSavedIsToldOrNot) {
  for (const bool hardened : {false, true}) {
    BrokerConfiguration configuration = small_broker();
    configuration.store.behaviour.set(
        BehaviourSwitch::config_rewritten_in_place,
        hardened ? BehaviourValue::hardened : BehaviourValue::faithful);
    BrokerWorld world(configuration);
    world.start_broker();
    Asking ask(world);
    world.files.failing_path = "topics.json";
    world.files.write_failures = 1;
    const RemotingCommand answer = ask(update(topic_of("orders", 2)));
    EXPECT_EQ(world.files.write_failures, 0);
    EXPECT_TRUE(is(answer, hardened ? ResponseCode::system_error : ResponseCode::success));
    EXPECT_EQ(as_text(answer.remark.span()).find("topics.json can't be written") !=
                  std::string_view::npos,
              hardened);
    const auto line = std::ranges::find(world.log, "can't write /store/config/topics.json");
    EXPECT_NE(line, world.log.end());
    // Whoever asks again is told of the new attempt.
    EXPECT_TRUE(is(ask(update(topic_of("orders", 2))), ResponseCode::success));
    const std::string saved(as_text(world.files.at("/store/config/topics.json").cached));
    EXPECT_NE(saved.find("\"orders\""), std::string::npos) << saved;
  }
}

TEST(BrokerTopicAdmin, AGroupsStatisticsTellHowFarItHasCome) {
  BrokerWorld world;
  world.start_broker();
  Asking ask(world);
  ask(update(topic_of("orders", 1)));
  ask(send("orders", 0));
  ask(send("orders", 0));
  ConsumerOffsetHeader offset;
  offset.consumer_group = "g";
  offset.queue = {"orders", 0};
  offset.commit_offset = 1;
  ask(request(RequestCode::update_consumer_offset, offset));
  const std::string told =
      body_of(ask(request(RequestCode::get_consume_stats, ConsumeStatsHeader{"g", {}})));
  EXPECT_NE(told.find(R"("queueId":0,"topic":"orders"}:{"brokerOffset":2,"consumerOffset":1,)"
                      R"("lastTimestamp":17)"),
            std::string::npos)
      << told;
  EXPECT_EQ(body_of(ask(request(RequestCode::get_consume_stats, ConsumeStatsHeader{"h", {}}))),
            R"({"consumeTps":0.0,"offsetTable":{}})");
}

}  // namespace
}  // namespace drydock::test
