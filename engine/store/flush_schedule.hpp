// When the asynchronous flush is thorough, and the commit of the transient pool. Pure.
//
// RocketMQ's loop: look at the clock; if `thorough` has passed since the last thorough round, this
// round flushes every dirty byte and its start is remembered, else it flushes only if at least
// `least_pages` are dirty; sleep `interval`; flush; again. The rounds of an idle broker find
// nothing to flush but still move the time of the last thorough round, so they can't simply be left
// out: `least_pages_of` computes what the k-th of them would have decided.
//
// Times are wall clock milliseconds, as RocketMQ takes them: a wall clock that is set back delays
// the next thorough round by as much.
#pragma once

#include <algorithm>
#include <cstdint>

namespace drydock {

class FlushSchedule {
 public:
  // Intervals in ms, > 0.
  FlushSchedule(std::int64_t interval_ms, std::int64_t thorough_ms, std::int32_t least_pages)
      : interval_ms_(interval_ms), thorough_ms_(thorough_ms), least_pages_(least_pages) {}

  // A round starts at `start_ms` and `rounds` - 1 more follow it, each `interval` after the one
  // before. How many pages must be dirty for the last of them to flush. `rounds` >= 1.
  std::int32_t least_pages_of(std::int64_t start_ms, std::int64_t rounds) {
    const std::int64_t last_round = rounds - 1;
    // Index of the first round that is thorough, and from then on every `period` rounds.
    const std::int64_t wait_ms = last_thorough_ms_ + thorough_ms_ - start_ms;
    const std::int64_t first = std::max<std::int64_t>(0, divide_up(wait_ms));
    if (first > last_round) return least_pages_;
    const std::int64_t period = std::max<std::int64_t>(1, divide_up(thorough_ms_));
    const std::int64_t latest = first + (last_round - first) / period * period;
    last_thorough_ms_ = start_ms + latest * interval_ms_;
    return latest == last_round ? 0 : least_pages_;
  }
  // The next thorough round is counted from `ms`, as RocketMQ does after a commit of anything.
  void worked_at(std::int64_t ms) { last_thorough_ms_ = ms; }

 private:
  // a / interval, rounded up; a <= 0 gives at most 0.
  std::int64_t divide_up(std::int64_t a) const {
    return a <= 0 ? 0 : (a + interval_ms_ - 1) / interval_ms_;
  }

  std::int64_t interval_ms_;
  std::int64_t thorough_ms_;
  std::int32_t least_pages_;
  std::int64_t last_thorough_ms_ = 0;  // RocketMQ starts with 0: the first round is thorough.
};

}  // namespace drydock
