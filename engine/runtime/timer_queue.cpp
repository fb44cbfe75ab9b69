#include "engine/runtime/timer_queue.hpp"

namespace drydock {

IntrusiveList* TimerQueue::lowest_slot(std::size_t& level_out, std::size_t& slot_out) {
  while (levels_ != 0) {
    const auto level = static_cast<std::size_t>(std::countr_zero(levels_));
    while (occupied_[level] != 0) {
      const auto slot = static_cast<std::size_t>(std::countr_zero(occupied_[level]));
      IntrusiveList& list = slots_[level][slot];
      if (!list.empty()) {
        level_out = level;
        slot_out = slot;
        return &list;
      }
      occupied_[level] &= occupied_[level] - 1;
    }
    levels_ &= levels_ - 1;
  }
  return nullptr;
}

std::int64_t TimerQueue::smallest_time(IntrusiveList& list) {
  std::int64_t smallest = static_cast<Wakeup*>(list.front())->time_;
  for (ListLink* link = list.front(); link != nullptr; link = list.after(link)) {
    const std::int64_t time = static_cast<Wakeup*>(link)->time_;
    if (time < smallest) smallest = time;
  }
  return smallest;
}

bool TimerQueue::open_next_slot(std::int64_t limit) {
  std::size_t level = 0;
  std::size_t slot = 0;
  IntrusiveList* const list = lowest_slot(level, slot);
  if (list == nullptr) return false;
  if (level == 0) {  // All entries of a bottom slot have the same time.
    const std::int64_t time = static_cast<Wakeup*>(list->front())->time_;
    if (time > limit) return false;
    base_ = time;
    due_.take_all(*list);
    occupied_[0] &= occupied_[0] - 1;
    return true;
  }
  const std::int64_t smallest = smallest_time(*list);
  if (smallest > limit) return false;
  base_ = smallest;
  IntrusiveList opened;
  opened.take_all(*list);
  occupied_[level] &= occupied_[level] - 1;
  while (!opened.empty()) {
    auto* const entry = static_cast<Wakeup*>(opened.front());
    entry->unlink();
    place(*entry);
  }
  return true;
}

std::int64_t TimerQueue::next_time(std::int64_t none) {
  if (!due_.empty()) return base_;
  std::size_t level = 0;
  std::size_t slot = 0;
  IntrusiveList* const list = lowest_slot(level, slot);
  return list == nullptr ? none : smallest_time(*list);
}

}  // namespace drydock
