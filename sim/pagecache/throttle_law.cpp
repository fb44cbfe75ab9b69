#include "sim/pagecache/throttle_law.hpp"

#include <bit>

namespace drydock::sim {
namespace {

std::int64_t log2_floor(std::int64_t value) {
  return std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(value, 1))) - 1;
}

std::int64_t pow2_ceil(std::int64_t value) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(value)));
}

// 1 + ((set point - dirty) / (limit - set point))^3, between 0 and 2. Each step rounds as the
// kernel's does: the division towards zero, the products downwards.
std::int64_t cubic(std::int64_t set_point, std::int64_t dirty, std::int64_t limit) {
  const std::int64_t x = (set_point - dirty) * kRatioOne / ((limit - set_point) | 1);
  const std::int64_t square = (x * x) >> 10;
  const std::int64_t cube = (square * x) >> 10;
  return std::clamp<std::int64_t>(kRatioOne + cube, 0, 2 * kRatioOne);
}

// A device with a strict limit: the tighter of both cubics.
std::int64_t strict_ratio(const DirtyState& state, std::int64_t global) {
  if (state.device_dirty < 8) return std::min(2 * global, 2 * kRatioOne);
  if (state.device_dirty >= state.device_threshold) return 0;
  const std::int64_t middle = free_run(state.device_threshold, state.device_background);
  if (middle == 0 || middle == state.device_threshold) return 0;
  return std::min(global, cubic(middle, state.device_dirty, state.device_threshold));
}

}  // namespace

std::int64_t smoothed_limit(std::int64_t limit, std::int64_t threshold, std::int64_t dirty) {
  if (limit < threshold) return threshold;
  const std::int64_t floor = std::max(threshold, dirty);
  return limit > floor ? limit - ((limit - floor) >> 5) : limit;
}

std::int64_t poll_interval(std::int64_t threshold, std::int64_t dirty) {
  if (dirty >= threshold) return 1;
  return std::int64_t{1} << (log2_floor(threshold - dirty) >> 1);
}

std::int64_t position_ratio(const DirtyState& state, std::int64_t average_bandwidth) {
  if (state.dirty >= state.limit) return 0;
  const std::int64_t middle = set_point(state);
  std::int64_t ratio = cubic(middle, state.dirty, state.limit);
  if (state.strict) return strict_ratio(state, ratio);

  // The device's own line: 1 at its set point, 0 at `zero`, with sixteen binary places for its
  // share.
  const std::int64_t room = (state.limit - state.dirty) / 8;
  const std::int64_t share = std::max(std::min(state.device_threshold, state.threshold), room);
  const std::int64_t part = (share << 16) / (state.threshold | 1);
  const std::int64_t device_middle = (middle * part) >> 16;
  const std::int64_t span = ((state.threshold - share + 8 * average_bandwidth) * part) >> 16;
  const std::int64_t zero = device_middle + span;
  if (state.device_dirty < zero - span / 4) {
    ratio = ratio * (zero - state.device_dirty) / (span | 1);
  } else {
    ratio /= 4;
  }
  // A device with little to write is let run ahead, so that it does not go idle.
  const std::int64_t reserve = share / 2;
  if (state.device_dirty >= reserve) return ratio;
  return state.device_dirty > reserve / 8 ? ratio * reserve / state.device_dirty : ratio * 8;
}

ThrottleLaw::ThrottleLaw(std::int64_t hz) : hz_(hz), hz_pow2_(pow2_ceil(hz)) {
  ENSURE(hz >= 100);
  ENSURE(hz <= 1000);
}

Jiffies ThrottleLaw::max_pause(std::int64_t device_dirty, std::int64_t average_bandwidth) const {
  const std::int64_t per_slice = 1 + average_bandwidth / pow2_ceil(1 + hz_ / 8);
  return std::min(1 + device_dirty / per_slice, hz_ / 5);
}

// The pause to aim at, 10 ms for one task and 10 ms more for each doubling of their number, in the
// pages that the task dirties meanwhile; and the shortest pause that is slept.
ThrottleLaw::Target ThrottleLaw::target(Jiffies max_pause, std::int64_t task_rate,
                                        const DeviceRates& rates) const {
  const std::int64_t doublings = log2_floor(rates.average_bandwidth) - log2_floor(rates.base_rate);
  Jiffies pause = hz_ / 100;
  if (doublings > 0) pause += doublings * (10 * hz_) / 1024;
  pause = std::min(pause, 1 + max_pause / 2);
  std::int64_t pages = rates.base_rate * pause / hz_pow2_;
  if (pages < kPollPagesMin) {
    pause = max_pause;
    pages = rates.base_rate * pause / hz_pow2_;
    if (pages > kPollPagesMin) {
      pages = kPollPagesMin;
      pause = hz_ * kPollPagesMin / rates.base_rate;
    }
  }
  if (hz_ * pages / (task_rate + 1) > max_pause) {  // The task is much slower than the base rate.
    pause = max_pause;
    pages = task_rate * pause / hz_pow2_;
  }
  return {.min_pause = pages >= kPollPagesMin ? 1 + pause / 2 : pause, .pages = pages};
}

ThrottleDecision ThrottleLaw::decide(std::int64_t task_rate, const DeviceRates& rates,
                                     std::int64_t device_dirty, const TaskThrottle& task,
                                     Jiffies now) const {
  const Jiffies longest = max_pause(device_dirty, rates.average_bandwidth);
  const Target aim = target(longest, task_rate, rates);
  ThrottleDecision decision{.task_rate = task_rate,
                            .max_pause = longest,
                            .min_pause = aim.min_pause,
                            .next_pages = aim.pages};
  if (task_rate == 0) {
    decision.period = longest;
    decision.pause = longest;
    decision.sleep = longest;
    decision.clock_after_sleep = now + longest;
    return decision;
  }
  decision.period = hz_ * task.dirtied / task_rate;
  decision.pause = decision.period;
  if (task.paused_when != 0) decision.pause -= now - task.paused_when;
  if (decision.pause < aim.min_pause) return decision;
  decision.sleep = std::min(decision.pause, longest);
  // What is cut off a long pause is charged by setting the clock into the future, up to as much
  // again as was slept.
  const Jiffies owed = std::min(decision.pause - decision.sleep, longest);
  decision.clock_after_sleep = now + owed + decision.sleep;
  return decision;
}

void ThrottleLaw::run_free(TaskThrottle& task, const DirtyState& state, Jiffies now) {
  task.paused_when = now;
  task.dirtied = 0;
  task.dirtied_pause = poll_interval(state);
}

void ThrottleLaw::go_on(TaskThrottle& task, const ThrottleDecision& decision, Jiffies now) const {
  if (decision.pause < -hz_) {
    task.paused_when = now;
    task.dirtied = 0;
  } else if (decision.period > 0) {
    task.paused_when += decision.period;
    task.dirtied = 0;
  } else if (task.dirtied_pause <= task.dirtied) {
    task.dirtied_pause += task.dirtied;
  }
}

void ThrottleLaw::slept(TaskThrottle& task, const ThrottleDecision& decision) {
  task.paused_when = decision.clock_after_sleep;
  task.dirtied = 0;
  task.dirtied_pause = decision.next_pages;
}

}  // namespace drydock::sim
