// A consumer with its brokers and name servers, over the simulated network: what it reads while
// brokers are sent to, die and come back. Facts: HA reference, 6.4.
#include "engine/client/pull_consumer.hpp"

#include <gtest/gtest.h>

#include "engine/client/queue_sweep.hpp"
#include "tests/support/consumer_world.hpp"

namespace drydock::test {
namespace {

using Keys = std::vector<std::uint64_t>;

class PullConsumerTest : public ::testing::Test {
 protected:
  PullConsumerTest() {
    world.start_name_server(0);
    world.start_name_server(1);
    broker = &world.start_broker();
    world.run_for(Duration::s(1));
    sender.emplace(world, ProducerOptions(), RouteWorld::name_servers());
  }
  void send(std::uint64_t first, std::uint64_t last, Duration apart = Duration::ms(20)) {
    for (std::uint64_t key = first; key <= last; ++key) {
      sender->send(outgoing(key));
      world.run_for(apart);
    }
  }

  // A wrong byte in the body of a message that the broker has stored.
  void damage(std::uint64_t key) {
    Bytes& log = world.files.at("/store/commitlog/00000000000000000000").cached;
    const std::string body = "body of " + std::to_string(key);
    const auto found = std::ranges::search(log, as_byte_span(body));
    ASSERT_FALSE(found.empty());
    found.front() ^= std::byte{1};
  }

