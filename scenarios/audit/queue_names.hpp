// The number of each queue in a FinalStore, by topic and queue id.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "reports/record/final_store.hpp"

namespace drydock::scenarios {

class QueueNames {
 public:
  // `store.queues` is empty, outlives this, and grows by nobody else.
  explicit QueueNames(reports::FinalStore& store) : store_(store) {}

  // The index in `store.queues`; a queue that is new is added.
  std::int32_t index_of(std::string_view topic, std::int32_t queue_id) {
    auto queues = by_topic_.find(topic);
    if (queues == by_topic_.end()) queues = by_topic_.emplace(std::string(topic), Queues()).first;
    const auto next = static_cast<std::int32_t>(store_.queues.size());
    const auto [queue, is_new] = queues->second.emplace(queue_id, next);
    if (is_new) store_.queues.push_back({std::string(topic), queue_id, 0, 0});
    return queue->second;
  }

 private:
  using Queues = std::map<std::int32_t, std::int32_t>;

  reports::FinalStore& store_;
  std::map<std::string, Queues, std::less<>> by_topic_;
};

}  // namespace drydock::scenarios
