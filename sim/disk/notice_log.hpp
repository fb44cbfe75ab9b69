// What a device has told one controller about reservations, and nobody has read: log page 80h.
#pragma once

#include <deque>
#include <optional>

#include "engine/runtime/sync.hpp"
#include "engine/types/reservations.hpp"

namespace drydock::sim {

// Source: reference on reservations, section 12; which one is lost when it is full is assumed.
class NoticeLog {
 public:
  static constexpr std::size_t kEntriesMax = 255;

  void mask(ReservationNoticeMask mask) { mask_ = mask; }
  // Unless it is masked, or there are too many.
  void add(ReservationNotice notice) {
    if (masked(notice)) return;
    ++count_;  // Also of what is lost.
    if (entries_.size() == kEntriesMax) return;
    entries_.push_back({.count = count_, .kind = notice});
    told_.set();
  }
  // The oldest; nothing if there is none.
  std::optional<CountedNotice> take() {
    if (entries_.empty()) return std::nullopt;
    const CountedNotice oldest = entries_.front();
    entries_.pop_front();
    if (entries_.empty()) told_.reset();
    return oldest;
  }
  // The controller was reset: it counts anew, and masks nothing.
  void reset() {
    entries_.clear();
    count_ = 0;
    mask_ = {};
    told_.reset();
  }
  // Set while there is one.
  Event& told() { return told_; }

 private:
  bool masked(ReservationNotice notice) const {
    switch (notice) {
      case ReservationNotice::registration_preempted: return mask_.registration_preempted;
      case ReservationNotice::reservation_released: return mask_.reservation_released;
      case ReservationNotice::reservation_preempted: return mask_.reservation_preempted;
    }
    return false;
  }

  std::deque<CountedNotice> entries_;
  std::uint64_t count_ = 0;
  ReservationNoticeMask mask_;
  Event told_;
};

}  // namespace drydock::sim
