// The other bare heap: std::priority_queue over the same 24-byte events. Its branching comparison
// lets the processor run ahead into the next level, which wins once the heap outgrows the caches;
// the hand-written EventHeap wins while it fits. Targets are held against the better of the two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <queue>
#include <vector>

#include "tests/bench/bare_heap/event_heap.hpp"

namespace drydock::bench {

class StdHeap {
 public:
  bool empty() const { return events_.empty(); }
  std::size_t size() const { return events_.size(); }
  std::int64_t next_time() const { return events_.top().time; }

  void push(std::int64_t time, std::uint32_t target, std::uint32_t value) {
    events_.push(HeapEvent{time, next_order_++, target, value});
  }

  HeapEvent pop() {
    const HeapEvent first = events_.top();
    events_.pop();
    return first;
  }

 private:
  struct Later {
    bool operator()(const HeapEvent& a, const HeapEvent& b) const {
      return a.time != b.time ? a.time > b.time : a.order > b.order;
    }
  };

  std::priority_queue<HeapEvent, std::vector<HeapEvent>, Later> events_;
  std::uint64_t next_order_ = 0;
};

}  // namespace drydock::bench
