// A periodic poll that costs nothing while nothing changes.
//
// RocketMQ's services look at a condition every so many milliseconds. If only an event can change
// the condition, ticking through an idle hour is waste: the poller waits for the event instead and
// then wakes at the next point of its own grid, so that it acts at the moment at which the ticking
// poller would have acted. A change at exactly a grid point counts as after it, unless an earlier
// change has already put the poller to sleep until that point: then the order of the two decides.
#pragma once

#include "engine/runtime/sync.hpp"

namespace drydock {

class PollGrid {
 public:
  // Grid points are `origin` + k · `period`, k >= 1. `period` > 0.
  PollGrid(const Clock& clock, MonotonicTime origin, Duration period)
      : clock_(clock), origin_(origin), period_(period) {
    ENSURE(period > Duration());
  }

  // The first grid point after `time`.
  MonotonicTime next_after(MonotonicTime time) const {
    if (time < origin_) return origin_ + period_;
    const std::int64_t points = (time - origin_) / period_;
    return origin_ + period_ * (points + 1);
  }

  // Waits until `predicate()` holds at a grid point. `changed` must be set whenever the predicate
  // may have become true; it is reset here. Errors: cancelled; timed_out at the first grid point
  // at or after `deadline` at which it does not hold.
  template <class Predicate>
  Task<Result<void>> until(Event& changed, Predicate predicate, Deadline deadline = kNever) {
    MonotonicTime point = next_after(clock_.now());
    for (;;) {
      changed.reset();
      Result<void> slept = co_await sleep_until(point);
      if (!slept) co_return slept;
      if (predicate()) co_return Result<void>();
      if (clock_.now() >= deadline) co_return ErrorCode::timed_out;
      Result<void> woken = co_await changed.wait(deadline);
      if (!woken && woken.error().code() == ErrorCode::cancelled) co_return woken;
      // A deadline may itself be a point of the grid.
      const bool expired = !woken && clock_.now() >= deadline;
      point = next_after(expired ? deadline - Duration::ns(1) : clock_.now());
    }
  }

 private:
  const Clock& clock_;
  MonotonicTime origin_;
  Duration period_;
};

}  // namespace drydock
