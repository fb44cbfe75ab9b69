// A queue of wake-ups ordered by (time, insertion), with O(1) insertion and O(1) removal.
//
// A hierarchical timing wheel (Varghese and Lauck 1987): eleven levels of 64 slots; an entry sits
// at the level of the highest 6-bit digit in which its time differs from `base_`, the time of the
// entry returned last. Two properties make it exact rather than approximate:
//
//  1. Entries of equal time are always in the same slot, and every slot is a list in insertion
//     order, so equal times come out in insertion order without a sequence number.
//  2. When the lowest occupied slot is opened, `base_` moves to the *smallest time inside it*, not
//     to the slot's edge. A burst of equal times is therefore moved once, whatever the distance.
//
// Invariant: every queued time >= base_. Removal is plain unlinking, so a slot's bit may be stale;
// it is cleared when the slot is found empty. Compared with heaps in tests/bench/queues.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "engine/runtime/wakeup.hpp"

namespace drydock {

class TimerQueue {
 public:
  TimerQueue() = default;
  TimerQueue(const TimerQueue&) = delete;
  TimerQueue& operator=(const TimerQueue&) = delete;

  // Queues `entry` for `time`; a time before the last popped one counts as that time. An entry that
  // is still queued is moved.
  void insert(Wakeup& entry, std::int64_t time) {
    entry.unlink();
    entry.time_ = time < base_ ? base_ : time;
    place(entry);
  }

  // Removes and returns the first entry whose time is <= `limit`, or null. `skip` chooses among
  // entries of the same time: 0 takes the oldest, k the k-th (or the last) of them.
  Wakeup* pop(std::int64_t limit, std::uint64_t skip = 0) {
    if (!prepare(limit)) return nullptr;
    ListLink* link = due_.front();
    for (; skip > 0; --skip) {
      ListLink* const next = due_.after(link);
      if (next == nullptr) break;
      link = next;
    }
    link->unlink();
    return static_cast<Wakeup*>(link);
  }

  // Whether `pop(limit)` would return an entry; if so, the next call must be that pop. In between,
  // `count_due` tells how many entries of that time there are, counting no further than `most`.
  bool prepare(std::int64_t limit) {
    if (due_.empty() && !open_next_slot(limit)) return false;
    return base_ <= limit;
  }
  std::uint64_t count_due(std::uint64_t most) {
    std::uint64_t count = 0;
    if (due_.empty()) return count;
    for (ListLink* link = due_.front(); link != nullptr && count < most; link = due_.after(link)) {
      ++count;
    }
    return count;
  }

  // True if another entry of the time popped last is waiting.
  bool has_due() const { return !due_.empty(); }

  // The time of the first entry, or `none` if the queue is empty. Moves no entry.
  std::int64_t next_time(std::int64_t none);

  // Calls `visit(Wakeup&)` for every queued entry; `visit` must not change the queue.
  template <class Visit>
  void for_each(Visit visit) {
    visit_list(due_, visit);
    for (auto& level : slots_) {
      for (IntrusiveList& slot : level) visit_list(slot, visit);
    }
  }

 private:
  static constexpr int kDigitBits = 6;
  static constexpr int kSlots = 1 << kDigitBits;
  static constexpr int kLevels = 11;  // 66 bits cover every non-negative 64-bit time.

  void place(Wakeup& entry) {
    const std::uint64_t difference = static_cast<std::uint64_t>(entry.time_ ^ base_);
    if (difference == 0) {
      due_.push_back(entry);
      return;
    }
    const auto level = static_cast<std::size_t>((63 - std::countl_zero(difference)) / kDigitBits);
    const std::size_t slot =
        (static_cast<std::uint64_t>(entry.time_) >> (level * kDigitBits)) & (kSlots - 1);
    if (entry.hint_ != nullptr) prefetch(entry, level);
    slots_[level][slot].push_back(entry);
    occupied_[level] |= std::uint64_t{1} << slot;
    levels_ |= 1u << level;
  }

  // With 100,000 nodes in flight most of the time of an event is spent on cache misses. An entry in
  // the lower levels is about to run: within 64 ns of virtual time at level 0, within 256 µs at
  // level 2. A frame and its strand span about eight cache lines around the waiter.
  // Inlined by force: g++ 12 takes a function that only prefetches for one without effect and drops
  // calls of it.
  [[gnu::always_inline]] static void prefetch(const Wakeup& entry, std::size_t level) {
    if (level > 2) return;
    if (level > 0) return __builtin_prefetch(entry.hint_);
    constexpr std::ptrdiff_t kLine = 64;
    const auto* const waiter = reinterpret_cast<const char*>(*entry.hint_);
    if (waiter == nullptr) return;
    for (std::ptrdiff_t line = -6; line < 2; ++line) __builtin_prefetch(waiter + line * kLine);
  }

  template <class Visit>
  static void visit_list(IntrusiveList& list, Visit& visit) {
    if (list.empty()) return;
    for (ListLink* link = list.front(); link != nullptr; link = list.after(link)) {
      visit(static_cast<Wakeup&>(*link));
    }
  }

  // Finds the lowest slot that still has entries, clearing stale bits. Null if there is none.
  IntrusiveList* lowest_slot(std::size_t& level_out, std::size_t& slot_out);
  static std::int64_t smallest_time(IntrusiveList& list);
  // Moves the entries of the smallest queued time to `due_`, unless that time is beyond `limit`.
  bool open_next_slot(std::int64_t limit);

  std::int64_t base_ = 0;
  IntrusiveList due_;  // Entries whose time is base_.
  std::uint32_t levels_ = 0;
  std::array<std::uint64_t, kLevels> occupied_{};
  std::array<std::array<IntrusiveList, kSlots>, kLevels> slots_;
};

}  // namespace drydock
