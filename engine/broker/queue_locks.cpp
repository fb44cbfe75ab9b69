#include "engine/broker/queue_locks.hpp"

#include <algorithm>

namespace drydock {

std::vector<LockQueue> QueueLocks::lock(const LockBatch& batch, MonotonicTime now) {
  std::vector<LockQueue> locked;
  for (const LockQueue& queue : batch.queues) {
    if (!has_room(now)) break;
    Locks& locks = groups_[batch.consumer_group];
    const auto [entry, is_new] = locks.try_emplace(queue);
    Lock& lock = entry->second;
    count_ += is_new ? 1 : 0;
    if (!is_new && lock.counts(now) && lock.client_id != batch.client_id) continue;
    lock = {batch.client_id, now};
    locked.push_back(queue);
  }
  return locked;
}

// With as many locks as there may be, those that no longer count go.
bool QueueLocks::has_room(MonotonicTime now) {
  if (count_ < kLocksMax) return true;
  for (auto group = groups_.begin(); group != groups_.end();) {
    count_ -=
        std::erase_if(group->second, [&](const auto& entry) { return !entry.second.counts(now); });
    group = group->second.empty() ? groups_.erase(group) : std::next(group);
  }
  return count_ < kLocksMax;
}

void QueueLocks::unlock(const LockBatch& batch) {
  const auto group = groups_.find(batch.consumer_group);
  if (group == groups_.end()) return;
  for (const LockQueue& queue : batch.queues) {
    const auto lock = group->second.find(queue);
    if (lock == group->second.end() || lock->second.client_id != batch.client_id) continue;
    group->second.erase(lock);
    --count_;
  }
  if (group->second.empty()) groups_.erase(group);
}

bool QueueLocks::any(std::string_view name, MonotonicTime now) const {
  const auto group = groups_.find(name);
  if (group == groups_.end()) return false;
  return std::ranges::any_of(group->second,
                             [&](const auto& entry) { return entry.second.counts(now); });
}

}  // namespace drydock