  RouteWorld world;
  sim::SimProcess* broker = nullptr;
  std::optional<Client> sender;
};

TEST_F(PullConsumerTest, EverythingComesOnceAndInOrderWhileItIsSent) {
  send(1, 20);
  Consumer consumer(world, {}, RouteWorld::name_servers());
  send(21, 120);
  world.run_for(Duration::s(1));
  EXPECT_EQ(consumer.sorted_keys(), numbers(1, 120));
  EXPECT_TRUE(consumer.in_order());
}

TEST_F(PullConsumerTest, OneGivenBrokerIsEnough) {
  send(1, 40);
  Consumer consumer(world);
  world.run_for(Duration::s(1));
  EXPECT_EQ(consumer.sorted_keys(), numbers(1, 40));
  EXPECT_TRUE(consumer.in_order());
}

// The broker holds the pull and answers when the message comes: no poll interval lies between.
TEST_F(PullConsumerTest, AMessageArrivesWithinMilliseconds) {
  send(1, 4);
  Consumer consumer(world, {}, RouteWorld::name_servers());
  world.run_for(Duration::s(20));
  ASSERT_EQ(consumer.received.size(), 4u);
  const Duration sent = world.now();
  send(5, 5);
  ASSERT_EQ(consumer.received.size(), 5u);
  EXPECT_LE(consumer.times.back() - sent, Duration::ms(6));  // 1 ms a way: send, dispatch, answer.
}

TEST_F(PullConsumerTest, AnUnknownTopicIsNotFound) {
  Consumer by_route(world, {}, RouteWorld::name_servers());
  Consumer direct(world);
  world.run_for(Duration::s(5));
  EXPECT_EQ(by_route.start_error(), ErrorCode::not_found);
  EXPECT_EQ(direct.start_error(), ErrorCode::not_found);
}

TEST_F(PullConsumerTest, AGroupGoesOnWhereItStopped) {
  send(1, 40);
  {
    Consumer first(world, {}, RouteWorld::name_servers());
    world.run_for(Duration::s(1));
    EXPECT_EQ(first.sorted_keys(), numbers(1, 40));
    first.process().terminate();
    world.run_for(Duration::s(1));
    EXPECT_EQ(first.process().end(), sim::ProcessEnd::exited);
  }
  send(41, 60);
  Consumer second(world, {}, RouteWorld::name_servers());
  Consumer other_group(world, {.consumer_group = "other"}, RouteWorld::name_servers());
  world.run_for(Duration::s(1));
  EXPECT_EQ(second.sorted_keys(), numbers(41, 60));
  EXPECT_EQ(other_group.sorted_keys(), numbers(1, 60));
}

// HA reference, 6.4: a lock counts for 60 s at the broker, and is given back by who stops in order.
TEST_F(PullConsumerTest, AConsumerInOrderReadsWhatNobodyElseOfItsGroupHasLocked) {
  send(1, 40);
  const PullConsumerOptions ordered{.ordered = true};
  Consumer first(world, ordered, RouteWorld::name_servers());
  world.run_for(Duration::s(5));
  EXPECT_EQ(first.sorted_keys(), numbers(1, 40));
  EXPECT_TRUE(first.in_order());
  Consumer second(world, ordered, RouteWorld::name_servers());
  PullConsumerOptions elsewhere = ordered;
  elsewhere.consumer_group = "other";
  Consumer other_group(world, elsewhere, RouteWorld::name_servers());
  send(41, 60);
  world.run_for(Duration::s(60));
  EXPECT_EQ(first.sorted_keys(), numbers(1, 60));
  EXPECT_TRUE(second.keys().empty()) << "the first one renews its locks";
  EXPECT_EQ(other_group.sorted_keys(), numbers(1, 60));
  first.process().terminate();
  world.run_for(Duration::s(1));
  send(61, 70);
  world.run_for(Duration::s(25));
  EXPECT_EQ(second.sorted_keys(), numbers(61, 70)) << "asked for every 20 s";
}

// What is locked stays so for 30 s without an answer: then nothing is handed out any more.
TEST_F(PullConsumerTest, AConsumerInOrderThatWasKilledKeepsItsGroupWaitingForAMinute) {
  send(1, 10);
  const PullConsumerOptions ordered{.ordered = true};
  Consumer first(world, ordered, RouteWorld::name_servers());
  world.run_for(Duration::s(19));
  first.process().kill();
  Consumer second(world, ordered, RouteWorld::name_servers());
  send(11, 20);
  world.run_for(Duration::s(55));
  EXPECT_TRUE(second.keys().empty());
  world.run_for(Duration::s(30));
  EXPECT_GE(second.sorted_keys().size(), 10u);
  EXPECT_TRUE(second.in_order());
}

// Offsets go to the broker every 5 s, first after 10 s; the broker writes them as often. What was
// read after that is read again, and nothing is left out.
TEST_F(PullConsumerTest, AfterAKillOfAllNothingIsLeftOut) {
  send(1, 40);
  {
    Consumer first(world, {}, RouteWorld::name_servers());
    world.run_for(Duration::s(21));
    send(41, 60);
    EXPECT_EQ(first.sorted_keys(), numbers(1, 60));
    first.process().kill();
    broker->kill();
    world.run_for(Duration::s(1));
  }
  world.start_broker();
  world.run_for(Duration::s(1));
  Consumer second(world, {}, RouteWorld::name_servers());
  world.run_for(Duration::s(1));
  EXPECT_EQ(second.sorted_keys(), numbers(41, 60));
}

TEST_F(PullConsumerTest, FromMinAndFromMax) {
  send(1, 40);
  Consumer from_min(world, {.consumer_group = "a", .from = ConsumeFrom::min});
  Consumer from_max(world, {.consumer_group = "b", .from = ConsumeFrom::max});
  world.run_for(Duration::s(1));
  send(41, 44);
  world.run_for(Duration::s(1));
  EXPECT_EQ(from_min.sorted_keys(), numbers(1, 44));
  EXPECT_EQ(from_max.sorted_keys(), numbers(41, 44));
}

TEST_F(PullConsumerTest, ABrokerThatIsKilledAndComesBackIsReadOn) {
  std::vector<PendingSend> sends;
  const auto send_and_keep = [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t key = first; key <= last; ++key) {
      sends.push_back(sender->send(outgoing(key)));
      world.run_for(Duration::ms(20));
    }
  };
  send_and_keep(1, 40);
  Consumer consumer(world, {}, RouteWorld::name_servers());
  send_and_keep(41, 60);
  broker->kill();
  send_and_keep(61, 62);
  world.run_for(Duration::s(5));
  world.start_broker();
  world.run_for(Duration::s(5));
  send_and_keep(63, 80);
  world.run_for(Duration::s(5));
  Keys acked;
  for (std::uint64_t key = 1; key <= sends.size(); ++key) {
    if (sends[key - 1]->status() == SendStatus::acked) acked.push_back(key);
  }
  EXPECT_EQ(acked.size(), 78u);  // All but the two that met no broker.
  EXPECT_TRUE(std::ranges::includes(consumer.sorted_keys(), acked));
  EXPECT_TRUE(consumer.in_order());
}

// A queue that is not emptied is not pulled any more, once what waits is as much as allowed.
TEST_F(PullConsumerTest, WhatNobodyTakesStopsThePulls) {
  send(1, 1);
  PullConsumerOptions options;
  options.batch = 4;
  options.waiting_messages_max = 8;
  options.idle_pause = Duration();
  Consumer consumer(world, options, RouteWorld::name_servers());
  consumer.polls = false;
  send(2, 400);
  world.run_for(Duration::s(1));
  EXPECT_TRUE(consumer.received.empty());
  broker->kill();  // What comes from now on was waiting at the client.
  world.run_for(Duration::ms(10));
  consumer.polls = true;
  world.run_for(Duration::s(1));
  EXPECT_GE(consumer.received.size(), 4u * 8u);         // Of 4 queues.
  EXPECT_LT(consumer.received.size(), 4u * (8u + 4u));  // The last pull may exceed it.
}

Keys all_but(Keys keys, std::uint64_t left_out) {
  std::erase(keys, left_out);
  return keys;
}

// The broker checks no sums when it answers, and several messages come in one answer.
TEST_F(PullConsumerTest, ADamagedRecordIsPassedOverAndTold) {
  send(1, 40);
  damage(22);
  Consumer consumer(world, {}, RouteWorld::name_servers());
  world.run_for(Duration::s(1));
  EXPECT_EQ(consumer.sorted_keys(), all_but(numbers(1, 40), 22));
  EXPECT_EQ(consumer.damaged, 1u);
}

TEST_F(PullConsumerTest, OnlyWantedTagsCome) {
  for (std::uint64_t key = 1; key <= 40; ++key) {
    OutgoingMessage message = outgoing(key);
    message.tags = SharedBytes::copy_of(key % 2 == 0 ? "even" : "odd");
    sender->send(std::move(message));
    world.run_for(Duration::ms(20));
  }
  PullConsumerOptions options;
  options.subscription = "even";
  Consumer consumer(world, options, RouteWorld::name_servers());
  world.run_for(Duration::s(3));
  Keys even;
  for (std::uint64_t key = 2; key <= 40; key += 2) even.push_back(key);
  EXPECT_EQ(consumer.sorted_keys(), even);
}

// "Aa" and "BB" have the same hash, and a broker looks at nothing else.
TEST_F(PullConsumerTest, ATagWithTheSameHashIsNotWanted) {
  for (std::uint64_t key = 1; key <= 8; ++key) {
    OutgoingMessage message = outgoing(key);
    message.tags = SharedBytes::copy_of(key % 2 == 0 ? "Aa" : "BB");
    sender->send(std::move(message));
    world.run_for(Duration::ms(20));
  }
  PullConsumerOptions options;
  options.subscription = "x || Aa";
  Consumer consumer(world, options, RouteWorld::name_servers());
  world.run_for(Duration::s(3));
  EXPECT_EQ(consumer.sorted_keys(), (Keys{2, 4, 6, 8}));
}

// 1.10 and 6.4: without a master the consumer takes any broker of the group, and a slave serves it
// if it may be read.
TEST_F(PullConsumerTest, WithoutAMasterTheSlaveIsRead) {
  MemoryFiles slave_files;
  slave_files.clock = &world.host(4).clock();
  BrokerConfiguration slave = world.configuration;
  slave.ha.role = BrokerRole::slave;
  slave.broker_id = 1;
  slave.slave_read_enable = true;
  sim::SimProcess& process = world.host(4).spawn("slave");
  process.attach(world.network.attach(world.host(4), process), slave_files.attach());
  process.start([slave](Context& context) { return run_broker(context, slave); });
  world.run_for(Duration::s(7));
  send(1, 40);
  // It knows a topic once it has asked its master for them, a minute after its start.
  world.run_for(Duration::s(61));
  broker->kill();
  world.run_for(Duration::s(1));
  Consumer consumer(world, {}, RouteWorld::name_servers());
  world.run_for(Duration::s(2));
  EXPECT_EQ(consumer.sorted_keys(), numbers(1, 40));
  EXPECT_TRUE(consumer.in_order());
}

// What a sweep came to.
struct Swept {
  std::optional<Result<SweptQueues>> result;
  Keys keys;
};
Task<void> sweep(Context& context, Swept& swept, std::vector<Endpoint> name_servers) {
  BrokerConnections brokers(context, RequestConnectionOptions());
  QueueClient client(brokers, "judge");
  RouteOptions route{.name_servers = std::move(name_servers),
                     .groups = {.consumer_group = "judge"}};
  QueueSource source(context, brokers, std::move(route));
  const MessageVisitor visit = [&swept](const ReceivedMessage& message) {
    swept.keys.push_back(parse_decimal<std::uint64_t>(message.property("KEYS")).value_or(0));
    return true;
  };
  SweepOptions options{.topic = "orders", .patience = Duration::s(5)};
  Result<SweptQueues> result =
      co_await read_every_queue(context, source, client, std::move(options), visit);
  swept.result = std::move(result);
  co_await source.close();
  co_await brokers.close();
}

class QueueSweepTest : public PullConsumerTest {
 protected:
  void start_sweep(Swept& swept) {
    sim::SimProcess& process = world.host(0).spawn("judge" + std::to_string(sweeps_++));
    process.attach(world.network.attach(world.host(0), process), std::make_unique<NoFiles>());
    process.start(
        [&swept](Context& context) { return sweep(context, swept, RouteWorld::name_servers()); });
  }

