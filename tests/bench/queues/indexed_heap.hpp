// Candidate: a 4-ary heap that knows where each entry stands, so a disarmed timer leaves at once
// and the heap holds live events only. Entry slots below the number of timers belong to the timers;
// posted events take slots from a free list above.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/bench/queues/queue_worlds.hpp"

namespace drydock::bench {

class IndexedHeapQueue {
 public:
  explicit IndexedHeapQueue(std::uint32_t timers)
      : timers_(timers), positions_(timers, kAbsent), words_(timers) {}

  void post(std::int64_t time, std::uint64_t word) {
    std::uint32_t slot = free_;
    if (slot == kAbsent) {
      slot = static_cast<std::uint32_t>(words_.size());
      words_.push_back(word);
      positions_.push_back(kAbsent);
    } else {
      free_ = static_cast<std::uint32_t>(words_[slot]);  // The free list runs through the words.
      words_[slot] = word;
    }
    insert(slot, time);
  }

  void arm(std::uint32_t timer, std::int64_t time) {
    const Entry entry{time, next_order_++, timer};
    const std::uint32_t at = positions_[timer];
    if (at == kAbsent) {
      heap_.push_back(entry);
      rise(heap_.size() - 1, entry);
    } else {
      settle(at, entry);
    }
  }

  void disarm(std::uint32_t timer) {
    const std::uint32_t at = positions_[timer];
    if (at == kAbsent) return;
    positions_[timer] = kAbsent;
    const Entry last = heap_.back();
    heap_.pop_back();
    if (at < heap_.size()) settle(at, last);
  }

  bool pop(Popped& next) {
    if (heap_.empty()) return false;
    const Entry first = heap_.front();
    const Entry last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sink(0, last);
    positions_[first.slot] = kAbsent;
    if (first.slot < timers_) {
      next = {first.time, first.slot, true};
    } else {
      next = {first.time, words_[first.slot], false};
      words_[first.slot] = free_;
      free_ = first.slot;
    }
    return true;
  }

 private:
  static constexpr std::uint32_t kAbsent = 0xffffffff;

  struct Entry {
    std::int64_t time;
    std::uint64_t order;
    std::uint32_t slot;
  };

  __extension__ using Key = unsigned __int128;
  static bool before(const Entry& a, const Entry& b) {
    return (Key{static_cast<std::uint64_t>(a.time)} << 64 | a.order) <
           (Key{static_cast<std::uint64_t>(b.time)} << 64 | b.order);
  }

  void place(std::size_t at, const Entry& entry) {
    heap_[at] = entry;
    positions_[entry.slot] = static_cast<std::uint32_t>(at);
  }

  void insert(std::uint32_t slot, std::int64_t time) {
    const Entry entry{time, next_order_++, slot};
    heap_.push_back(entry);
    rise(heap_.size() - 1, entry);
  }

  void settle(std::size_t at, const Entry& entry) {
    if (at > 0 && before(entry, heap_[(at - 1) / 4])) {
      rise(at, entry);
    } else {
      sink(at, entry);
    }
  }

  void rise(std::size_t at, const Entry& entry) {
    while (at > 0) {
      const std::size_t parent = (at - 1) / 4;
      if (!before(entry, heap_[parent])) break;
      place(at, heap_[parent]);
      at = parent;
    }
    place(at, entry);
  }

  void sink(std::size_t at, const Entry& entry) {
    const std::size_t count = heap_.size();
    for (std::size_t child = 4 * at + 1; child < count; child = 4 * at + 1) {
      const std::size_t end = child + 4 < count ? child + 4 : count;
      std::size_t least = child;
      for (std::size_t other = child + 1; other < end; ++other) {
        if (before(heap_[other], heap_[least])) least = other;
      }
      if (!before(heap_[least], entry)) break;
      place(at, heap_[least]);
      at = least;
    }
    place(at, entry);
  }

  std::uint32_t timers_;
  std::uint32_t free_ = kAbsent;
  std::uint64_t next_order_ = 0;
  std::vector<Entry> heap_;
  std::vector<std::uint32_t> positions_;  // By slot.
  std::vector<std::uint64_t> words_;      // By slot.
};

}  // namespace drydock::bench
