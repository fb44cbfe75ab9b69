// Pure: when a task that dirties pages has to sleep, and for how long. Linux's control law
// (balance_dirty_pages, since 3.2), in the kernel's own arithmetic: integers, ratios with ten
// binary places, time in jiffies (1/HZ s). Pages are 4 KiB, rates are pages per second.
//
//     free run         setpoint       limit
//   0 ──────┼───────────────┼───────────┼──►  D + W = dirty pages + pages under writeback
//     no sleep    ratio > 1     ratio < 1    ratio = 0: blocked
//
// A task may dirty `task_rate = base rate of the device * position ratio` pages per second. The
// base rate is what the device's estimator (bandwidth_estimate.hpp) believes to be one task's fair
// share of it. The ratio comes from where D + W stands, by a cubic, and from where the device's own
// part stands, by a line.
//
// Source: Linux I/O model, sections 1.1 to 1.4; experiment A1 replays recorded decisions of a 6.18
// kernel through this file.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/types/ensure.hpp"

namespace drydock::sim {

using Jiffies = std::int64_t;

// A position ratio of 1.
inline constexpr std::int64_t kRatioOne = 1 << 10;
// No poll interval and no pause is aimed below this many pages (128 KiB).
inline constexpr std::int64_t kPollPagesMin = 32;
// Dirtied by one task of a device that is over its limit before it is checked.
inline constexpr std::int64_t kPollPagesExceeded = 8;

// Where a dirty domain and one device in it stand, in pages.
struct DirtyState {
  std::int64_t threshold = 0;   // From vm.dirty_bytes or vm.dirty_ratio.
  std::int64_t background = 0;  // Below `threshold`.
  std::int64_t limit = 0;       // `threshold`, smoothed on its way down; at least `threshold`.
  std::int64_t dirty = 0;       // D + W of the domain.
  // The device's share of both thresholds, and its own D + W.
  std::int64_t device_threshold = 0;
  std::int64_t device_background = 0;
  std::int64_t device_dirty = 0;
  // The device is held to its own share alone (`strict_limit`).
  bool strict = false;
};

// Below it nobody sleeps. Also of a device with a strict limit, from its own thresholds.
constexpr std::int64_t free_run(std::int64_t threshold, std::int64_t background) {
  return (threshold + background) / 2;
}
constexpr std::int64_t set_point(const DirtyState& state) {
  return (free_run(state.threshold, state.background) + state.limit) / 2;
}
constexpr bool runs_free(const DirtyState& state) {
  if (state.strict) {
    return state.device_dirty <= free_run(state.device_threshold, state.device_background);
  }
  return state.dirty <= free_run(state.threshold, state.background);
}
// The limit 200 ms later: up to a higher threshold at once, down by 1/32 of the way, never below
// what is dirty.
std::int64_t smoothed_limit(std::int64_t limit, std::int64_t threshold, std::int64_t dirty);

// Pages that a task in free run may dirty before it is checked again.
std::int64_t poll_interval(std::int64_t threshold, std::int64_t dirty);
inline std::int64_t poll_interval(const DirtyState& state) {
  if (state.strict) return poll_interval(state.device_threshold, state.device_dirty);
  return poll_interval(state.threshold, state.dirty);
}

// In units of kRatioOne, from 0 (blocked) to 16. `average_bandwidth`: of the device.
std::int64_t position_ratio(const DirtyState& state, std::int64_t average_bandwidth);

// What one task has done since its clock was set. A task begins with these values.
struct TaskThrottle {
  std::int64_t dirtied = 0;                    // Pages (nr_dirtied).
  std::int64_t dirtied_pause = kPollPagesMin;  // Pages; checked when there are as many.
  Jiffies paused_when = 0;                     // 0: it never slept.
};

// What the device's estimator says, in pages per second; each at least 1.
struct DeviceRates {
  std::int64_t average_bandwidth = 1;
  std::int64_t base_rate = 1;  // dirty_ratelimit
};

// One decision about a task outside of free run.
struct ThrottleDecision {
  std::int64_t task_rate = 0;     // Pages per second; 0: blocked.
  Jiffies period = 0;             // What the pages are worth at that rate.
  Jiffies pause = 0;              // Of it, what has not passed yet; negative: credit.
  Jiffies sleep = 0;              // 0: the task goes on at once.
  Jiffies max_pause = 0;          // At least 1, at most 200 ms.
  Jiffies min_pause = 0;          // A shorter pause is not slept but carried over.
  std::int64_t next_pages = 0;    // The task's `dirtied_pause` once it has slept.
  Jiffies clock_after_sleep = 0;  // The task's `paused_when` then.
  bool blocked() const { return task_rate == 0; }
};

// The law for a kernel with `hz` jiffies per second (100 to 1000).
class ThrottleLaw {
 public:
  explicit ThrottleLaw(std::int64_t hz);

  std::int64_t hz() const { return hz_; }
  // Rounded up, as the kernel's own conversion is.
  Jiffies jiffies_of_ms(std::int64_t ms) const { return (ms * hz_ + 999) / 1000; }

  // About 1/8 of the time that the device needs for what it has, at most 200 ms.
  Jiffies max_pause(std::int64_t device_dirty, std::int64_t average_bandwidth) const;

  static std::int64_t task_rate(std::int64_t base_rate, std::int64_t position_ratio) {
    return base_rate * position_ratio / kRatioOne;
  }
  ThrottleDecision decide(std::int64_t task_rate, const DeviceRates& rates,
                          std::int64_t device_dirty, const TaskThrottle& task, Jiffies now) const;

  // The task's state after each kind of decision.
  static void run_free(TaskThrottle& task, const DirtyState& state, Jiffies now);
  void go_on(TaskThrottle& task, const ThrottleDecision& decision, Jiffies now) const;
  static void slept(TaskThrottle& task, const ThrottleDecision& decision);

 private:
  struct Target {
    Jiffies min_pause;
    std::int64_t pages;
  };
  Target target(Jiffies max_pause, std::int64_t task_rate, const DeviceRates& rates) const;

  std::int64_t hz_;
  std::int64_t hz_pow2_;  // HZ, rounded up to a power of two.
};

}  // namespace drydock::sim