 private:
  int sweeps_ = 0;
};

TEST_F(QueueSweepTest, EveryQueueIsReadToTheEndThatItHas) {
  send(1, 100);
  Swept swept;
  start_sweep(swept);
  world.run_for(Duration::s(2));
  ASSERT_TRUE(swept.result && swept.result->has_value());
  std::ranges::sort(swept.keys);
  EXPECT_EQ(swept.keys, numbers(1, 100));
  ASSERT_EQ((*swept.result)->size(), 4u);
  std::int64_t messages = 0;
  for (const SweptQueue& queue : **swept.result) messages += queue.next.value();
  EXPECT_EQ(messages, 100);
}

TEST_F(QueueSweepTest, ADamagedRecordIsPassedOverAndTold) {
  send(1, 40);
  damage(22);
  Swept swept;
  start_sweep(swept);
  world.run_for(Duration::s(2));
  ASSERT_TRUE(swept.result && swept.result->has_value());
  std::ranges::sort(swept.keys);
  EXPECT_EQ(swept.keys, all_but(numbers(1, 40), 22));
  std::uint64_t damaged = 0;
  for (const SweptQueue& queue : **swept.result) damaged += queue.damaged;
  EXPECT_EQ(damaged, 1u);
}

TEST_F(QueueSweepTest, ABrokerThatStaysAwayEndsItWithAnError) {
  send(1, 10);
  Swept swept;
  world.cut(0, 1);
  start_sweep(swept);
  world.run_for(Duration::s(20));
  ASSERT_TRUE(swept.result.has_value());
  EXPECT_FALSE(swept.result->has_value());
}

TEST(PullConsumerRun, TwoRunsHaveTheSameFingerprint) {
  const auto run = [] {
    RouteWorld world;
    world.start_name_server(0);
    sim::SimProcess& broker = world.start_broker();
    Client client(world, {}, RouteWorld::name_servers());
    client.send(outgoing(0));
    world.run_for(Duration::s(1));
    Consumer consumer(world, {}, RouteWorld::name_servers());
    for (std::uint64_t i = 1; i < 100; ++i) {
      client.send(outgoing(i));
      world.run_for(Duration::ms(731));
      if (i == 40) broker.kill();
      if (i == 50) world.start_broker();
    }
    return std::pair(world.kernel.fingerprint().digest(), consumer.keys());
  };
  EXPECT_EQ(run(), run());
}

}  // namespace
}  // namespace drydock::test
