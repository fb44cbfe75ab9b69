#include "engine/store/queue_offsets.hpp"

#include "engine/types/ensure.hpp"

namespace drydock {

NextQueueOffset& QueueOffsets::of(std::string_view topic, std::int32_t queue_id) {
  ENSURE(queue_id >= 0);
  auto entry = topics_.find(topic);
  if (entry == topics_.end()) entry = topics_.emplace(std::string(topic), Queues()).first;
  return entry->second[queue_id];
}

std::vector<std::pair<std::int32_t, QueueOffset>> QueueOffsets::of_topic(
    std::string_view topic) const {
  std::vector<std::pair<std::int32_t, QueueOffset>> all;
  const auto queues = topics_.find(topic);
  if (queues == topics_.end()) return all;
  for (const auto& [queue_id, next] : queues->second) {
    if (next.get() != QueueOffset()) all.emplace_back(queue_id, next.get());
  }
  return all;
}

void QueueOffsets::forget(std::string_view topic) {
  const auto queues = topics_.find(topic);
  if (queues == topics_.end()) return;
  for (auto& [queue_id, next] : queues->second) next.set(QueueOffset());
}

}  // namespace drydock
