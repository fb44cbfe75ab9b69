// Name servers, brokers and a producer together, over the simulated network: what a producer does
// when brokers and name servers come, die, are cut off and come back. Facts: HA
// reference, 5.3, 6.1, 6.2 and 7.1.
#include <gtest/gtest.h>

#include <set>

#include "engine/wire/request_connection.hpp"
#include "tests/support/route_world.hpp"

namespace drydock::test {
namespace {

std::vector<SendDetail> details(const SendOutcome& outcome) {
  std::vector<SendDetail> all;
  for (const SendAttempt& attempt : outcome.attempts) all.push_back(attempt.detail);
  return all;
}

// Brokers "broker" on host 1 and "broker-b" on host 4; both name servers run.
class ClientRoutes : public ::testing::Test {
 protected:
  ClientRoutes() {
    second_files.clock = &world.host(4).clock();
    world.host(4).clock().set_wall_offset(1'700'000'000'000'000'000);
    for (const std::size_t index : {0u, 1u}) {
      name_servers.push_back(&world.start_name_server(index));
    }
  }
  sim::SimProcess& start_second_broker() {
    BrokerConfiguration copy = world.configuration;
    copy.broker_name = "broker-b";
    sim::SimProcess& process = world.host(4).spawn("second" + std::to_string(started++));
    process.attach(world.network.attach(world.host(4), process), second_files.attach());
    process.start([copy](Context& context) { return run_broker(context, copy); });
    world.run_for(Duration());
    return process;
  }
  // A topic that is made by a send exists on the broker of that send alone.
  void make_topic_on_both(std::string_view topic) {
    for (const std::size_t host : {1u, 4u}) {
      Client direct(world, {}, {}, RouteWorld::endpoint(host, world.configuration.listen_port));
      EXPECT_EQ(send(direct, 0, topic, Duration::ms(100)).status, SendStatus::acked);
      direct.process().kill();
      world.run_for(Duration::s(1));
    }
  }
  // The outcome of a send that is over within `limit`.
  SendOutcome send(Client& client, std::uint64_t key, std::string_view topic = "orders",
                   Duration limit = Duration::ms(3'100)) {
    const PendingSend pending = client.send(outgoing(key, topic));
    world.run_for(limit);
    EXPECT_TRUE(pending->done());
    return pending->outcome.value_or(SendOutcome());
  }

  RouteWorld world;
  MemoryFiles second_files;
  std::vector<sim::SimProcess*> name_servers;
  int started = 0;
};

TEST_F(ClientRoutes, AProducerFindsItsBrokerAndUsesTheQueuesInTurn) {
  world.start_broker();
  world.run_for(Duration::s(1));
  Client client(world, {}, world.name_servers());
  std::set<std::int32_t> queues;
  for (std::uint64_t i = 0; i < 4; ++i) {
    const SendOutcome outcome = send(client, i);
    ASSERT_EQ(outcome.status, SendStatus::acked);
    EXPECT_EQ(outcome.attempts.at(0).broker, BrokerWorld::broker_endpoint());
    queues.insert(outcome.attempts.at(0).queue_id);
  }
  EXPECT_EQ(queues, (std::set<std::int32_t>{0, 1, 2, 3}));
}

// TBW102 has 8 queues on the broker; the client asks for 4 of them.
TEST_F(ClientRoutes, ANewTopicGoesWhereTheModelIsAndIsKnownFromThenOn) {
  world.start_broker();
  world.run_for(Duration::s(1));
  Client client(world, {}, world.name_servers());
  EXPECT_EQ(send(client, 1).status, SendStatus::acked);
  RouteAsker asker(world, world.name_server(0));
  const auto route = asker.route("orders");
  ASSERT_TRUE(route.has_value());
  EXPECT_EQ(route->queues.at(0).write_queues, 4);
  // The model's, and with the first refresh, 10 ms after the start, the topic's own: with
  // permission 6 instead of 7. Later ones bring the same again.
  EXPECT_EQ(world.count(EventName::client_route_changed), 2u);
  world.run_for(Duration::s(35));
  EXPECT_EQ(world.count(EventName::client_route_changed), 2u);
}

TEST_F(ClientRoutes, WithoutBrokersThereIsNoRoute) {
  Client client(world, {}, world.name_servers());
  const SendOutcome outcome = send(client, 1);
  EXPECT_EQ(outcome.status, SendStatus::failed);
  EXPECT_EQ(outcome.detail, SendDetail::no_route);
  EXPECT_TRUE(outcome.attempts.empty());
  world.start_broker();
  world.run_for(Duration::ms(10));
  EXPECT_EQ(send(client, 2).status, SendStatus::acked);  // Asked again at once.
}

TEST_F(ClientRoutes, ARetryGoesToTheOtherBrokerAndARefreshForgetsTheDeadOne) {
  world.start_broker();
  sim::SimProcess& second = start_second_broker();
  world.run_for(Duration::s(1));
  make_topic_on_both("orders");
  Client client(world, {}, world.name_servers());
  std::set<std::uint32_t> brokers;
  for (std::uint64_t i = 0; i < 8; ++i) {
    const SendOutcome outcome = send(client, i, "orders", Duration::ms(100));
    ASSERT_EQ(outcome.status, SendStatus::acked);
    brokers.insert(outcome.attempts.at(0).broker.address);
  }
  EXPECT_EQ(brokers.size(), 2u);
  second.kill();
  world.run_for(Duration::ms(10));
  int retried = 0;
  for (std::uint64_t i = 10; i < 18; ++i) {
    // The producer waits longer before each new attempt to connect, up to 1 s.
    const SendOutcome outcome = send(client, i, "orders", Duration::ms(1'100));
    EXPECT_EQ(outcome.status, SendStatus::acked);
    if (outcome.attempts.size() < 2) continue;
    ++retried;
    EXPECT_EQ(details(outcome),
              (std::vector<SendDetail>{SendDetail::not_connected, SendDetail::none}));
    EXPECT_NE(outcome.attempts[0].broker, outcome.attempts[1].broker);
  }
  EXPECT_GT(retried, 0);
  world.run_for(Duration::s(31));
  for (std::uint64_t i = 20; i < 28; ++i) {
    EXPECT_EQ(send(client, i, "orders", Duration::ms(100)).attempts.size(), 1u);
  }
}

// 6.1: a refresh that finds the topic unknown keeps the old route.
TEST_F(ClientRoutes, AKilledBrokerThatComesBackIsUsedAgain) {
  sim::SimProcess& broker = world.start_broker();
  world.run_for(Duration::s(1));
  Client client(world, {}, world.name_servers());
  ASSERT_EQ(send(client, 1).status, SendStatus::acked);
  broker.kill();
  world.run_for(Duration::s(40));
  const SendOutcome outcome = send(client, 2);
  EXPECT_EQ(outcome.status, SendStatus::failed);
  EXPECT_EQ(details(outcome), std::vector<SendDetail>(3, SendDetail::not_connected));
  world.start_broker();
  world.run_for(Duration::s(1));
  EXPECT_EQ(send(client, 3).status, SendStatus::acked);
}

// 5.3 and 7.2: 120 s of silence, and up to 30 s until the client looks again.
TEST_F(ClientRoutes, ABrokerThatIsCutOffFromTheNameServersLeavesTheRouteAfter120Seconds) {
  world.start_broker();
  start_second_broker();
  world.run_for(Duration::s(1));
  make_topic_on_both("orders");
  Client client(world, {}, world.name_servers());
  ASSERT_EQ(send(client, 1).status, SendStatus::acked);
  ASSERT_EQ(send(client, 2).status, SendStatus::acked);
  world.run_to(Duration::s(45));  // Both registered at 40 s.
  world.cut(4, 2);
  world.cut(4, 3);
  const auto addresses = [&](std::uint64_t first_key) {
    std::set<std::uint32_t> used;
    for (std::uint64_t i = 0; i < 8; ++i) {
      used.insert(
          send(client, first_key + i, "orders", Duration::ms(100)).attempts.at(0).broker.address);
    }
    return used.size();
  };
  world.run_to(Duration::s(158));
  EXPECT_EQ(addresses(100), 2u);
  world.run_to(Duration::s(195));  // Forgotten at 160 s.
  EXPECT_EQ(addresses(200), 1u);
}

TEST_F(ClientRoutes, AKnownRouteOutlivesAllNameServers) {
  world.start_broker();
  world.run_for(Duration::s(1));
  Client client(world, {}, world.name_servers());
  ASSERT_EQ(send(client, 1).status, SendStatus::acked);
  for (sim::SimProcess* const name_server : name_servers) name_server->kill();
  world.run_for(Duration::s(300));
  EXPECT_EQ(send(client, 2).status, SendStatus::acked);
  const SendOutcome other = send(client, 3, "payments");
  EXPECT_EQ(other.detail, SendDetail::no_route);
  world.start_name_server(0);
  world.run_for(Duration::s(31));  // The broker registers within 30 s.
  EXPECT_EQ(send(client, 4, "payments").status, SendStatus::acked);
}

TEST_F(ClientRoutes, TheNextNameServerIsAskedIfOneIsGone) {
  world.start_broker();
  world.run_for(Duration::s(1));
  for (const std::size_t dead : {0u, 1u}) {
    Client client(world, {}, world.name_servers());
    ASSERT_EQ(send(client, 1, "topic-a").status, SendStatus::acked);
    name_servers[dead]->kill();
    world.run_for(Duration::ms(10));
    EXPECT_EQ(send(client, 2, "topic-b").status, SendStatus::acked);
    EXPECT_EQ(send(client, 3, "topic-c").status, SendStatus::acked);
    world.start_name_server(dead);
    world.run_for(Duration::s(31));
    client.process().kill();
    world.run_for(Duration::ms(10));
  }
}

// A heartbeat every 30 s keeps the connection alive that a broker closes after 120 s of silence.
TEST_F(ClientRoutes, HeartbeatsKeepTheConnectionOfASilentProducer) {
  world.start_broker();
  world.run_for(Duration::s(1));
  Client client(world, {}, world.name_servers());
  ASSERT_EQ(send(client, 1).status, SendStatus::acked);
  const std::uint64_t before = world.network.connections();
  world.run_for(Duration::s(600));
  EXPECT_EQ(world.network.connections(), before);
  ASSERT_EQ(send(client, 2).status, SendStatus::acked);
}

TEST(ClientRoutesRun, TwoRunsHaveTheSameFingerprint) {
  const auto run = [] {
    RouteWorld world;
    world.start_name_server(0);
    sim::SimProcess& second = world.start_name_server(1);
    sim::SimProcess& broker = world.start_broker();
    Client client(world, {}, world.name_servers());
    for (std::uint64_t i = 0; i < 200; ++i) {
      client.send(outgoing(i, i % 3 == 0 ? "orders" : "payments"));
      world.run_for(Duration::ms(731));
      if (i == 60) broker.kill();
      if (i == 80) world.start_broker();
      if (i == 120) second.kill();
    }
    world.run_for(Duration::s(10));
    return world.kernel.fingerprint().digest();
  };
  EXPECT_EQ(run(), run());
}

Task<void> ask_once(RequestConnection& connection, Deadline deadline, std::size_t& timed_out) {
  SharedBytes frame =
      encode_command(request_head(RequestCode::get_all_topic_config, 0), NoFields(), {}, {});
  Result<RemotingCommand> answer = co_await connection.ask(std::move(frame), deadline);
  if (!answer && answer.error().code() == ErrorCode::timed_out) ++timed_out;
}
Task<void> ask_often(Context& context, Endpoint peer, std::size_t count, std::size_t& timed_out) {
  RequestConnection connection(context, peer, RequestConnectionOptions());
  TaskScope asking(context.scope);
  const Deadline deadline = context.clock.now() + Duration::s(1);
  for (std::size_t i = 0; i < count; ++i) asking.spawn(ask_once(connection, deadline, timed_out));
  co_await asking.join();
  co_await connection.close();
}

// A consumer has a pull at each queue of a broker, and more to ask it.
TEST(ClientConnection, MoreRequestsThanItHasNumbersForWaitTheirTurn) {
  NetWorld world;
  Actor& silent = world.actor(1);
  ASSERT_TRUE(silent.listen(10'911).has_value());
  const Pending<std::size_t> accepted = silent.accept();
  const std::size_t count = RequestConnection::kCallsMax + 10;
  std::size_t timed_out = 0;
  Actor& asker = world.actor(0);
  asker.tasks().spawn(ask_often(asker.context(), NetWorld::endpoint(1, 10'911), count, timed_out));
  world.run_for(Duration::s(2));
  EXPECT_TRUE(accepted->ok());
  EXPECT_EQ(timed_out, count);
}

}  // namespace
}  // namespace drydock::test
