#include "engine/broker/consumer_groups.hpp"

#include <algorithm>

namespace drydock {

bool ConsumerGroups::enter(const ConsumerData& consumer, const Member& member,
                           bool without_subscriptions) {
  const auto known = groups_.find(consumer.group);
  const bool new_member =
      known == groups_.end() || !known->second.members.contains(member.connection);
  if (new_member && members_ >= kMembersMax) return false;
  Group& group = known == groups_.end() ? groups_[consumer.group] : known->second;
  group.model = consumer.model;
  group.type = consumer.type;
  group.members.insert_or_assign(member.connection, member);
  members_ += new_member ? 1 : 0;
  const bool changed = !without_subscriptions && subscribe(group, consumer.subscriptions);
  return (new_member || changed) && group.model != MessageModel::broadcasting;
}

// True if a topic has come or gone. A topic that was there gets a newer subscription in silence.
bool ConsumerGroups::subscribe(Group& group, const std::vector<Subscription>& subscriptions) {
  bool changed = false;
  for (const Subscription& told : subscriptions) {
    const auto known = group.subscriptions.find(told.topic);
    if (known == group.subscriptions.end()) {
      group.subscriptions.emplace(told.topic, told);
      changed = true;
    } else if (told.version > known->second.version) {
      known->second = told;
    }
  }
  const auto gone = [&](const auto& entry) {
    return std::ranges::find(subscriptions, entry.first, &Subscription::topic) ==
           subscriptions.end();
  };
  return std::erase_if(group.subscriptions, gone) > 0 || changed;
}

bool ConsumerGroups::leave(std::string_view name, std::uint64_t connection) {
  const auto group = groups_.find(name);
  if (group == groups_.end() || group->second.members.erase(connection) == 0) return false;
  --members_;
  const bool tell = group->second.model != MessageModel::broadcasting;
  if (group->second.members.empty()) groups_.erase(group);
  return tell;
}

template <class Gone>
std::vector<std::string> ConsumerGroups::remove(Gone gone) {
  std::vector<std::string> changed;
  for (auto entry = groups_.begin(); entry != groups_.end();) {
    Group& group = entry->second;
    const std::size_t left =
        std::erase_if(group.members, [&](const auto& member) { return gone(member.second); });
    members_ -= left;
    const bool tell = left > 0 && group.model != MessageModel::broadcasting;
    if (tell && !group.members.empty()) changed.push_back(entry->first);
    entry = group.members.empty() ? groups_.erase(entry) : std::next(entry);
  }
  return changed;
}

std::vector<std::string> ConsumerGroups::drop(std::uint64_t connection) {
  return remove([&](const Member& member) { return member.connection == connection; });
}

std::vector<std::string> ConsumerGroups::expire(MonotonicTime now) {
  return remove([&](const Member& member) { return now - member.last_seen > kClientExpiry; });
}

std::optional<MonotonicTime> ConsumerGroups::next_expiry() const {
  std::optional<MonotonicTime> earliest;
  for (const auto& [name, group] : groups_) {
    for (const auto& [connection, member] : group.members) {
      const MonotonicTime expiry = member.last_seen + kClientExpiry;
      if (!earliest || expiry < *earliest) earliest = expiry;
    }
  }
  return earliest;
}

std::vector<std::string> ConsumerGroups::client_ids(std::string_view name) const {
  std::vector<std::string> ids;
  const auto group = groups_.find(name);
  if (group == groups_.end()) return ids;
  for (const auto& [connection, member] : group->second.members) ids.push_back(member.client_id);
  return ids;
}

std::vector<std::uint64_t> ConsumerGroups::connections(std::string_view name) const {
  std::vector<std::uint64_t> all;
  const auto group = groups_.find(name);
  if (group == groups_.end()) return all;
  for (const auto& [connection, member] : group->second.members) all.push_back(connection);
  return all;
}

const Subscription* ConsumerGroups::subscription(std::string_view name,
                                                 std::string_view topic) const {
  const auto group = groups_.find(name);
  if (group == groups_.end()) return nullptr;
  const auto subscription = group->second.subscriptions.find(topic);
  return subscription == group->second.subscriptions.end() ? nullptr : &subscription->second;
}

}  // namespace drydock
