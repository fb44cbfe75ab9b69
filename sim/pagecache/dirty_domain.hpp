// What the devices of a host share: the count of dirty pages, and the limits on it. (A memory
// cgroup would be a domain of its own.)
#pragma once

#include "sim/pagecache/completion_share.hpp"
#include "sim/pagecache/kernel_profile.hpp"

namespace drydock::sim {

// vm.dirty_* of a host.
struct DirtyLimits {
  // In bytes; or, where that is 0, in percent of the memory that may become dirty.
  std::int64_t dirty_bytes = 0;
  std::int64_t background_bytes = 0;
  std::int64_t dirty_percent = 20;
  std::int64_t background_percent = 10;
  std::int64_t dirtyable_pages = 0;
};

class DirtyDomain {
 public:
  DirtyDomain(const DirtyLimits& limits, std::int64_t hz);

  // D and W, in pages.
  std::int64_t dirty = 0;
  std::int64_t writeback = 0;

  std::int64_t threshold() const { return threshold_; }
  std::int64_t background() const { return background_; }
  // The smoothed limit.
  std::int64_t limit() const { return std::max(limit_, threshold_); }
  Completions& completions() { return completions_; }

  // Free and file pages have changed: ratios apply to that many now.
  void set_dirtyable(std::int64_t pages);
  // Moves the smoothed limit, every 200 ms at most.
  void smooth(Jiffies now);

 private:
  void set_thresholds();

  DirtyLimits limits_;
  Jiffies interval_;
  std::int64_t threshold_ = 0;
  std::int64_t background_ = 0;
  std::int64_t limit_ = 0;
  Jiffies smoothed_at_ = 0;
  Completions completions_;
};

}  // namespace drydock::sim
