#include "engine/store/queue_offsets.hpp"

#include "engine/types/ensure.hpp"

namespace drydock {

NextQueueOffset& QueueOffsets::of(std::string_view topic, std::int32_t queue_id) {
  ENSURE(queue_id >= 0);
  auto entry = topics_.find(topic);
  if (entry == topics_.end()) entry = topics_.emplace(std::string(topic), Queues()).first;
  return entry->second[queue_id];
}

void QueueOffsets::forget(std::string_view topic) {
  const auto queues = topics_.find(topic);
  if (queues == topics_.end()) return;
  for (auto& [queue_id, next] : queues->second) next.set(QueueOffset());
}

}  // namespace drydock
