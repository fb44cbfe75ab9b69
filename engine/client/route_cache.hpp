// What a client knows of routes: which queues of a topic it may send to and read, and where their
// brokers are (HA reference, 6.1, 6.2 and 6.4). Pure.
#pragma once

#include <compare>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/runtime/network.hpp"
#include "engine/wire/topic_route.hpp"

namespace drydock {

struct MessageQueue {
  std::string broker_name;
  std::int32_t queue_id = 0;
  friend auto operator<=>(const MessageQueue&, const MessageQueue&) = default;
};
using MessageQueues = std::vector<MessageQueue>;

// So many queues of a topic a client looks at; RocketMQ's has no bound. A route comes over the
// network, and a small one can name billions.
inline constexpr std::size_t kRouteQueuesMax = 65'535;
bool has_too_many_queues(const TopicRoute& route);

// The queues to which a client may send: those of brokers that permit it and whose master, id 0, is
// in the route. In the order of the brokers' names.
MessageQueues writable_queues(const TopicRoute& route);
// Those from which it may read, of every broker that permits it, with or without a master. In the
// same order.
MessageQueues readable_queues(const TopicRoute& route);

// The route of a topic that no broker has yet, made from that of TBW102: with at most `queues` on
// each broker.
TopicRoute route_by_model(TopicRoute model, std::int32_t queues);

class RouteCache {
 public:
  // From here on the topic is one of `topics`, with or without a route.
  void want(std::string_view topic);
  std::vector<std::string> topics() const;

  // Takes the present route of a topic. True if it is another one than before.
  bool update(const std::string& topic, TopicRoute route);
  bool has_route(std::string_view topic) const;
  // Where to send now, and from where to read. Whoever holds a list keeps it, also if the route
  // changes meanwhile. Not null; empty if there is no such queue.
  std::shared_ptr<const MessageQueues> queues(std::string_view topic) const;
  std::shared_ptr<const MessageQueues> readable(std::string_view topic) const;

  // The master of a broker's group; none if there is none, or if its address can't be read.
  std::optional<Endpoint> master_of(std::string_view broker_name) const;
  std::vector<Endpoint> masters() const;
  std::vector<Endpoint> brokers() const;  // Slaves, too.
  // The broker of a group with an id, else, for a slave's, the one with the next id, else the one
  // with the lowest; none if the group is unknown, or if the address can't be read.
  std::optional<Endpoint> broker_of(std::string_view broker_name, std::int64_t id) const;
  // Forgets groups that are in no topic's route any more.
  void forget_unrouted();

 private:
  struct Entry {
    std::optional<TopicRoute> route;
    std::shared_ptr<const MessageQueues> queues = std::make_shared<MessageQueues>();
    std::shared_ptr<const MessageQueues> readable = std::make_shared<MessageQueues>();
  };
  std::map<std::string, Entry, std::less<>> topics_;
  std::map<std::string, BrokerData, std::less<>> groups_;  // As the latest route has them.
};

// Goes round a list of queues. After a failure it avoids the broker that was used last, if another
// one is in the list.
class QueueSelector {
 public:
  explicit QueueSelector(std::uint32_t start) : counter_(start) {}
  // `queues` is not empty. `avoid`: a broker's name, or nothing.
  const MessageQueue& next(const MessageQueues& queues, std::string_view avoid);

 private:
  const MessageQueue& step(const MessageQueues& queues) {
    return queues[++counter_ % queues.size()];
  }
  std::uint32_t counter_;
};

}  // namespace drydock
