// What the devices of a host share: the count of dirty pages, and the limits on it. The domain of a
// memory control group is not counted apart: all dirty pages of a host are in its one group.
#pragma once

#include "sim/host/kernel_profile.hpp"
#include "sim/pagecache/completion_share.hpp"

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

// How many pages may become dirty: free ones above what the kernel keeps, and those of files.
// Source: Linux I/O model, sections 1.1 and 1.8.
class DirtyableMemory {
 public:
  virtual std::int64_t dirtyable() const = 0;
  // The same of the control group that they are in; of the host if that does not limit them.
  virtual std::int64_t dirtyable_in_group() const = 0;

 protected:
  ~DirtyableMemory() = default;
};

class DirtyDomain {
 public:
  DirtyDomain(const DirtyLimits& limits, std::int64_t hz);

  // D and W, in pages.
  std::int64_t dirty = 0;
  std::int64_t writeback = 0;

  std::int64_t threshold() const { return thresholds().dirty; }
  std::int64_t background() const { return thresholds().background; }
  // The smoothed limit.
  std::int64_t limit() const { return std::max(limit_, threshold()); }
  Completions& completions() { return completions_; }

  // Ratios apply to that many pages from now on; or to what there is of that memory at each time.
  void set_dirtyable(std::int64_t pages);
  void follow(const DirtyableMemory& memory);
  // Moves the smoothed limit, every 200 ms at most.
  void smooth(Jiffies now);

 private:
  struct Thresholds {
    std::int64_t dirty = 0;
    std::int64_t background = 0;
  };
  Thresholds thresholds() const { return memory_ == nullptr ? fixed_ : thresholds_now(); }
  Thresholds thresholds_now() const;
  Thresholds thresholds_of(std::int64_t dirtyable, std::int64_t in_group) const;

  DirtyLimits limits_;
  const DirtyableMemory* memory_ = nullptr;
  Jiffies interval_;
  Thresholds fixed_;
  std::int64_t limit_ = 0;
  Jiffies smoothed_at_ = 0;
  Completions completions_;
};

}  // namespace drydock::sim
