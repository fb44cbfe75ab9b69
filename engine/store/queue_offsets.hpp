// The next index of every queue of every topic, as appends use them up. At start they are what the
// consume queues hold.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/types/ids.hpp"

namespace drydock {

// The next index of one queue. An append takes it under the put lock and moves it on after it has
// succeeded, so a failed append uses none up.
class NextQueueOffset {
 public:
  QueueOffset get() const { return next_; }
  void advance(std::int64_t count = 1) { next_ = next_ + count; }
  void set(QueueOffset next) { next_ = next; }

 private:
  QueueOffset next_;
};

// Queues of one topic, by their id. Their addresses are stable.
class QueueOffsets {
 public:
  // The entry of a queue; made with index 0 if it is new. `queue_id` >= 0.
  NextQueueOffset& of(std::string_view topic, std::int32_t queue_id);
  // Those queues of a topic whose next index is not 0, by their ids.
  std::vector<std::pair<std::int32_t, QueueOffset>> of_topic(std::string_view topic) const;
  // The queues of a topic begin anew.
  void forget(std::string_view topic);

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  using Queues = std::map<std::int32_t, NextQueueOffset>;
  // Only ever looked up, never walked: the order of a hash table decides nothing.
  std::unordered_map<std::string, Queues, TextHash, std::equal_to<>> topics_;
};

}  // namespace drydock
