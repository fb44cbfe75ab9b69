// The producer against a real broker over the simulated network: what it reports when brokers,
// networks and disks misbehave. Latency is 1 ms; a connect and a first send take a few of them.
#include "engine/client/producer.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/broker_world.hpp"

namespace drydock::test {
namespace {

std::vector<SendDetail> details(const SendOutcome& outcome) {
  std::vector<SendDetail> all;
  for (const SendAttempt& attempt : outcome.attempts) all.push_back(attempt.detail);
  return all;
}

TEST(ClientProducer, AnAckedSendKnowsItsPlaceAndItsTimes) {
  BrokerWorld world;
  world.start_broker();
  Client client(world);
  const MonotonicTime start = client.process().context().clock.now();
  const SendOutcome outcome = client.send_now(outgoing(42));
  EXPECT_EQ(outcome.status, SendStatus::acked);
  EXPECT_TRUE(outcome.returned);
  EXPECT_EQ(outcome.physical_offset, PhysicalOffset(0));
  EXPECT_EQ(outcome.queue_offset, QueueOffset(0));
  ASSERT_EQ(outcome.attempts.size(), 1u);
  EXPECT_EQ(outcome.attempts[0].invoked, start);
  EXPECT_EQ(outcome.attempts[0].completed,
            start + Duration::ms(4));  // Connect and send, 2 ms each.
  EXPECT_EQ(outcome.attempts[0].response_code, 0);
  EXPECT_EQ(world.count(EventName::send_acknowledged), 1u);
}

TEST(ClientProducer, TheStoreTellsKeyAndAttempt) {
  BrokerWorld world;
  world.start_broker();
  Client client(world);
  const SendOutcome first = client.send_now(outgoing(42));
  const SendOutcome second = client.send_now(outgoing(43));
  const auto stored = world.stored_properties();
  ASSERT_EQ(stored.size(), 2u);
  EXPECT_EQ(find_property(stored[0], "KEYS"), "42");
  EXPECT_EQ(find_property(stored[0], "ATTEMPT"), std::to_string(first.attempts[0].id));
  EXPECT_EQ(find_property(stored[1], "ATTEMPT"), std::to_string(second.attempts[0].id));
  EXPECT_NE(find_property(stored[0], "UNIQ_KEY"), find_property(stored[1], "UNIQ_KEY"));
}

TEST(ClientProducer, ManySendsShareAConnectionAndAGroupCommit) {
  BrokerWorld world;
  world.files.sync_time = Duration::ms(2);
  world.start_broker();
  world.run_for(Duration::s(1));
  Client client(world);
  client.send_now(outgoing(0));
  const std::uint64_t flushes = world.count(EventName::store_flushed);
  std::vector<PendingSend> sends;
  for (std::uint64_t i = 1; i <= 64; ++i) sends.push_back(client.send(outgoing(i)));
  world.run_for(Duration::ms(5));
  std::set<std::int64_t> places;
  for (const PendingSend& send : sends) {
    ASSERT_EQ(send->status(), SendStatus::acked);
    places.insert(send->outcome->physical_offset->value());
  }
  EXPECT_EQ(places.size(), 64u);
  EXPECT_EQ(world.network.connections(), 1u);
  EXPECT_LE(world.count(EventName::store_flushed) - flushes, 2u);
}

TEST(ClientProducer, WithoutABrokerEveryAttemptIsRefusedAndNothingIsUnknown) {
  BrokerWorld world;
  Client client(world);
  const SendOutcome outcome = client.send_now(outgoing(1));
  EXPECT_EQ(outcome.status, SendStatus::failed);
  EXPECT_EQ(details(outcome), std::vector<SendDetail>(3, SendDetail::not_connected));
  // 100 ms and 200 ms pass before the second and the third connect.
  const Duration took = outcome.attempts[2].completed - outcome.attempts[0].invoked;
  EXPECT_EQ(took, Duration::ms(306));
}

TEST(ClientProducer, SilenceUsesUpTheWholeSendInOneAttempt) {
  BrokerWorld world;
  world.start_broker();
  Client client(world);
  ASSERT_EQ(client.send_now(outgoing(1)).status, SendStatus::acked);
  world.cut(0, 1);
  const PendingSend send = client.send(outgoing(2));
  const Duration start = world.now();
  world.run_for(Duration::s(10));
  EXPECT_EQ(send->status(), SendStatus::unknown);
  EXPECT_EQ(details(*send->outcome), std::vector<SendDetail>{SendDetail::timed_out});
  EXPECT_EQ(send->at, start + Duration::s(3));
  EXPECT_FALSE(send->outcome->returned);
}

TEST(ClientProducer, AnAttemptTimeoutLeavesTimeForRetries) {
  BrokerWorld world;
  world.start_broker();
  ProducerOptions options;
  options.attempt_timeout = Duration::ms(500);
  Client client(world, options);
  ASSERT_EQ(client.send_now(outgoing(1)).status, SendStatus::acked);
  const sim::CutId cut = world.cut(1, 0, sim::Direction::one_way);  // Responses are lost.
  const PendingSend send = client.send(outgoing(2));
  world.run_for(Duration::ms(550));
  world.network.heal(cut);
  world.run_for(Duration::s(5));
  ASSERT_EQ(send->status(), SendStatus::acked);
  EXPECT_EQ(details(*send->outcome)[0], SendDetail::timed_out);
  // The first attempt was stored too: a duplicate with the same key and another attempt.
  const auto stored = world.stored_properties();
  ASSERT_EQ(stored.size(), 3u);
  EXPECT_EQ(find_property(stored[1], "KEYS"), find_property(stored[2], "KEYS"));
  EXPECT_EQ(find_property(stored[1], "UNIQ_KEY"), find_property(stored[2], "UNIQ_KEY"));
  EXPECT_NE(find_property(stored[1], "ATTEMPT"), find_property(stored[2], "ATTEMPT"));
}

TEST(ClientProducer, ATimeoutEndsTheConnectionForAllUnlessToldNotTo) {
  for (const bool close : {true, false}) {
    BrokerWorld world;
    world.start_broker();
    ProducerOptions options;
    options.close_connection_on_timeout = close;
    options.retries = 0;
    Client client(world, options);
    ASSERT_EQ(client.send_now(outgoing(1)).status, SendStatus::acked);
    world.cut(0, 1);
    const PendingSend first = client.send(outgoing(2));
    world.run_for(Duration::s(1));
    const PendingSend second = client.send(outgoing(3));
    world.run_for(Duration::s(10));
    EXPECT_EQ(first->detail(), SendDetail::timed_out);
    EXPECT_EQ(second->detail(), close ? SendDetail::connection_lost : SendDetail::timed_out);
  }
}

TEST(ClientProducer, AKilledBrokerLosesTheConnectionAndARestartedOneTakesTheRetry) {
  BrokerWorld world;
  world.files.sync_time = Duration::ms(50);
  sim::SimProcess& broker = world.start_broker();
  world.run_for(Duration::s(1));
  Client client(world);
  ASSERT_EQ(client.send_now(outgoing(1)).status, SendStatus::acked);
  const PendingSend send = client.send(outgoing(2));
  world.run_for(Duration::ms(20));
  broker.kill();
  world.run_for(Duration::ms(5));
  EXPECT_FALSE(send->done());
  world.files.sync_time = Duration();  // Recovery flushes too: the restart must not take too long.
  world.start_broker();
  world.run_for(Duration::s(5));
  ASSERT_EQ(send->status(), SendStatus::acked);
  EXPECT_EQ(details(*send->outcome)[0], SendDetail::connection_lost);
}

TEST(ClientProducer, AFlushTimeoutIsUnknownReturnedAndNotRetried) {
  BrokerWorld world;
  world.start_broker();
  ProducerOptions options;
  options.send_timeout = Duration::s(10);
  Client client(world, options);
  ASSERT_EQ(client.send_now(outgoing(1)).status, SendStatus::acked);
  world.files.sync_time = Duration::s(20);
  const SendOutcome outcome = client.send_now(outgoing(2));
  EXPECT_EQ(outcome.status, SendStatus::unknown);
  EXPECT_EQ(outcome.detail, SendDetail::flush_disk_timeout);
  EXPECT_TRUE(outcome.returned);
  EXPECT_TRUE(outcome.physical_offset.has_value());
  EXPECT_EQ(outcome.attempts.size(), 1u);
}

TEST(ClientProducer, ARefusalIsFailedAndRetriedOnlyIfRocketMqDoes) {
  BrokerWorld world;
  world.start_broker();
  Client client(world);
  const SendOutcome invalid = client.send_now(outgoing(1, "bad topic"));
  EXPECT_EQ(invalid.status, SendStatus::failed);
  EXPECT_EQ(invalid.detail, SendDetail::invalid_parameter);
  EXPECT_EQ(invalid.attempts.size(), 1u);
  const SendOutcome forbidden = client.send_now(outgoing(2, "SELF_TEST_TOPIC"));
  EXPECT_EQ(forbidden.detail, SendDetail::no_permission);
  EXPECT_EQ(forbidden.attempts.size(), 3u);
}

TEST(ClientProducer, MoreSendsThanAllowedWaitForTheirTurn) {
  BrokerWorld world;
  world.files.sync_time = Duration::ms(10);
  world.start_broker();
  world.run_for(Duration::s(1));
  ProducerOptions options;
  options.sends_in_flight_max = 2;
  Client client(world, options);
  std::vector<PendingSend> sends;
  for (std::uint64_t i = 0; i < 6; ++i) sends.push_back(client.send(outgoing(i)));
  world.run_for(Duration::ms(20));
  EXPECT_TRUE(sends[1]->done());
  EXPECT_FALSE(sends[2]->done());
  world.run_for(Duration::s(1));
  for (const PendingSend& send : sends) EXPECT_EQ(send->status(), SendStatus::acked);
}

TEST(ClientProducer, ClosingMakesSendsInFlightUnknown) {
  BrokerWorld world;
  world.start_broker();
  Client client(world, {.retries = 0});
  ASSERT_EQ(client.send_now(outgoing(1)).status, SendStatus::acked);
  const PendingSend send = client.send(outgoing(2));
  world.run_for(Duration::us(500));
  client.close();
  world.run_for(Duration::s(5));
  EXPECT_EQ(send->status(), SendStatus::unknown);
  EXPECT_EQ(send->detail(), SendDetail::connection_lost);
}

TEST(ClientProducer, ABuggifySiteGivesAttemptsUpEarly) {
  BrokerWorld world;
  world.files.sync_time = Duration::ms(100);
  world.start_broker();
  world.run_for(Duration::s(1));
  Client client(world);
  ASSERT_EQ(client.send_now(outgoing(1)).status, SendStatus::acked);
  client.process().chaos().enable(BuggifySite::client_retry_early, 1, 1);
  const SendOutcome outcome = client.send_now(outgoing(2));
  EXPECT_EQ(outcome.status, SendStatus::unknown);
  EXPECT_EQ(details(outcome)[0], SendDetail::timed_out);
  EXPECT_EQ(outcome.attempts.size(), 3u);
}

// But for the broker's look at its disk every 10 s.
TEST(ClientProducer, AnIdlePairCostsNoEvents) {
  BrokerWorld world;
  world.start_broker();
  Client client(world);
  client.send_now(outgoing(1));
  world.run_for(Duration::s(200));  // The idle connection is closed meanwhile.
  const std::uint64_t before = world.kernel.events();
  world.run_for(Duration::s(3600));
  EXPECT_EQ(world.kernel.events(), before + 3600 / 10);
}

// The same inputs give the same events, in every detail.
TEST(ClientProducer, TwoRunsHaveTheSameFingerprint) {
  const auto run = [] {
    BrokerWorld world;
    sim::SimProcess& broker = world.start_broker();
    Client client(world);
    for (std::uint64_t i = 0; i < 200; ++i) {
      OutgoingMessage message = outgoing(i);
      message.queue_id = static_cast<std::int32_t>(i % 4);
      client.send(std::move(message));
      world.run_for(Duration::us(137));
      if (i == 100) broker.kill();
      if (i == 120) world.start_broker();
    }
    world.run_for(Duration::s(10));
    return world.kernel.fingerprint().digest();
  };
  EXPECT_EQ(run(), run());
}

}  // namespace
}  // namespace drydock::test
