#include "sim/pagecache/bandwidth_estimate.hpp"

#include <bit>

namespace drydock::sim {

BaseRate step_base_rate(BaseRate before, std::int64_t task_rate, std::int64_t dirty_rate,
                        std::int64_t average_bandwidth, const DirtyState& state) {
  const std::int64_t allowed = task_rate + 1;  // So that a tiny rate can grow.
  // What a task should have been allowed for all of them together to match the device.
  const std::int64_t balanced =
      std::min(allowed * average_bandwidth / (dirty_rate | 1), average_bandwidth);

  // Three rates must agree before the base rate moves; the closest of them says how far.
  const bool below =
      state.strict ? state.device_dirty < free_run(state.device_threshold, state.device_background)
                   : state.dirty < set_point(state);
  std::int64_t step = 0;
  if (below) {
    step = std::min({before.balanced, balanced, allowed}) - before.rate;
  } else {
    step = before.rate - std::max({before.balanced, balanced, allowed});
  }
  step = std::max<std::int64_t>(step, 0);

  // The smaller the step is against the rate, the less of it is taken.
  const std::int64_t damping = before.rate / (2 * step + 1);
  step = damping < 64 ? ((step >> damping) + 7) / 8 : 0;
  const std::int64_t rate = before.rate < balanced ? before.rate + step : before.rate - step;
  return {.rate = std::max<std::int64_t>(rate, 1), .balanced = balanced};
}

BandwidthEstimate::BandwidthEstimate(std::int64_t hz, std::int64_t initial)
    : hz_(hz),
      window_(static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(3 * hz)))),
      bandwidth_(initial),
      average_(initial),
      base_{.rate = initial, .balanced = initial} {
  ENSURE(initial >= 1);
}

void BandwidthEstimate::begin(const PageTotals& totals, Jiffies now) {
  updated_ = now;
  stamp_ = totals;
}

void BandwidthEstimate::update_all(const PageTotals& totals, const DirtyState& state,
                                   std::int64_t position_ratio, Jiffies now) {
  const std::int64_t dirty_rate = (totals.dirtied - stamp_.dirtied) * hz_ / elapsed(now);
  const std::int64_t task_rate = ThrottleLaw::task_rate(base_.rate, position_ratio);
  base_ = step_base_rate(base_, task_rate, dirty_rate, average_, state);
  update_bandwidth(totals, now);
}

void BandwidthEstimate::update_bandwidth(const PageTotals& totals, Jiffies now) {
  const Jiffies since = elapsed(now);
  const std::int64_t written = (totals.written - stamp_.written) * hz_;
  updated_ = now;
  stamp_ = totals;
  if (since > window_) {
    bandwidth_ = written / since;
    average_ = std::max<std::int64_t>(bandwidth_, 1);
    return;
  }
  const std::int64_t before = bandwidth_;
  bandwidth_ = (written + before * (window_ - since)) / window_;
  // Only while the estimate moves further away from the average: a spike alone does not move it.
  if (average_ > before && before >= bandwidth_) average_ -= (average_ - before) >> 3;
  if (average_ < before && before <= bandwidth_) average_ += (before - average_) >> 3;
  average_ = std::max<std::int64_t>(average_, 1);
}

}  // namespace drydock::sim
