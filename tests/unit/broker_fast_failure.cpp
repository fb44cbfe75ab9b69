// Requests that wait for a worker: who is refused, when, and with which words. Storage reference,
// sections 6.3 and 6.4.
#include "engine/broker/fast_failure.hpp"

#include <gtest/gtest.h>

#include "engine/wire/send_message.hpp"
#include "tests/support/raw_client.hpp"

namespace drydock::test {
namespace {

SharedBytes request(std::int32_t opaque) {
  SendMessageHeader header;
  header.producer_group = "g";
  header.topic = "orders";
  header.queue_id = 0;
  CommandHead head;
  head.code = static_cast<std::int32_t>(RequestCode::send_message_v2);
  head.opaque = opaque;
  return encode_command(head, header, {}, as_byte_span("body"));
}

std::string remark_of(const RemotingCommand& answer) {
  return std::string(as_text(answer.remark.span()));
}

// A broker with one worker for sends, which is stuck in a store for `stuck`.
class StuckBroker {
 public:
  explicit StuckBroker(Duration stuck, BrokerConfiguration configuration = small_broker())
      : world_(one_worker(std::move(configuration))) {
    process_ = &world_.start_broker();
    client_.emplace(world_);
    world_.run_to(Duration::s(2));  // From 1 s on it looks after its queues.
    EXPECT_EQ(client_->code_of(request(1)), 0);
    world_.files.block_stores = true;
    world_.files.store_time = stuck;
    client_->send(request(2));
    world_.run_for(Duration::ms(1));
  }
  BrokerWorld& world() { return world_; }
  RawClient& client() { return *client_; }
  void kill() { process_->kill(); }
  std::int64_t stored() {
    return static_cast<std::int64_t>(world_.count(EventName::store_appended));
  }

 private:
  static BrokerConfiguration one_worker(BrokerConfiguration configuration) {
    configuration.send_message_thread_pool_nums = 1;
    return configuration;
  }
  BrokerWorld world_;
  sim::SimProcess* process_ = nullptr;
  std::optional<RawClient> client_;
};

TEST(FastFailure, AfterTheWaitLimitTheFirstInTheQueueGoes) {
  StuckBroker broker(Duration::ms(600));
  broker.client().send(request(3));
  broker.world().run_for(Duration::ms(100));
  broker.client().send(request(4));
  const auto first = broker.client().responses_within(Duration::ms(120));
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first[0].head.opaque, 3);
  EXPECT_EQ(first[0].head.code, 2);
  // At the next look after 200 ms.
  const std::string remark = remark_of(first[0]);
  EXPECT_TRUE(
      remark.starts_with("[TIMEOUT_CLEAN_QUEUE]broker busy, start flow control for a "
                         "while, period in queue: 20"))
      << remark;
  EXPECT_TRUE(remark.ends_with("ms, size of queue: 1")) << remark;
  const auto second = broker.client().responses_within(Duration::ms(100));
  ASSERT_EQ(second.size(), 1u);
  EXPECT_EQ(second[0].head.opaque, 4);
  // Who was at work is answered when it is done.
  const auto stuck = broker.client().responses_within(Duration::s(1));
  ASSERT_EQ(stuck.size(), 1u);
  EXPECT_EQ(stuck[0].head.opaque, 2);
  EXPECT_EQ(stuck[0].head.code, 0);
  EXPECT_EQ(broker.stored(), 2);
}

TEST(FastFailure, AShorterWaitIsServed) {
  StuckBroker broker(Duration::ms(150));
  broker.client().send(request(3));
  const auto responses = broker.client().responses_within(Duration::s(1));
  ASSERT_EQ(responses.size(), 2u);
  EXPECT_EQ(responses[0].head.code, 0);
  EXPECT_EQ(responses[1].head.code, 0);
  EXPECT_EQ(broker.stored(), 3);
}

TEST(FastFailure, ABusyPageCacheEmptiesTheQueueHoweverYoungItIs) {
  BrokerConfiguration patient = small_broker();
  patient.wait_time_in_send_queue = Duration::s(60);
  StuckBroker broker(Duration::s(3), patient);
  broker.world().run_for(Duration::ms(950));
  broker.client().send(request(3));
  broker.client().send(request(4));
  const auto refused = broker.client().responses_within(Duration::ms(80));
  ASSERT_EQ(refused.size(), 2u);
  for (const RemotingCommand& answer : refused) {
    EXPECT_EQ(answer.head.code, 2);
    EXPECT_TRUE(remark_of(answer).starts_with("[PCBUSY_CLEAN_QUEUE]broker busy"))
        << remark_of(answer);
  }
  // Later ones do not even get into the queue.
  const auto rejected = broker.client().ask(request(5));
  ASSERT_EQ(rejected.size(), 1u);
  EXPECT_TRUE(remark_of(rejected[0]).starts_with("[REJECTREQUEST]")) << remark_of(rejected[0]);
}

TEST(FastFailure, SwitchedOffEverybodyWaits) {
  BrokerConfiguration off = small_broker();
  off.broker_fast_failure_enable = false;
  StuckBroker broker(Duration::ms(900), off);
  broker.client().send(request(3));
  const auto responses = broker.client().responses_within(Duration::s(2));
  ASSERT_EQ(responses.size(), 2u);
  EXPECT_EQ(responses[1].head.code, 0);
}

TEST(FastFailure, AFullQueueRefusesAtOnce) {
  BrokerConfiguration small = small_broker();
  small.send_thread_pool_queue_capacity = 1;
  StuckBroker broker(Duration::ms(150), small);
  broker.client().send(request(3));
  broker.client().send(request(4));
  const auto refused = broker.client().responses_within(Duration::ms(20));
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_EQ(refused[0].head.opaque, 4);
  EXPECT_TRUE(remark_of(refused[0]).starts_with("[OVERLOAD]")) << remark_of(refused[0]);
}

// The queue has a place for each worker that comes back, and nobody overtakes.
TEST(FastFailure, WhoWaitsIsServedInOrder) {
  StuckBroker broker(Duration::ms(30));
  for (std::int32_t opaque = 3; opaque <= 6; ++opaque) broker.client().send(request(opaque));
  const auto responses = broker.client().responses_within(Duration::s(1));
  ASSERT_EQ(responses.size(), 5u);
  for (std::size_t i = 0; i < responses.size(); ++i) {
    EXPECT_EQ(responses[i].head.opaque, static_cast<std::int32_t>(i) + 2);
  }
}

TEST(FastFailure, ABrokerThatIsKilledWithAQueueLeavesNothing) {
  StuckBroker broker(Duration::s(3));
  broker.client().send(request(3));
  broker.world().run_for(Duration::ms(10));
  broker.kill();
  broker.world().run_for(Duration::s(5));
  EXPECT_EQ(broker.stored(), 1);
}

}  // namespace
}  // namespace drydock::test
