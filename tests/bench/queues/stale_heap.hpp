// Candidate: the binary heap of the baseline. Arming pushes, disarming only moves the generation
// on; stale entries stay until their time and are skipped by pop().
#pragma once

#include <cstdint>
#include <vector>

#include "tests/bench/bare_heap/event_heap.hpp"
#include "tests/bench/queues/queue_worlds.hpp"

namespace drydock::bench {

class StaleHeapQueue {
 public:
  explicit StaleHeapQueue(std::uint32_t timers) : generations_(timers) {}

  // A posted word is split over the event's two halves; the timer mark is the top bit of the upper
  // half, which no word of the workloads uses.
  void post(std::int64_t time, std::uint64_t word) {
    heap_.push(time, static_cast<std::uint32_t>(word >> 32), static_cast<std::uint32_t>(word));
  }
  void arm(std::uint32_t timer, std::int64_t time) {
    heap_.push(time, kTimerMark | timer, ++generations_[timer]);
  }
  void disarm(std::uint32_t timer) { ++generations_[timer]; }

  bool pop(Popped& next) {
    while (!heap_.empty()) {
      const HeapEvent event = heap_.pop();
      if ((event.target & kTimerMark) == 0) {
        next = {event.time, std::uint64_t{event.target} << 32 | event.value, false};
        return true;
      }
      const std::uint32_t timer = event.target & ~kTimerMark;
      if (generations_[timer] != event.value) continue;
      next = {event.time, timer, true};
      return true;
    }
    return false;
  }

 private:
  static constexpr std::uint32_t kTimerMark = 1u << 31;

  EventHeap heap_;
  std::vector<std::uint32_t> generations_;
};

}  // namespace drydock::bench
