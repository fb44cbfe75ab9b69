// The peer we are judged against: a plain binary heap of 24-byte events, as good as a competent
// engineer writes it in an afternoon.
//
// Ordered by (time, insertion number). Nothing is ever removed from the middle: a cancelled timer
// stays until its time comes and its owner then recognises it by a stale generation. pop() walks
// the hole down to a leaf along the smaller children and lets the last event rise from there, which
// costs about one comparison per level and suits events that belong near the bottom.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace drydock::bench {

struct HeapEvent {
  std::int64_t time;
  std::uint64_t order;
  std::uint32_t target;
  std::uint32_t value;
};
static_assert(sizeof(HeapEvent) == 24);

class EventHeap {
 public:
  bool empty() const { return events_.empty(); }
  std::size_t size() const { return events_.size(); }
  std::int64_t next_time() const { return events_.front().time; }

  void push(std::int64_t time, std::uint32_t target, std::uint32_t value) {
    events_.emplace_back();
    rise(events_.size() - 1, HeapEvent{time, next_order_++, target, value});
  }

  HeapEvent pop() {
    const HeapEvent first = events_.front();
    const HeapEvent last = events_.back();
    events_.pop_back();
    if (!events_.empty()) rise(sink_hole(), last);
    return first;
  }

 private:
  static bool before(const HeapEvent& a, const HeapEvent& b) { return key(a) < key(b); }

  // One 128-bit comparison: no branch on equal times.
  __extension__ using Key = unsigned __int128;
  static Key key(const HeapEvent& event) {
    return Key{static_cast<std::uint64_t>(event.time)} << 64 | event.order;
  }

  std::size_t sink_hole() {
    HeapEvent* events = events_.data();
    const std::size_t count = events_.size();
    std::size_t hole = 0;
    std::size_t child = 2;
    while (child < count) {
      child -= before(events[child - 1], events[child]) ? 1 : 0;
      events[hole] = events[child];
      hole = child;
      child = 2 * hole + 2;
    }
    if (child == count) {  // A single child, the last event.
      events[hole] = events[count - 1];
      hole = count - 1;
    }
    return hole;
  }

  void rise(std::size_t hole, const HeapEvent& event) {
    HeapEvent* events = events_.data();
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / 2;
      if (!before(event, events[parent])) break;
      events[hole] = events[parent];
      hole = parent;
    }
    events[hole] = event;
  }

  std::vector<HeapEvent> events_;
  std::uint64_t next_order_ = 0;
};

}  // namespace drydock::bench
