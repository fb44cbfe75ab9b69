// Both sides of the behaviour switches of offsets and of what the broker stores by itself.
#include <gtest/gtest.h>

#include "engine/wire/consumer_offset.hpp"
#include "engine/wire/send_back.hpp"
#include "tests/support/message_world.hpp"

namespace drydock::test {
namespace {

BrokerConfiguration broker_with(BehaviourSwitch which, bool hardened) {
  BrokerConfiguration configuration = small_broker();
  configuration.store.behaviour.set(which,
                                    hardened ? BehaviourValue::hardened : BehaviourValue::faithful);
  return configuration;
}

SharedBytes offset_request(RequestCode code, std::optional<std::int64_t> commit = {}) {
  ConsumerOffsetHeader header;
  header.consumer_group = "G";
  header.queue = {"orders", 0};
  header.commit_offset = commit;
  return encode_command(request_head(code, 9'000), header, {}, {});
}

std::int64_t stored_offset(MessageWorld& world) {
  const std::int32_t code = world.code_of(offset_request(RequestCode::query_consumer_offset));
  if (code != 0) return -1;
  return decode_offset_response(world.answered.at(0).ext_fields.span())->value();
}

void lose_messages(MemoryFiles& files) {
  for (const std::string& path : files.paths()) {
    const bool of_messages =
        path.starts_with("/store/commitlog/") || path.starts_with("/store/consumequeue/");
    if (of_messages) files.nodes.erase(path);
  }
}

// Three messages are consumed; the log loses them, the file of offsets does not lose the 3.
TEST(BrokerBehaviour, AnOffsetBehindTheEndOfItsQueueStaysOrNot) {
  for (const bool hardened : {false, true}) {
    MessageWorld world(broker_with(BehaviourSwitch::offsets_may_exceed_queue, hardened));
    for (int i = 0; i < 3; ++i) ASSERT_EQ(world.send("orders"), 0);
    ASSERT_EQ(world.code_of(offset_request(RequestCode::update_consumer_offset, 3)), 0);
    world.run_for(Duration::s(16));
    world.process->kill();
    world.run_for(Duration::s(1));
    lose_messages(world.files);
    world.restart();
    EXPECT_EQ(stored_offset(world), hardened ? 0 : 3);
    // Lowered for good: it does not grow back with the queue.
    ASSERT_EQ(world.send("orders"), 0);
    world.kill_and_restart();
    EXPECT_EQ(stored_offset(world), hardened ? 0 : 3);
  }
}

// What is lowered in memory alone comes back with a crash, in front of a queue that has grown.
TEST(BrokerBehaviour, WithoutSavingWhatItLoweredAHardenedBrokerDoesNotStart) {
  for (const bool hardened : {false, true}) {
    MessageWorld world(broker_with(BehaviourSwitch::offsets_may_exceed_queue, hardened));
    ASSERT_EQ(world.send("orders"), 0);
    ASSERT_EQ(world.code_of(offset_request(RequestCode::update_consumer_offset, 1)), 0);
    world.run_for(Duration::s(16));
    world.process->kill();
    world.run_for(Duration::s(1));
    lose_messages(world.files);
    world.files.failing_path = "consumerOffset.json";
    world.files.write_failures = 1;
    world.client.reset();
    const sim::SimProcess& failed = world.start_broker();
    world.run_for(Duration::s(1));
    EXPECT_EQ(failed.end(), hardened ? sim::ProcessEnd::exited : sim::ProcessEnd::alive);
    if (!hardened) continue;
    EXPECT_EQ(world.log.back(), "the lowered consumer offsets can't be saved: io_error");
    // The next start tries it again. Once it has succeeded there is nothing more to save.
    world.restart();
    EXPECT_EQ(stored_offset(world), 0);
    world.process->kill();
    world.run_for(Duration::s(1));
    world.files.write_failures = 1;
    world.restart();
    EXPECT_EQ(world.process->end(), sim::ProcessEnd::alive);
    EXPECT_EQ(world.files.write_failures, 1);
  }
}

SharedBytes send_back_request(const Delivered& message) {
  SendBackHeader header;
  header.offset = PhysicalOffset(message.physical_offset);
  header.group = "G";
  return encode_command(request_head(RequestCode::consumer_send_msg_back, 9'001), header, {}, {});
}

TEST(BrokerBehaviour, ASendBackIsAnsweredBeforeItsFlushOrAfterIt) {
  for (const bool hardened : {false, true}) {
    MessageWorld world(broker_with(BehaviourSwitch::internal_writes_not_awaited, hardened));
    ASSERT_EQ(world.send("orders"), 0);
    const Delivered message = world.messages("orders").at(0);
    world.files.sync_time = Duration::ms(300);
    const std::uint64_t flushes = world.count(EventName::store_flushed);
    world.client->send(send_back_request(message));
    auto responses = world.client->responses_within(Duration::ms(200));
    EXPECT_EQ(world.count(EventName::store_flushed), flushes);
    EXPECT_EQ(responses.size(), hardened ? 0u : 1u);
    if (hardened) responses = world.client->responses_within(Duration::ms(200));
    ASSERT_EQ(responses.size(), 1u);
    EXPECT_EQ(responses[0].head.code, 0);
  }
}

// Stored, and not flushed in the 5 s of syncFlushTimeout: the answer is that of a send, which does
// not say that nothing was stored.
TEST(BrokerBehaviour, ASendBackThatIsNotFlushedInTimeIsAnsweredLikeASend) {
  for (const bool hardened : {false, true}) {
    MessageWorld world(broker_with(BehaviourSwitch::internal_writes_not_awaited, hardened));
    ASSERT_EQ(world.send("orders"), 0);
    const Delivered message = world.messages("orders").at(0);
    world.files.sync_time = Duration::s(8);
    const std::uint64_t appended = world.count(EventName::store_appended);
    world.client->send(send_back_request(message));
    const auto responses = world.client->responses_within(Duration::s(7));
    EXPECT_EQ(world.count(EventName::store_appended), appended + 1);
    ASSERT_EQ(responses.size(), 1u);
    const ResponseCode wanted = hardened ? ResponseCode::flush_disk_timeout : ResponseCode::success;
    EXPECT_TRUE(responses[0].is(wanted)) << responses[0].head.code;
    EXPECT_EQ(as_text(responses[0].remark.span()), hardened ? "FLUSH_DISK_TIMEOUT" : "");
  }
}

// A delayed message counts as delivered when its copy is flushed.
TEST(BrokerBehaviour, ADelayIsOverBeforeTheFlushOfItsMessageOrAfterIt) {
  for (const bool hardened : {false, true}) {
    BrokerConfiguration configuration =
        broker_with(BehaviourSwitch::internal_writes_not_awaited, hardened);
    configuration.store.flush_disk_type = FlushDiskType::sync_flush;
    MessageWorld world(configuration);
    for (int i = 0; i < 2; ++i) ASSERT_EQ(world.send("orders", {{"DELAY", "3"}}), 0);
    world.files.sync_time = Duration::s(3);
    const std::uint64_t appended = world.count(EventName::store_appended);
    world.run_for(Duration::s(10));
    // The second one does not wait for the flush of the first, or it does.
    EXPECT_EQ(world.count(EventName::store_appended) - appended, hardened ? 1u : 2u);
  }
}

// With the slave down no copy is safe, however often that is asked: the one that is stored stays
// the only one.
TEST(BrokerBehaviour, AHardenedBrokerStoresADelayedMessageOnceWhileItsSlaveIsDown) {
  BrokerConfiguration configuration =
      broker_with(BehaviourSwitch::internal_writes_not_awaited, true);
  configuration.ha.role = BrokerRole::sync_master;
  configuration.ha.in_sync_replicas = 2;
  MessageWorld world(configuration);
  const std::uint64_t before = world.count(EventName::store_appended);
  world.send("orders", {{"DELAY", "1"}});
  world.run_for(Duration::s(60));
  EXPECT_EQ(world.count(EventName::store_appended), before + 2);  // It waits; it is delivered.
  EXPECT_EQ(world.messages("orders").size(), 1u);
}

}  // namespace
}  // namespace drydock::test
