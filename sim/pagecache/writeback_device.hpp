// A block device as the page cache sees it: which files on it are dirty, how much of it is, how
// fast it writes, and its flusher.
//
// The flusher is in one of three states: idle (nothing is dirty, no timer), ticking (a timer every
// `interval` while a file is dirty), full (the block layer or the journal keeps the pages that it
// wrote last, or as many are under writeback as the device's queue takes: it goes on when that has
// changed).
#pragma once

#include "sim/kernel/kernel.hpp"
#include "sim/pagecache/bandwidth_estimate.hpp"
#include "sim/pagecache/dirty_domain.hpp"

namespace drydock::sim {

class PageCache;

struct WritebackDeviceOptions {
  // Pages that the device may have dirty or under writeback, whatever the host's limits say: its
  // `max_bytes` with `strict_limit` set. 0: it has no limit of its own.
  std::int64_t strict_pages = 0;
};

// The cache outlives it; it outlives its files. Its members are the page cache's.
class WritebackDevice {
 public:
  explicit WritebackDevice(PageCache& cache, WritebackDeviceOptions options = {});
  WritebackDevice(const WritebackDevice&) = delete;
  WritebackDevice& operator=(const WritebackDevice&) = delete;

  std::int64_t dirty_pages() const { return dirty_; }
  std::int64_t writeback_pages() const { return writeback_; }
  const BandwidthEstimate& estimate() const { return estimate_; }

 private:
  friend class PageCache;
  friend class DirtyThrottle;

  class Timer : public Wakeup {
   public:
    Timer(WritebackDevice& device, void (PageCache::*action)(WritebackDevice&), std::uint32_t host)
        : Wakeup(&Timer::on_run, EventKind::writeback, host), device_(device), action_(action) {}

   private:
    static void on_run(Wakeup& wakeup) {
      auto& self = static_cast<Timer&>(wakeup);
      self.device_.run(self.action_);
    }
    WritebackDevice& device_;
    void (PageCache::*action_)(WritebackDevice&);
  };
  void run(void (PageCache::*action)(WritebackDevice&));

  PageCache& cache_;
  WritebackDeviceOptions options_;
  std::int64_t dirty_ = 0;
  std::int64_t writeback_ = 0;
  PageTotals totals_;
  BandwidthEstimate estimate_;
  CompletionShare share_;
  bool exceeded_ = false;    // Over its share and over the limit: its tasks are checked more often.
  bool write_all_ = false;   // At its next run, the flusher writes what is not old, too.
  bool full_ = false;        // The flusher waits.
  int flusher_blocked_ = 0;  // Writebacks of the flusher that are not taken yet.
  std::int64_t next_tick_ = 0;  // Of the flusher, virtual time.
  IntrusiveList dirty_files_;   // CachedFile, in the order in which they became dirty.
  Timer flusher_;
  Timer estimate_timer_;  // 200 ms after a file's last writeback has ended.
};

}  // namespace drydock::sim
