#include "engine/nameserver/route_table.hpp"

#include <algorithm>
#include <vector>

namespace drydock {

namespace {

QueueData queue_data(const std::string& broker_name, const TopicConfig& topic) {
  return {.broker_name = broker_name,
          .read_queues = topic.read_queues,
          .write_queues = topic.write_queues,
          .permissions = topic.permissions,
          .topic_sys_flag = topic.topic_sys_flag};
}

}  // namespace

const RouteTable::Live* RouteTable::find_live(std::string_view cluster,
                                              std::string_view address) const {
  const auto found = live_.find(Key(cluster, address));
  return found == live_.end() ? nullptr : &found->second;
}

bool RouteTable::held_by_newer(const BrokerData& group, const BrokerIdentity& broker,
                               const DataVersion& version) const {
  const auto holder = group.addresses.find(broker.broker_id);
  if (holder == group.addresses.end() || holder->second == broker.broker_addr) return false;
  const Live* const live = find_live(broker.cluster_name, holder->second);
  return live != nullptr && live->version.state_version > version.state_version;
}

bool RouteTable::too_much(const BrokerRegistration& registration) const {
  const BrokerIdentity& broker = registration.header.broker;
  const bool another = find_live(broker.cluster_name, broker.broker_addr) == nullptr;
  if (another && live_.size() >= kAddressesMax) return true;
  const std::size_t more = static_cast<std::size_t>(
      std::ranges::count_if(registration.body.topics, [&](const TopicConfig& topic) {
        const auto known = topics_.find(topic.topic);
        return known == topics_.end() || !known->second.contains(std::string(broker.broker_name));
      }));
  return more > kTopicEntriesMax - topic_entries_;
}

RegisterOutcome RouteTable::register_broker(const BrokerRegistration& registration,
                                            MonotonicTime now) {
  if (too_much(registration)) return {.kind = RegisterOutcome::Kind::full};
  const RegisterBrokerHeader& header = registration.header;
  const BrokerIdentity& broker = header.broker;
  const Key key(broker.cluster_name, broker.broker_addr);
  const auto known = groups_.find(broker.broker_name);
  const bool new_group = known == groups_.end();
  BrokerData group = new_group ? BrokerData() : known->second;
  if (new_group) group.broker_name = broker.broker_name;
  if (new_group) group.cluster = broker.cluster_name;
  group.enable_acting_master = header.enable_acting_master.value_or(false);
  std::erase_if(group.addresses, [&broker](const auto& entry) {
    return entry.second == broker.broker_addr && entry.first != broker.broker_id;
  });

  if (held_by_newer(group, broker, registration.body.data_version)) {
    known->second.addresses = std::move(group.addresses);  // Its other id is gone all the same.
    live_.erase(key);
    return {.kind = RegisterOutcome::Kind::stale};
  }
  const bool added = !group.addresses.contains(broker.broker_id);
  if (added && registration.body.topics.size() == 1) return {RegisterOutcome::Kind::unknown};

  group.addresses[broker.broker_id] = broker.broker_addr;
  BrokerData& stored = groups_[std::string(broker.broker_name)] = std::move(group);
  clusters_[std::string(broker.cluster_name)].insert(stored.broker_name);
  take_topics(registration, stored, new_group || added);
  const auto timeout = header.heartbeat_timeout_ms;
  live_[key] = {.last = now,
                .timeout = timeout ? Duration::ms(std::clamp<std::int64_t>(*timeout, 0, INT32_MAX))
                                   : kBrokerExpiry,
                .version = registration.body.data_version,
                .connection = registration.connection,
                .ha_address = std::string(header.ha_server_addr)};
  return {.added = added, .response = master_for_slave(stored, broker)};
}

void RouteTable::take_topics(const BrokerRegistration& registration, const BrokerData& group,
                             bool first) {
  const RegisterBrokerHeader& header = registration.header;
  const std::int64_t id = header.broker.broker_id;
  const bool lowest = group.addresses.begin()->first == id;
  const bool old_broker = !header.enable_acting_master.has_value();
  if (id != 0 && (old_broker || !lowest)) return;
  const Live* const before = find_live(header.broker.cluster_name, header.broker.broker_addr);
  const bool changed =
      first || before == nullptr || before->version != registration.body.data_version;
  for (const TopicConfig& topic : registration.body.topics) {
    QueuesByBroker& queues = topics_[topic.topic];
    if (!changed && queues.contains(group.broker_name)) continue;
    QueueData data = queue_data(group.broker_name, topic);
    if (id != 0 && group.enable_acting_master) data.permissions &= ~permission::kWrite;
    topic_entries_ += queues.insert_or_assign(group.broker_name, std::move(data)).second ? 1 : 0;
  }
}

RegisterBrokerResponse RouteTable::master_for_slave(const BrokerData& group,
                                                    const BrokerIdentity& broker) const {
  if (broker.broker_id == 0) return {};
  const auto master = group.addresses.find(0);
  if (master == group.addresses.end()) return {};
  const Live* const live = find_live(broker.cluster_name, master->second);
  if (live == nullptr) return {};
  return {.ha_server_addr = live->ha_address, .master_addr = master->second};
}

void RouteTable::heartbeat(const BrokerIdentity& broker, MonotonicTime now) {
  const auto found = live_.find(Key(broker.cluster_name, broker.broker_addr));
  if (found != live_.end()) found->second.last = now;
}

int RouteTable::unregister(const BrokerIdentity& broker) {
  const Key key(broker.cluster_name, broker.broker_addr);
  live_.erase(key);
  const auto group = groups_.find(broker.broker_name);
  if (group == groups_.end()) return 0;
  return remove_address(group->second, key.second) ? 1 : 0;
}

int RouteTable::connection_ended(std::uint64_t connection) {
  std::vector<Key> gone;
  for (const auto& [key, live] : live_) {
    if (live.connection == connection) gone.push_back(key);
  }
  int removed = 0;
  for (const Key& key : gone) removed += remove(key);
  return removed;
}

int RouteTable::expire(MonotonicTime now) {
  std::vector<Key> gone;
  for (const auto& [key, live] : live_) {
    if (live.last + live.timeout < now) gone.push_back(key);
  }
  int removed = 0;
  for (const Key& key : gone) removed += remove(key);
  return removed;
}

std::optional<MonotonicTime> RouteTable::next_expiry() const {
  std::optional<MonotonicTime> next;
  for (const auto& [key, live] : live_) {
    const MonotonicTime expiry = live.last + live.timeout;
    if (!next || expiry < *next) next = expiry;
  }
  return next;
}

int RouteTable::remove(const Key& key) {
  live_.erase(key);
  for (auto& [name, group] : groups_) {
    if (group.cluster == key.first && remove_address(group, key.second)) return 1;
  }
  return 0;
}

// `group` may be gone afterwards.
bool RouteTable::remove_address(BrokerData& group, const std::string& address) {
  const std::size_t before = group.addresses.size();
  std::erase_if(group.addresses, [&](const auto& entry) { return entry.second == address; });
  if (group.addresses.size() == before) return false;
  const std::string name = group.broker_name;
  if (group.addresses.empty()) {
    remove_group(name);
  } else if (group.enable_acting_master && !group.addresses.contains(0)) {
    forbid_writes(name);
  }
  return true;
}

void RouteTable::remove_group(const std::string& name) {
  groups_.erase(name);
  for (auto& [cluster, names] : clusters_) names.erase(name);
  std::erase_if(clusters_, [](const auto& entry) { return entry.second.empty(); });
  for (auto& [topic, queues] : topics_) topic_entries_ -= queues.erase(name);
  std::erase_if(topics_, [](const auto& entry) { return entry.second.empty(); });
}

void RouteTable::forbid_writes(const std::string& name) {
  for (auto& [topic, queues] : topics_) {
    const auto found = queues.find(name);
    if (found != queues.end()) found->second.permissions &= ~permission::kWrite;
  }
}

std::optional<TopicRoute> RouteTable::route_of(std::string_view topic) const {
  const auto found = topics_.find(topic);
  if (found == topics_.end()) return std::nullopt;
  TopicRoute route;
  for (const auto& [name, queues] : found->second) {
    route.queues.push_back(queues);
    BrokerData group = groups_.at(name);
    const bool acting = options_.support_acting_master && group.enable_acting_master &&
                        !group.addresses.contains(0) &&
                        (queues.permissions & permission::kWrite) == 0;
    if (acting) {
      auto lowest = group.addresses.extract(group.addresses.begin());
      lowest.key() = 0;
      group.addresses.insert(std::move(lowest));
    }
    route.brokers.push_back(std::move(group));
  }
  return route;
}

ClusterInfo RouteTable::cluster_info() const {
  ClusterInfo info;
  for (const auto& [name, group] : groups_) info.brokers.emplace(name, group);
  for (const auto& [cluster, names] : clusters_) {
    info.clusters[cluster] = std::vector<std::string>(names.begin(), names.end());
  }
  return info;
}

void RouteTable::check_invariants() const {
  for (const auto& [name, group] : groups_) {
    ENSURE(name == group.broker_name);
    ENSURE(!group.addresses.empty());
    std::set<std::string> different;
    for (const auto& [id, address] : group.addresses) {
      different.insert(address);
      ENSURE(find_live(group.cluster, address) != nullptr);
    }
    ENSURE(different.size() == group.addresses.size());
  }
  std::size_t entries = 0;
  for (const auto& [topic, queues] : topics_) {
    entries += queues.size();
    ENSURE(!queues.empty());
    for (const auto& [name, data] : queues) ENSURE(groups_.contains(name));
  }
  ENSURE(entries == topic_entries_);
  ENSURE(entries <= kTopicEntriesMax);
  ENSURE(live_.size() <= kAddressesMax);
  for (const auto& [cluster, names] : clusters_) {
    ENSURE(!names.empty());
    for (const std::string& name : names) ENSURE(groups_.contains(name));
  }
}

}  // namespace drydock
