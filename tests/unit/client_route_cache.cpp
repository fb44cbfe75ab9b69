// What a client makes of routes, and which queue is next. Facts: HA reference, 6.1 and 6.2.
#include "engine/client/route_cache.hpp"

#include <gtest/gtest.h>

#include <set>

#include "engine/wire/register_broker.hpp"

namespace drydock::test {
namespace {

QueueData queues_on(std::string broker, std::int32_t count, std::int32_t permissions = 6) {
  return {.broker_name = std::move(broker),
          .read_queues = count,
          .write_queues = count,
          .permissions = permissions};
}
BrokerData group(std::string name, std::map<std::int64_t, std::string> addresses) {
  return {.broker_name = std::move(name), .cluster = "c", .addresses = std::move(addresses)};
}

TopicRoute two_brokers() {
  return {.queues = {queues_on("b", 2), queues_on("a", 1)},
          .brokers = {group("a", {{0, "10.0.0.2:10911"}}), group("b", {{0, "10.0.0.3:10911"}})}};
}

TEST(ClientRouteCache, QueuesComeInTheOrderOfTheBrokersNames) {
  EXPECT_EQ(writable_queues(two_brokers()), (MessageQueues{{"a", 0}, {"b", 0}, {"b", 1}}));
}

TEST(ClientRouteCache, QueuesWithoutPermissionOrMasterAreNotSentTo) {
  TopicRoute route = two_brokers();
  route.queues[0].permissions = 4;
  EXPECT_EQ(writable_queues(route), (MessageQueues{{"a", 0}}));
  route = two_brokers();
  route.brokers[1] = group("b", {{1, "10.0.0.3:10911"}});
  EXPECT_EQ(writable_queues(route), (MessageQueues{{"a", 0}}));
  route.brokers.pop_back();
  EXPECT_EQ(writable_queues(route), (MessageQueues{{"a", 0}}));
}

TEST(ClientRouteCache, TheModelGivesAtMostAsManyQueuesAsTheClientAsksFor) {
  TopicRoute model{.queues = {queues_on("a", 8, 7), queues_on("b", 2, 7)}};
  const TopicRoute route = route_by_model(model, 4);
  EXPECT_EQ(route.queues[0].write_queues, 4);
  EXPECT_EQ(route.queues[0].read_queues, 4);
  EXPECT_EQ(route.queues[1].write_queues, 2);
}

TEST(ClientRouteCache, QueuesBeyondABoundAreNotLookedAt) {
  TopicRoute route = two_brokers();
  EXPECT_FALSE(has_too_many_queues(route));
  route.queues = {queues_on("a", kQueuesMax), queues_on("b", kQueuesMax),
                  queues_on("b", kQueuesMax)};
  EXPECT_TRUE(has_too_many_queues(route));
  EXPECT_EQ(writable_queues(route).size(), kRouteQueuesMax);
  EXPECT_EQ(readable_queues(route).size(), kRouteQueuesMax);
  EXPECT_EQ(readable_queues(route).back(), (MessageQueue{"a", kQueuesMax - 1}));
}

TEST(ClientRouteCache, AnEqualRouteChangesNothing) {
  RouteCache cache;
  cache.want("orders");
  EXPECT_FALSE(cache.has_route("orders"));
  EXPECT_TRUE(cache.queues("orders")->empty());
  EXPECT_TRUE(cache.update("orders", two_brokers()));
  EXPECT_FALSE(cache.update("orders", two_brokers()));
  EXPECT_TRUE(cache.has_route("orders"));
  EXPECT_EQ(cache.queues("orders")->size(), 3u);
  EXPECT_EQ(cache.topics(), std::vector<std::string>{"orders"});
}

TEST(ClientRouteCache, ASendKeepsTheListThatItBeganWith) {
  RouteCache cache;
  cache.update("orders", two_brokers());
  const auto held = cache.queues("orders");
  cache.update("orders", TopicRoute());
  EXPECT_EQ(held->size(), 3u);
  EXPECT_TRUE(cache.queues("orders")->empty());
}

TEST(ClientRouteCache, AddressesAreThoseOfTheLatestRoute) {
  RouteCache cache;
  cache.update("orders", two_brokers());
  EXPECT_EQ(cache.master_of("a"), (Endpoint{0x0a000002, 10'911}));
  EXPECT_EQ(cache.master_of("x"), std::nullopt);
  TopicRoute moved = two_brokers();
  moved.brokers[0] = group("a", {{0, "10.0.0.9:10911"}});
  cache.update("payments", moved);
  EXPECT_EQ(cache.master_of("a"), (Endpoint{0x0a000009, 10'911}));
  moved.brokers[0] = group("a", {{0, "nonsense"}});
  cache.update("payments", moved);
  EXPECT_EQ(cache.master_of("a"), std::nullopt);
  EXPECT_EQ(cache.masters(), (std::vector<Endpoint>{{0x0a000003, 10'911}}));
}

TEST(ClientRouteCache, GroupsThatNoRouteNamesAreForgotten) {
  RouteCache cache;
  cache.update("orders", two_brokers());
  cache.update("orders",
               {.queues = {queues_on("b", 2)}, .brokers = {group("b", {{0, "10.0.0.3:10911"}})}});
  EXPECT_TRUE(cache.master_of("a").has_value());
  cache.forget_unrouted();
  EXPECT_FALSE(cache.master_of("a").has_value());
  EXPECT_TRUE(cache.master_of("b").has_value());
}

TEST(ClientQueueSelector, GoesRoundAndEveryQueueHasItsTurn) {
  const MessageQueues queues = writable_queues(two_brokers());
  QueueSelector selector(7);
  std::vector<MessageQueue> first;
  for (int i = 0; i < 3; ++i) first.push_back(selector.next(queues, ""));
  EXPECT_NE(first[0], first[1]);
  EXPECT_NE(first[1], first[2]);
  EXPECT_NE(first[0], first[2]);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(selector.next(queues, ""), first[static_cast<std::size_t>(i)]);
  }
}

TEST(ClientQueueSelector, AvoidsABrokerIfThereIsAnother) {
  const MessageQueues both = writable_queues(two_brokers());
  const MessageQueues one{{"a", 0}, {"a", 1}};
  for (std::uint32_t start : {0u, 1u, 2u, 0xffff'fffeu}) {
    QueueSelector selector(start);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(selector.next(both, "b").broker_name, "a");
    std::set<std::int32_t> ids;
    for (int i = 0; i < 4; ++i) ids.insert(selector.next(one, "a").queue_id);
    EXPECT_EQ(ids.size(), 2u);
  }
}

}  // namespace
}  // namespace drydock::test
