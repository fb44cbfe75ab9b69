// Pure: how fast a device writes, and how fast one of the tasks that dirty its pages may go.
//
// Two estimates, each looked at every 200 ms at most:
//
//   bandwidth   pages per second that completed, over about three seconds; and a second average of
//               that which follows only a lasting change.
//   base rate   (dirty_ratelimit) what a task may dirty at a position ratio of 1. It is stepped
//               towards the balanced rate, at which tasks dirty as much as the device writes.
//
// Both outlive an idle time: a device that was mostly idle begins with what it last learnt, 100 MiB
// per second if it never wrote. Source: Linux I/O model, section 1.5.
#pragma once

#include "sim/pagecache/throttle_law.hpp"

namespace drydock::sim {

// Pages that a device's tasks have dirtied and that it has written, ever.
struct PageTotals {
  std::int64_t dirtied = 0;
  std::int64_t written = 0;
};

// What a device's tasks may dirty: the base rate (dirty_ratelimit) is stepped towards the balanced
// one. Pages per second.
struct BaseRate {
  std::int64_t rate = 1;
  std::int64_t balanced = 1;
};
// One step. `task_rate`: base rate times position ratio. `dirty_rate`: what all tasks of the device
// dirtied per second since the last step.
BaseRate step_base_rate(BaseRate before, std::int64_t task_rate, std::int64_t dirty_rate,
                        std::int64_t average_bandwidth, const DirtyState& state);

class BandwidthEstimate {
 public:
  // 100 MiB/s, in pages.
  static constexpr std::int64_t kInitialPagesPerSecond = 25'600;

  // `initial`: of all rates, pages per second, at least 1.
  BandwidthEstimate(std::int64_t hz, std::int64_t initial);

  DeviceRates rates() const { return {.average_bandwidth = average_, .base_rate = base_.rate}; }
  std::int64_t bandwidth() const { return bandwidth_; }

  // Whether 200 ms have passed since the last update.
  bool due(Jiffies now) const { return now > updated_ + hz_ / 5; }

  // Writeback begins on a device that was idle for that long: its idle time does not count.
  void begin(const PageTotals& totals, Jiffies now);
  // A decision outside of free run updates both; the flusher and the end of writeback, the
  // bandwidth alone.
  void update_all(const PageTotals& totals, const DirtyState& state, std::int64_t position_ratio,
                  Jiffies now);
  void update_bandwidth(const PageTotals& totals, Jiffies now);

 private:
  Jiffies elapsed(Jiffies now) const { return std::max<Jiffies>(now - updated_, 1); }

  std::int64_t hz_;
  std::int64_t window_;  // Jiffies: 3 s, rounded up to a power of two.
  std::int64_t bandwidth_;
  std::int64_t average_;
  BaseRate base_;
  Jiffies updated_ = 0;
  PageTotals stamp_;
};

}  // namespace drydock::sim
