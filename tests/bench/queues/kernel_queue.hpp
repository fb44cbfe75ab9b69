// The kernel's own queue in the same table: engine/runtime/timer_queue.hpp with posted events from
// a pool. What it costs beyond the candidate `queue-wheel` is the generality of its entries.
#pragma once

#include <cstdint>
#include <deque>

#include "engine/runtime/timer_queue.hpp"
#include "tests/bench/queues/queue_worlds.hpp"

namespace drydock::bench {

class KernelQueue {
 public:
  explicit KernelQueue(std::uint32_t timers) {
    for (std::uint32_t timer = 0; timer < timers; ++timer) {
      timers_.emplace_back(EventKind::timer, timer);
    }
  }

  void post(std::int64_t time, std::uint64_t word) {
    if (free_.empty()) free_.push_back(posted_.emplace_back(EventKind::user, 0));
    auto& entry = static_cast<Entry&>(*free_.front());
    entry.word = word;
    queue_.insert(entry, time);
  }
  void arm(std::uint32_t timer, std::int64_t time) { queue_.insert(timers_[timer], time); }
  void disarm(std::uint32_t timer) { timers_[timer].unlink(); }

  bool pop(Popped& next) {
    Wakeup* const popped = queue_.pop(INT64_MAX);
    if (popped == nullptr) return false;
    const bool is_timer = popped->kind() == EventKind::timer;
    next = {popped->time(), is_timer ? popped->subject() : static_cast<Entry*>(popped)->word,
            is_timer};
    if (!is_timer) free_.push_back(*popped);
    return true;
  }

 private:
  struct Entry : Wakeup {
    Entry(EventKind kind, std::uint32_t subject) : Wakeup(nullptr, kind, subject) {}
    std::uint64_t word = 0;
  };

  std::deque<Entry> timers_;
  std::deque<Entry> posted_;
  IntrusiveList free_;
  TimerQueue queue_;
};

}  // namespace drydock::bench
