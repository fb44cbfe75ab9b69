// The route table: who is known after which calls. Facts: HA reference, 5.1 to 5.4.
#include "engine/nameserver/route_table.hpp"

#include <gtest/gtest.h>

namespace drydock::test {
namespace {

constexpr std::string_view kFirst = "10.0.0.2:10911";
constexpr std::string_view kSecond = "10.0.0.3:10911";

MonotonicTime at_s(std::int64_t seconds) { return MonotonicTime() + Duration::s(seconds); }

TopicConfig topic(std::string name, std::int32_t queues = 4) {
  return {.topic = std::move(name), .read_queues = queues, .write_queues = queues};
}

BrokerRegistration registration(std::string_view address, std::int64_t id = 0) {
  BrokerRegistration made;
  made.header.broker = {"broker-a", address, "Trade", id};
  made.header.ha_server_addr = address;
  made.header.enable_acting_master = false;
  made.body.data_version = {.counter = 1, .timestamp_ms = 1'000};
  made.body.topics = {topic("orders"), topic("payments")};
  made.connection = static_cast<std::uint64_t>(id) + 1;
  return made;
}

class RouteTableTest : public ::testing::Test {
 protected:
  RegisterOutcome add(const BrokerRegistration& registration, MonotonicTime now = MonotonicTime()) {
    const RegisterOutcome outcome = table.register_broker(registration, now);
    table.check_invariants();
    return outcome;
  }
  std::map<std::int64_t, std::string> addresses(std::string_view name = "orders") const {
    const auto route = table.route_of(name);
    return route ? route->brokers.at(0).addresses : std::map<std::int64_t, std::string>();
  }
  std::int32_t permissions() const { return table.route_of("orders")->queues.at(0).permissions; }

  using Addresses = std::map<std::int64_t, std::string>;
  RouteTable table{RouteTable::Options()};
};

TEST_F(RouteTableTest, ARegisteredBrokersTopicsHaveARoute) {
  EXPECT_EQ(table.route_of("orders"), std::nullopt);
  const RegisterOutcome outcome = add(registration(kFirst));
  EXPECT_EQ(outcome.kind, RegisterOutcome::Kind::accepted);
  EXPECT_TRUE(outcome.added);
  const TopicRoute expected{.queues = {{.broker_name = "broker-a",
                                        .read_queues = 4,
                                        .write_queues = 4,
                                        .permissions = 6}},
                            .brokers = {{.broker_name = "broker-a",
                                         .cluster = "Trade",
                                         .addresses = {{0, std::string(kFirst)}}}}};
  EXPECT_EQ(table.route_of("orders"), expected);
  EXPECT_EQ(table.route_of("other"), std::nullopt);
}

TEST_F(RouteTableTest, ARepeatedRegistrationAddsNothing) {
  add(registration(kFirst));
  const auto before = table.route_of("orders");
  EXPECT_FALSE(add(registration(kFirst)).added);
  EXPECT_EQ(table.route_of("orders"), before);
}

TEST_F(RouteTableTest, BrokersOfATopicComeInTheOrderOfTheirNames) {
  add(registration(kSecond));
  BrokerRegistration other = registration(kFirst);
  other.header.broker.broker_name = "another";
  add(other);
  const auto route = table.route_of("orders");
  ASSERT_EQ(route->queues.size(), 2u);
  EXPECT_EQ(route->queues[0].broker_name, "another");
  EXPECT_EQ(route->brokers[1].broker_name, "broker-a");
  EXPECT_EQ(table.cluster_info().clusters.at("Trade"),
            (std::vector<std::string>{"another", "broker-a"}));
}

// 5.2: topics are taken only if the data version is another one, or the topic lacks the broker.
TEST_F(RouteTableTest, AnUnchangedVersionChangesNoQueuesButMayBringANewTopic) {
  add(registration(kFirst));
  BrokerRegistration again = registration(kFirst);
  again.body.topics = {topic("orders", 8), topic("new", 8)};
  add(again);
  EXPECT_EQ(table.route_of("orders")->queues[0].write_queues, 4);
  EXPECT_EQ(table.route_of("new")->queues[0].write_queues, 8);
  again.body.data_version.counter = 2;
  add(again);
  EXPECT_EQ(table.route_of("orders")->queues[0].write_queues, 8);
}

TEST_F(RouteTableTest, ATopicThatABrokerNoLongerHasStays) {
  add(registration(kFirst));
  BrokerRegistration fewer = registration(kFirst);
  fewer.body.topics = {topic("a"), topic("b")};
  fewer.body.data_version.counter = 2;
  add(fewer);
  EXPECT_TRUE(table.route_of("orders").has_value());
}

// 5.2, 4: what an incremental registration does after the name server has lost its memory.
TEST_F(RouteTableTest, OneTopicAloneIsRefusedFromABrokerThatIsNotThere) {
  BrokerRegistration single = registration(kFirst);
  single.body.topics = {topic("new")};
  EXPECT_EQ(add(single).kind, RegisterOutcome::Kind::unknown);
  EXPECT_EQ(table.route_of("new"), std::nullopt);
  EXPECT_TRUE(table.cluster_info().clusters.empty());
  add(registration(kFirst));
  EXPECT_EQ(add(single).kind, RegisterOutcome::Kind::accepted);
  EXPECT_TRUE(table.route_of("new").has_value());
}

// Whatever comes on the port, the memory has a bound.
TEST_F(RouteTableTest, MoreAddressesThanAreKeptAreRefusedUntilOneIsGone) {
  const auto one_of_many = [](std::size_t number, const std::string& text) {
    BrokerRegistration made = registration(text);
    made.header.broker.broker_name = text;
    made.connection = number;
    return made;
  };
  for (std::size_t i = 0; i < kAddressesMax; ++i) {
    const std::string text = "b" + std::to_string(i);
    ASSERT_TRUE(table.register_broker(one_of_many(i, text), at_s(0)).added);
  }
  EXPECT_EQ(add(one_of_many(kAddressesMax, "more")).kind, RegisterOutcome::Kind::full);
  EXPECT_EQ(table.cluster_info().brokers.count("more"), 0u);
  EXPECT_EQ(add(one_of_many(5, "b5")).kind, RegisterOutcome::Kind::accepted) << "it is known";
  EXPECT_EQ(table.connection_ended(5), 1);
  EXPECT_TRUE(add(one_of_many(kAddressesMax, "more")).added);
}

TEST_F(RouteTableTest, MoreTopicsThanAreKeptAreRefusedAsAWhole) {
  BrokerRegistration large = registration(kFirst);
  large.body.topics.clear();
  for (std::size_t i = 0; i + 1 < kTopicEntriesMax; ++i) {
    large.body.topics.push_back(topic("t" + std::to_string(i)));
  }
  EXPECT_EQ(add(large).kind, RegisterOutcome::Kind::accepted);
  EXPECT_EQ(add(large).kind, RegisterOutcome::Kind::accepted) << "they are there";
  BrokerRegistration other = registration(kSecond);
  other.header.broker.broker_name = "broker-b";  // With two topics; there is room for one.
  EXPECT_EQ(add(other).kind, RegisterOutcome::Kind::full);
  EXPECT_EQ(table.route_of("orders"), std::nullopt);
  EXPECT_EQ(table.unregister(large.header.broker), 1);
  EXPECT_EQ(add(other).kind, RegisterOutcome::Kind::accepted);
}

TEST_F(RouteTableTest, OnlyTheMasterBringsTopicsWhileThereIsOne) {
  add(registration(kFirst));
  BrokerRegistration slave = registration(kSecond, 1);
  slave.body.topics = {topic("orders", 16), topic("of-the-slave")};
  slave.body.data_version.counter = 9;
  add(slave);
  EXPECT_EQ(addresses(), (Addresses{{0, std::string(kFirst)}, {1, std::string(kSecond)}}));
  EXPECT_EQ(table.route_of("orders")->queues[0].write_queues, 4);
  EXPECT_EQ(table.route_of("of-the-slave"), std::nullopt);
}

TEST_F(RouteTableTest, TheLowestSlaveBringsTopicsUnlessItIsTooOldForThat) {
  BrokerRegistration old = registration(kSecond, 2);
  old.header.enable_acting_master = std::nullopt;
  add(old);
  EXPECT_EQ(table.route_of("orders"), std::nullopt);
  add(registration(kFirst, 1));
  EXPECT_EQ(addresses(), (Addresses{{1, std::string(kFirst)}, {2, std::string(kSecond)}}));
  EXPECT_EQ(permissions(), 6);
}

TEST_F(RouteTableTest, AnActingMastersQueuesCanOnlyBeRead) {
  BrokerRegistration slave = registration(kSecond, 1);
  slave.header.enable_acting_master = true;
  add(slave);
  EXPECT_EQ(permissions(), 4);
}

// 5.2, 7
TEST_F(RouteTableTest, ASlaveIsToldWhereALiveMasterIs) {
  EXPECT_EQ(add(registration(kSecond, 1)).response.master_addr, "");
  EXPECT_EQ(add(registration(kFirst)).response.master_addr, "");  // Masters are told nothing.
  const RegisterOutcome told = add(registration(kSecond, 1));
  EXPECT_EQ(told.response.master_addr, kFirst);
  EXPECT_EQ(told.response.ha_server_addr, kFirst);
  table.connection_ended(1);
  EXPECT_EQ(add(registration(kSecond, 1)).response.master_addr, "");
}

TEST_F(RouteTableTest, AnAddressThatChangesItsIdLeavesTheOldOne) {
  add(registration(kFirst, 1));
  add(registration(kFirst, 0));
  EXPECT_EQ(addresses(), (Addresses{{0, std::string(kFirst)}}));
}

// 5.2, 3: equal state versions mean that the last writer wins.
TEST_F(RouteTableTest, ANewMasterTakesOverIdZero) {
  add(registration(kFirst));
  add(registration(kSecond));
  EXPECT_EQ(addresses(), (Addresses{{0, std::string(kSecond)}}));
  table.unregister({"broker-a", kFirst, "Trade", 0});  // The old one has nothing left to take away.
  EXPECT_EQ(addresses(), (Addresses{{0, std::string(kSecond)}}));
}

TEST_F(RouteTableTest, AnOldMasterWithASmallerStateVersionIsTurnedAway) {
  BrokerRegistration newer = registration(kSecond);
  newer.body.data_version.state_version = 2;
  add(newer);
  BrokerRegistration older = registration(kFirst);
  older.body.data_version.state_version = 1;
  older.body.data_version.counter = 100;
  const RegisterOutcome outcome = add(older);
  EXPECT_EQ(outcome.kind, RegisterOutcome::Kind::stale);
  EXPECT_EQ(outcome.response.master_addr, "");
  EXPECT_EQ(addresses(), (Addresses{{0, std::string(kSecond)}}));
  older.body.data_version.state_version = 2;
  EXPECT_EQ(add(older).kind, RegisterOutcome::Kind::accepted);
  EXPECT_EQ(addresses(), (Addresses{{0, std::string(kFirst)}}));
}

// HA reference, 5.2: step 2, any other id of the same address goes, comes before step 3.
TEST_F(RouteTableTest, ASlaveThatIsTurnedAwayAsMasterIsNoSlaveAnyMore) {
  BrokerRegistration master = registration(kFirst);
  master.body.data_version.state_version = 5;
  add(master);
  add(registration(kSecond, 1));
  BrokerRegistration pretender = registration(kSecond, 0);
  pretender.body.data_version.state_version = 3;
  EXPECT_EQ(add(pretender).kind, RegisterOutcome::Kind::stale);
  EXPECT_EQ(addresses(), (Addresses{{0, std::string(kFirst)}}));
}

TEST_F(RouteTableTest, UnregisteringTheLastBrokerOfANameForgetsItsQueues) {
  add(registration(kFirst));
  add(registration(kSecond, 1));
  EXPECT_EQ(table.unregister({"broker-a", kFirst, "Trade", 0}), 1);
  table.check_invariants();
  EXPECT_EQ(addresses(), (Addresses{{1, std::string(kSecond)}}));
  EXPECT_EQ(permissions(), 6);  // Classic mode: clients see that id 0 is absent.
  EXPECT_EQ(table.unregister({"broker-a", kSecond, "Trade", 1}), 1);
  table.check_invariants();
  EXPECT_EQ(table.route_of("orders"), std::nullopt);
  EXPECT_EQ(table.cluster_info(), ClusterInfo());
  EXPECT_EQ(table.unregister({"broker-a", kSecond, "Trade", 1}), 0);
}

TEST_F(RouteTableTest, WithoutItsMasterAnActingGroupCanOnlyBeRead) {
  BrokerRegistration master = registration(kFirst);
  BrokerRegistration slave = registration(kSecond, 1);
  master.header.enable_acting_master = true;
  slave.header.enable_acting_master = true;
  add(master);
  add(slave);
  EXPECT_EQ(permissions(), 6);
  table.connection_ended(1);
  table.check_invariants();
  EXPECT_EQ(permissions(), 4);
  EXPECT_EQ(addresses(), (Addresses{{1, std::string(kSecond)}}));
}

// 5.4: clients know no other master than id 0.
TEST_F(RouteTableTest, ClientsMayBeGivenTheActingMasterAsIdZero) {
  table = RouteTable({.support_acting_master = true});
  BrokerRegistration slave = registration(kSecond, 1);
  slave.header.enable_acting_master = true;
  add(slave);
  EXPECT_EQ(addresses(), (Addresses{{0, std::string(kSecond)}}));
  EXPECT_EQ(table.cluster_info().brokers.at("broker-a").addresses,
            (Addresses{{1, std::string(kSecond)}}));
}

TEST_F(RouteTableTest, AConnectionThatEndsTakesItsBrokersAlong) {
  add(registration(kFirst));
  add(registration(kSecond, 1));
  EXPECT_EQ(table.connection_ended(7), 0);
  EXPECT_EQ(table.connection_ended(1), 1);
  EXPECT_EQ(addresses(), (Addresses{{1, std::string(kSecond)}}));
}

TEST_F(RouteTableTest, TheFormerConnectionOfABrokerThatIsBackTakesNothing) {
  add(registration(kFirst));
  BrokerRegistration again = registration(kFirst);
  again.connection = 9;
  add(again);
  EXPECT_EQ(table.connection_ended(1), 0);
  EXPECT_TRUE(table.route_of("orders").has_value());
}

// 5.3
TEST_F(RouteTableTest, ABrokerIsForgottenAfterMoreThan120SecondsOfSilence) {
  EXPECT_EQ(table.next_expiry(), std::nullopt);
  add(registration(kFirst), at_s(10));
  EXPECT_EQ(table.next_expiry(), at_s(130));
  EXPECT_EQ(table.expire(at_s(130)), 0);
  EXPECT_EQ(table.expire(at_s(130) + Duration::ns(1)), 1);
  EXPECT_EQ(table.route_of("orders"), std::nullopt);
  EXPECT_EQ(table.next_expiry(), std::nullopt);
  table.check_invariants();
}

TEST_F(RouteTableTest, RegisteringAndHeartbeatsAreSignsOfLife) {
  add(registration(kFirst), at_s(0));
  add(registration(kFirst), at_s(30));
  EXPECT_EQ(table.next_expiry(), at_s(150));
  table.heartbeat({"broker-a", kFirst, "Trade", 0}, at_s(60));
  EXPECT_EQ(table.next_expiry(), at_s(180));
  table.heartbeat({"broker-a", kSecond, "Trade", 0}, at_s(90));  // Not here.
  EXPECT_EQ(table.next_expiry(), at_s(180));
}

TEST_F(RouteTableTest, ABrokerMayNameAShorterTime) {
  BrokerRegistration brief = registration(kFirst);
  brief.header.heartbeat_timeout_ms = 10'000;
  add(brief, at_s(0));
  add(registration(kSecond, 1), at_s(0));
  EXPECT_EQ(table.next_expiry(), at_s(10));
  EXPECT_EQ(table.expire(at_s(11)), 1);
  EXPECT_EQ(addresses(), (Addresses{{1, std::string(kSecond)}}));
}

}  // namespace
}  // namespace drydock::test
