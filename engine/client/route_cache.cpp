#include "engine/client/route_cache.hpp"

#include <algorithm>
#include <set>

#include "engine/wire/endpoint_text.hpp"
#include "engine/wire/register_broker.hpp"

namespace drydock {

namespace {

using Names = std::set<std::string_view>;

Names groups_with_master(const TopicRoute& route) {
  Names names;
  for (const BrokerData& group : route.brokers) {
    if (group.addresses.contains(0)) names.insert(group.broker_name);
  }
  return names;
}

using QueuesByName = std::multimap<std::string_view, const QueueData*>;

// A name server has one entry per broker, but what comes over the network may have more: equal
// names stay in the order of the route.
QueuesByName by_broker_name(const TopicRoute& route) {
  QueuesByName sorted;
  for (const QueueData& data : route.queues) sorted.emplace(data.broker_name, &data);
  return sorted;
}

// Adds the queues of one broker; as many as there is room for.
void add_queues(MessageQueues& queues, const std::string& broker_name, std::int32_t count) {
  for (std::int32_t i = 0; i < count && queues.size() < kRouteQueuesMax; ++i) {
    queues.push_back({broker_name, i});
  }
}

std::optional<Endpoint> master_of_group(const BrokerData& group) {
  const auto master = group.addresses.find(0);
  return master == group.addresses.end() ? std::nullopt : parse_endpoint(master->second);
}

}  // namespace

MessageQueues writable_queues(const TopicRoute& route) {
  MessageQueues queues;
  const Names with_master = groups_with_master(route);
  for (const auto& [name, data] : by_broker_name(route)) {
    if ((data->permissions & permission::kWrite) == 0) continue;
    if (!with_master.contains(name)) continue;
    add_queues(queues, data->broker_name, data->write_queues);
  }
  return queues;
}

MessageQueues readable_queues(const TopicRoute& route) {
  MessageQueues queues;
  for (const auto& [name, data] : by_broker_name(route)) {
    if ((data->permissions & permission::kRead) == 0) continue;
    add_queues(queues, data->broker_name, data->read_queues);
  }
  return queues;
}

bool has_too_many_queues(const TopicRoute& route) {
  std::size_t read = 0;
  std::size_t write = 0;
  for (const QueueData& data : route.queues) {
    read += static_cast<std::size_t>(std::max(data.read_queues, 0));
    write += static_cast<std::size_t>(std::max(data.write_queues, 0));
  }
  return std::max(read, write) > kRouteQueuesMax;
}

TopicRoute route_by_model(TopicRoute model, std::int32_t queues) {
  for (QueueData& data : model.queues) {
    const std::int32_t count = std::min(queues, data.read_queues);
    data.read_queues = count;
    data.write_queues = count;
  }
  return model;
}

void RouteCache::want(std::string_view topic) {
  if (!topics_.contains(topic)) topics_.emplace(std::string(topic), Entry());
}

std::vector<std::string> RouteCache::topics() const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : topics_) names.push_back(name);
  return names;
}

bool RouteCache::update(const std::string& topic, TopicRoute route) {
  Entry& entry = topics_[topic];
  if (entry.route == route) return false;
  for (const BrokerData& group : route.brokers) groups_[group.broker_name] = group;
  entry.queues = std::make_shared<MessageQueues>(writable_queues(route));
  entry.readable = std::make_shared<MessageQueues>(readable_queues(route));
  entry.route = std::move(route);
  return true;
}

bool RouteCache::has_route(std::string_view topic) const {
  const auto found = topics_.find(topic);
  return found != topics_.end() && found->second.route.has_value();
}

std::shared_ptr<const MessageQueues> RouteCache::queues(std::string_view topic) const {
  const auto found = topics_.find(topic);
  return found == topics_.end() ? std::make_shared<MessageQueues>() : found->second.queues;
}

std::shared_ptr<const MessageQueues> RouteCache::readable(std::string_view topic) const {
  const auto found = topics_.find(topic);
  return found == topics_.end() ? std::make_shared<MessageQueues>() : found->second.readable;
}

std::optional<Endpoint> RouteCache::broker_of(std::string_view broker_name, std::int64_t id) const {
  const auto group = groups_.find(broker_name);
  if (group == groups_.end() || group->second.addresses.empty()) return std::nullopt;
  const auto& addresses = group->second.addresses;
  auto found = addresses.find(id);
  if (found == addresses.end() && id != 0) found = addresses.find(id + 1);
  if (found == addresses.end()) found = addresses.begin();
  return parse_endpoint(found->second);
}

std::vector<Endpoint> RouteCache::brokers() const {
  std::vector<Endpoint> all;
  for (const auto& [name, group] : groups_) {
    for (const auto& [id, address] : group.addresses) {
      if (const std::optional<Endpoint> broker = parse_endpoint(address)) all.push_back(*broker);
    }
  }
  return all;
}

std::optional<Endpoint> RouteCache::master_of(std::string_view broker_name) const {
  const auto found = groups_.find(broker_name);
  return found == groups_.end() ? std::nullopt : master_of_group(found->second);
}

std::vector<Endpoint> RouteCache::masters() const {
  std::vector<Endpoint> all;
  for (const auto& [name, group] : groups_) {
    if (const std::optional<Endpoint> master = master_of_group(group)) all.push_back(*master);
  }
  return all;
}

void RouteCache::forget_unrouted() {
  std::set<std::string> routed;
  for (const auto& [topic, entry] : topics_) {
    if (!entry.route) continue;
    for (const BrokerData& group : entry.route->brokers) routed.insert(group.broker_name);
  }
  std::erase_if(groups_, [&routed](const auto& entry) { return !routed.contains(entry.first); });
}

const MessageQueue& QueueSelector::next(const MessageQueues& queues, std::string_view avoid) {
  ENSURE(!queues.empty());
  for (std::size_t i = 0; i < queues.size(); ++i) {
    const MessageQueue& queue = step(queues);
    if (queue.broker_name != avoid) return queue;
  }
  return step(queues);
}

}  // namespace drydock
