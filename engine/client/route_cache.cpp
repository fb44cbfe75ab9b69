#include "engine/client/route_cache.hpp"

#include <algorithm>
#include <set>

#include "engine/wire/endpoint_text.hpp"
#include "engine/wire/register_broker.hpp"

namespace drydock {

namespace {

bool has_master(const TopicRoute& route, std::string_view broker_name) {
  const auto group = std::ranges::find(route.brokers, broker_name, &BrokerData::broker_name);
  return group != route.brokers.end() && group->addresses.contains(0);
}

std::vector<QueueData> by_broker_name(const TopicRoute& route) {
  std::vector<QueueData> sorted = route.queues;
  std::ranges::sort(sorted, {}, &QueueData::broker_name);  // One entry per broker: no ties.
  return sorted;
}

std::optional<Endpoint> master_of_group(const BrokerData& group) {
  const auto master = group.addresses.find(0);
  return master == group.addresses.end() ? std::nullopt : parse_endpoint(master->second);
}

}  // namespace

MessageQueues writable_queues(const TopicRoute& route) {
  MessageQueues queues;
  for (const QueueData& data : by_broker_name(route)) {
    if ((data.permissions & permission::kWrite) == 0) continue;
    if (!has_master(route, data.broker_name)) continue;
    for (std::int32_t i = 0; i < data.write_queues; ++i) queues.push_back({data.broker_name, i});
  }
  return queues;
}

MessageQueues readable_queues(const TopicRoute& route) {
  MessageQueues queues;
  for (const QueueData& data : by_broker_name(route)) {
    if ((data.permissions & permission::kRead) == 0) continue;
    for (std::int32_t i = 0; i < data.read_queues; ++i) queues.push_back({data.broker_name, i});
  }
  return queues;
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
