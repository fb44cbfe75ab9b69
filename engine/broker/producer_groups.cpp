#include "engine/broker/producer_groups.hpp"

namespace drydock {

void ProducerGroups::enter(std::string_view name, std::uint64_t connection, MonotonicTime now) {
  auto group = groups_.find(name);
  const bool new_member = group == groups_.end() || !group->second.contains(connection);
  if (new_member && members_ >= kMembersMax) return;
  if (group == groups_.end()) group = groups_.emplace(name, Members()).first;
  group->second.insert_or_assign(connection, now);
  members_ += new_member ? 1 : 0;
}

void ProducerGroups::leave(std::string_view name, std::uint64_t connection) {
  const auto group = groups_.find(name);
  if (group == groups_.end()) return;
  members_ -= group->second.erase(connection);
  if (group->second.empty()) groups_.erase(group);
}

template <class Gone>
void ProducerGroups::remove(Gone gone) {
  for (auto entry = groups_.begin(); entry != groups_.end();) {
    members_ -= std::erase_if(entry->second, gone);
    entry = entry->second.empty() ? groups_.erase(entry) : std::next(entry);
  }
}

void ProducerGroups::drop(std::uint64_t connection) {
  remove([&](const auto& member) { return member.first == connection; });
}

void ProducerGroups::expire(MonotonicTime now) {
  remove([&](const auto& member) { return now - member.second > kClientExpiry; });
}

std::optional<MonotonicTime> ProducerGroups::next_expiry() const {
  std::optional<MonotonicTime> earliest;
  for (const auto& [name, members] : groups_) {
    for (const auto& [connection, seen] : members) {
      if (!earliest || seen + kClientExpiry < *earliest) earliest = seen + kClientExpiry;
    }
  }
  return earliest;
}

std::optional<std::uint64_t> ProducerGroups::pick(std::string_view name) {
  const auto group = groups_.find(name);
  if (group == groups_.end()) return std::nullopt;
  const std::uint64_t turn = ++picked_ % group->second.size();
  return std::next(group->second.begin(), static_cast<std::ptrdiff_t>(turn))->first;
}

}  // namespace drydock
