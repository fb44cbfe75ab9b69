// A broker as its clients see it, over the simulated network.
#include "engine/broker/broker.hpp"

#include <gtest/gtest.h>

#include "engine/wire/send_message.hpp"
#include "tests/support/raw_client.hpp"

namespace drydock::test {
namespace {

SendMessageHeader header_for(std::string_view topic) {
  SendMessageHeader header;
  header.producer_group = "g";
  header.topic = topic;
  header.properties = "KEYS\x01k\x02";
  return header;
}
SharedBytes request(const SendMessageHeader& header, std::int32_t opaque, std::int32_t flag = 0,
                    RequestCode code = RequestCode::send_message_v2) {
  CommandHead head;
  head.code = static_cast<std::int32_t>(code);
  head.opaque = opaque;
  head.flag = flag;
  return encode_command(head, header, {}, as_byte_span("body"));
}

TEST(BrokerServe, TellsWhenItAccepts) {
  BrokerWorld world;
  EXPECT_EQ(world.count(EventName::serving_started), 0u);
  world.start_broker();
  EXPECT_EQ(world.count(EventName::serving_started), 1u);
}

TEST(BrokerServe, AResponseNamesThePlaceOfTheMessage) {
  BrokerWorld world;
  world.start_broker();
  RawClient client(world);
  SendMessageHeader header = header_for("orders");
  header.queue_id = 2;
  const auto responses = client.ask(request(header, 77));
  ASSERT_EQ(responses.size(), 1u);
  EXPECT_EQ(responses[0].head.code, 0);
  EXPECT_EQ(responses[0].head.opaque, 77);
  EXPECT_TRUE(responses[0].is_response());
  const auto receipt = decode_send_message_response(responses[0].ext_fields.span());
  ASSERT_TRUE(receipt.has_value());
  EXPECT_EQ(receipt->message_id.offset, PhysicalOffset(0));
  EXPECT_EQ(receipt->message_id.store_host, BrokerWorld::broker_endpoint());
  EXPECT_EQ(receipt->queue_id, 2);
  EXPECT_EQ(receipt->queue_offset, QueueOffset(0));
}

// As Java clients send unless they are told otherwise: the answer has a JSON header too.
TEST(BrokerServe, AClientMaySpeakJson) {
  BrokerWorld world;
  world.start_broker();
  RawClient client(world);
  CommandHead head = request_head(RequestCode::send_message_v2, 5);
  head.serialize_type = SerializeType::json;
  const auto responses =
      client.ask(encode_command(head, header_for("orders"), {}, as_byte_span("body")));
  ASSERT_EQ(responses.size(), 1u);
  EXPECT_EQ(responses[0].head.code, 0);
  EXPECT_EQ(responses[0].head.opaque, 5);
  EXPECT_EQ(responses[0].head.serialize_type, SerializeType::json);
  EXPECT_TRUE(decode_send_message_response(responses[0].ext_fields.span()).has_value());
  EXPECT_EQ(find_property(world.stored_properties().at(0), "KEYS"), "k");
}

TEST(BrokerServe, StoresItsOwnPropertiesBesideTheSenders) {
  BrokerWorld world;
  world.configuration.broker_cluster_name = "Trade";
  world.start_broker();
  RawClient client(world);
  ASSERT_EQ(client.code_of(request(header_for("orders"), 1)), 0);
  const auto stored = world.stored_properties();
  ASSERT_EQ(stored.size(), 1u);
  EXPECT_EQ(find_property(stored[0], "KEYS"), "k");
  EXPECT_EQ(find_property(stored[0], "CLUSTER"), "Trade");
  EXPECT_EQ(find_property(stored[0], "TRACE_ON"), "true");
  EXPECT_EQ(find_property(stored[0], "UNIQ_KEY").size(), 32u);
}

// The flag says how long the hosts of a record are, so a sender must not choose it: recovery would
// end at such a record, and cut what follows.
TEST(BrokerServe, TheSendersHostFlagsAreNotStored) {
  BrokerWorld world;
  world.start_broker();
  RawClient client(world);
  for (const std::int32_t flag : {0x10, 0x20, 0x30, 0x0}) {
    SendMessageHeader header = header_for("orders");
    header.sys_flag = flag;
    ASSERT_EQ(client.code_of(request(header, 1)), 0) << flag;
  }
  EXPECT_EQ(world.stored_properties().size(), 4u);
}

TEST(BrokerServe, AQueueIdBelowZeroMeansAnyQueue) {
  BrokerWorld world;
  world.start_broker();
  RawClient client(world);
  SendMessageHeader header = header_for("orders");
  header.queue_id = -1;
  const auto responses = client.ask(request(header, 1));
  ASSERT_EQ(responses.size(), 1u);
  const auto receipt = decode_send_message_response(responses[0].ext_fields.span());
  ASSERT_TRUE(receipt.has_value());
  EXPECT_GE(receipt->queue_id, 0);
  EXPECT_LT(receipt->queue_id, 4);  // What the client asked for when it made the topic.
}

TEST(BrokerServe, ChecksComeInRocketMqsOrder) {
  BrokerWorld world;
  world.configuration.default_topic_queue_nums = 3;
  world.start_broker();
  RawClient client(world);
  std::int32_t opaque = 0;
  const auto code = [&](const SendMessageHeader& header) {
    return client.code_of(request(header, ++opaque));
  };
  EXPECT_EQ(code(header_for("bad topic")), 29);
  EXPECT_EQ(code(header_for(std::string(128, 't'))), 29);
  EXPECT_EQ(code(header_for("SCHEDULE_TOPIC_XXXX")), 16);
  SendMessageHeader queue = header_for("orders");
  queue.queue_id = 3;  // The client asked for 4, the broker gives at most 3.
  EXPECT_EQ(code(queue), 29);
  SendMessageHeader model = header_for("new");
  model.default_topic = "other";
  EXPECT_EQ(code(model), 17);
  SendMessageHeader delayed = header_for("orders");
  delayed.properties =
      "TIMER_DELAY_SEC\x01"
      "3\x02";
  EXPECT_EQ(code(delayed), 3);
  SendMessageHeader half = header_for("orders");
  half.sys_flag = sys_flag::kTransactionPrepared;
  EXPECT_EQ(code(half), 3);
  EXPECT_EQ(world.count(EventName::store_appended), 0u);
}

TEST(BrokerServe, WithoutAutoCreationATopicDoesNotExist) {
  BrokerWorld world;
  world.configuration.auto_create_topic_enable = false;
  world.start_broker();
  RawClient client(world);
  EXPECT_EQ(client.code_of(request(header_for("orders"), 1)), 17);
}

TEST(BrokerServe, UnknownRequestsAreRefusedAndOneWayOnesNotAnswered) {
  BrokerWorld world;
  world.start_broker();
  RawClient client(world);
  EXPECT_EQ(client.code_of(request(header_for("orders"), 1, 0, RequestCode{400})), 3);
  EXPECT_EQ(client.code_of(request(header_for("orders"), 2, kFlagOneWay)), -1);
  EXPECT_EQ(client.ended(), std::nullopt);
  EXPECT_EQ(world.count(EventName::store_appended), 1u);  // Stored all the same.
}

// docs/compatibility.md, of what is not served: pop, what the admin tool asks for or changes, and a
// group's threshold for cold data.
TEST(BrokerServe, PopAndAdministrationAreRefused) {
  BrokerWorld world;
  world.start_broker();
  RawClient client(world);
  std::int32_t opaque = 0;
  for (const std::int32_t code : {200050, 200051, 200052, 200053, 200054, 200055, 200056, 200057,
                                  25, 26, 200, 207, 306, 315, 316, 2001, 2002, 2003}) {
    EXPECT_EQ(client.code_of(request(header_for("orders"), ++opaque, 0, RequestCode{code})), 3)
        << code;
  }
  EXPECT_EQ(world.count(EventName::store_appended), 0u);
}

TEST(BrokerServe, AHeaderThatLacksAFieldIsASystemError) {
  BrokerWorld world;
  world.start_broker();
  RawClient client(world);
  CommandHead head;
  head.code = 310;
  EXPECT_EQ(client.code_of(encode_command(head, NoFields(), {}, as_byte_span("x"))), 1);
}

TEST(BrokerServe, BytesThatAreNoFrameCloseTheConnection) {
  BrokerWorld world;
  world.start_broker();
  {
    RawClient client(world);
    client.ask(SharedBytes::copy_of("GET / HTTP/1.1\r\n\r\n"));
    EXPECT_TRUE(client.ended().has_value());
  }
  RawClient client(world);
  client.ask(SharedBytes::copy_of(unhex("00000006 00000002 7b7b")));
  EXPECT_TRUE(client.ended().has_value());
  ASSERT_EQ(world.log.size(), 2u);
  EXPECT_NE(world.log[1].find("malformed header"), std::string::npos);
  RawClient other(world);  // Others are not disturbed.
  EXPECT_EQ(other.code_of(request(header_for("orders"), 1)), 0);
}

TEST(BrokerServe, ASendToAFullQueueIsRefusedAsBusy) {
  BrokerWorld world;
  world.configuration.send_message_thread_pool_nums = 1;
  world.configuration.send_thread_pool_queue_capacity = 2;
  world.files.block_stores = true;
  world.files.store_time = Duration::ms(100);
  world.start_broker();
  Client client(world, {.retries = 0});
  std::vector<PendingSend> sends;
  for (std::uint64_t i = 0; i < 5; ++i) sends.push_back(client.send(outgoing(i)));
  world.run_for(Duration::s(2));
  int busy = 0;
  for (const PendingSend& send : sends) busy += send->detail() == SendDetail::system_busy ? 1 : 0;
  EXPECT_EQ(busy, 2);  // One is served, two wait.
}

TEST(BrokerServe, APutLockHeldForTooLongRefusesBeforeTheQueue) {
  BrokerWorld world;
  world.start_broker();
  Client client(world, {.retries = 0});
  ASSERT_EQ(client.send_now(outgoing(1)).status, SendStatus::acked);
  world.files.block_stores = true;
  world.files.store_time = Duration::s(2);
  const PendingSend stuck = client.send(outgoing(2));
  world.run_for(Duration::ms(1500));
  const PendingSend refused = client.send(outgoing(3));
  world.run_for(Duration::s(1));
  EXPECT_EQ(stuck->status(), SendStatus::acked);
  EXPECT_EQ(refused->detail(), SendDetail::system_busy);
}

TEST(BrokerServe, AnOrderlyStopEndsConnectionsAndTheNextStartGoesOn) {
  BrokerWorld world;
  sim::SimProcess& first = world.start_broker();
  Client client(world);
  const SendOutcome before = client.send_now(outgoing(1));
  first.terminate();
  world.run_for(Duration::s(1));
  EXPECT_EQ(first.end(), sim::ProcessEnd::exited);
  EXPECT_FALSE(world.files.exists("/store/abort"));
  world.start_broker();
  const SendOutcome after = client.send_now(outgoing(2));
  ASSERT_EQ(after.status, SendStatus::acked);
  EXPECT_GT(*after.physical_offset, *before.physical_offset);
  EXPECT_EQ(after.queue_offset, QueueOffset(1));
}

TEST(BrokerServe, ABrokerThatCannotLoadItsStoreSaysSoAndExits) {
  BrokerWorld world;
  world.files.put("/store/commitlog/00000000000000000000", Bytes(5));
  sim::SimProcess& process = world.start_broker();
  world.run_for(Duration::s(1));
  EXPECT_EQ(process.end(), sim::ProcessEnd::exited);
  EXPECT_EQ(world.count(EventName::serving_started), 0u);
  EXPECT_FALSE(world.log.empty());
}

TEST(BrokerServe, ASecondBrokerOnTheStoreIsRefusedByTheLock) {
  BrokerWorld world;
  world.start_broker();
  sim::SimProcess& second = world.start_broker();
  world.run_for(Duration::s(1));
  EXPECT_EQ(second.end(), sim::ProcessEnd::exited);
  EXPECT_EQ(world.count(EventName::serving_started), 1u);
}

TEST(BrokerServe, AnIdleConnectionIsClosedAfterTwoMinutes) {
  BrokerWorld world;
  world.start_broker();
  RawClient client(world);
  ASSERT_EQ(client.code_of(request(header_for("orders"), 1)), 0);
  client.responses_within(Duration::s(118));
  EXPECT_FALSE(client.ended().has_value());
  client.responses_within(Duration::s(3));
  EXPECT_TRUE(client.ended().has_value());
}

// Here the port is the one on which the broker listens for slaves. It serves all the same.
TEST(BrokerServe, AFastChannelThatItCannotHaveIsToldWithItsPort) {
  BrokerWorld world;
  sim::SimProcess& process = world.host(1).spawn("broker");
  process.attach(world.network.attach(world.host(1), process), world.files.attach());
  process.start([&world](Context& context) {
    BrokerWatch watch;
    watch.fast_port = world.configuration.ha_port();
    return run_broker(context, world.configuration, std::move(watch));
  });
  world.run_for(Duration());
  EXPECT_EQ(world.count(EventName::serving_started), 1u);
  EXPECT_EQ(std::ranges::count(world.log, "can't listen for the fast channel on port 10912: busy"),
            1);
}

// Two first sends of a topic: the second one finds it, but not yet in the file.
TEST(BrokerServe, NoSendIsAnsweredBeforeItsNewTopicIsSaved) {
  BrokerConfiguration configuration = small_broker();
  configuration.store.flush_disk_type = FlushDiskType::async_flush;
  configuration.store.behaviour.set(BehaviourSwitch::config_rewritten_in_place,
                                    BehaviourValue::hardened);
  BrokerWorld world(configuration);
  world.start_broker();
  Client client(world);
  world.run_for(Duration::s(1));
  world.files.sync_time = Duration::ms(300);
  const PendingSend first = client.send(outgoing(1));
  const PendingSend second = client.send(outgoing(2));
  world.run_for(Duration::ms(200));
  EXPECT_FALSE(first->done());
  EXPECT_FALSE(second->done());
  world.run_for(Duration::s(1));
  EXPECT_EQ(first->status(), SendStatus::acked);
  EXPECT_EQ(second->status(), SendStatus::acked);
}

}  // namespace
}  // namespace drydock::test
