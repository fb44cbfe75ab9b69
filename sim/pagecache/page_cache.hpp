// The page cache of one host: counters, dirtying, flushers.
//
// Counters: D = dirty pages, W = pages under writeback, over all files of the host.
//
// A flusher's tick writes every file that became dirty `expire` ago or earlier, whole. Above the
// background limit it also runs at once and writes chunks of the files, longest dirty first, until
// D is below. It waits for nothing but room in its device's queue: it only starts writeback.
//
// Whoever dirties a page may have to sleep afterwards (dirty_throttle.hpp); what D + W exceeds the
// limit by is what the tasks dirtied since their last check. Source: Linux I/O model, sections 1.1
// to 1.6.
#pragma once

#include "engine/runtime/task.hpp"
#include "sim/host/host.hpp"
#include "sim/pagecache/cached_file.hpp"
#include "sim/pagecache/dirty_throttle.hpp"
#include "sim/pagecache/page_faults.hpp"
#include "sim/pagecache/stall.hpp"

namespace drydock::sim {

struct PageCacheOptions {
  std::int64_t dirty_bytes = std::int64_t{4} << 30;             // vm.dirty_bytes
  std::int64_t dirty_background_bytes = std::int64_t{2} << 30;  // vm.dirty_background_bytes
  Duration expire = Duration::s(30);                            // vm.dirty_expire_centisecs
  Duration interval = Duration::s(5);                           // vm.dirty_writeback_centisecs
  // Where the byte form is 0, vm.dirty_ratio and vm.dirty_background_ratio count: percent of the
  // memory that may become dirty, at first `dirtyable_bytes`.
  std::int64_t dirty_percent = 20;
  std::int64_t dirty_background_percent = 10;
  std::int64_t dirtyable_bytes = 0;
  // What a device is believed to write per second before it has written anything: 100 MiB on a
  // fresh boot, whatever its last load taught the kernel otherwise.
  std::int64_t initial_bandwidth_bytes = 100 << 20;
  // Of one command of writeback: 1 MiB, the block layer's most for single pages.
  std::int64_t command_bytes = 1 << 20;
  // Under writeback on one device at a time, before its flusher has to wait for its queue.
  std::int64_t queue_bytes = INT64_MAX;
  KernelProfile kernel;
};

// The host outlives it; it outlives its devices and their files.
class PageCache {
 public:
  PageCache(Host& host, PageCacheOptions options);
  ~PageCache();

  // A resident page is about to be stored into by the worker. No effect if it is dirty already.
  // Afterwards the worker may have to be throttled.
  void mark_dirty(CachedFile& file, std::int64_t page, const Worker& worker);

  // Whether throttling the worker could have it sleep, if it dirtied `pages` more of the file now.
  bool may_throttle(CachedFile& file, const Worker& worker, std::int64_t pages) {
    return throttle_.may_sleep(worker, file.device(), pages);
  }
  // Whether it has to be looked at, having dirtied what it has.
  bool throttle_due(CachedFile& file, const Worker& worker) {
    return throttle_.due(worker, file.device());
  }
  // The look that does not wait: after `may_throttle` was false, or when a sleep is not possible.
  void check_throttle(CachedFile& file, const Worker& worker) {
    throttle_.check(worker, file.device());
  }
  // The look, and the sleep that may follow from it. `offset`: where in the file it stores, for the
  // record. A kill ends it.
  Task<void> throttle(CachedFile& file, Worker& worker, const Clock& clock, std::int64_t offset);

  // Starts writeback of the dirty pages of the range, however long the block layer or the journal
  // keeps them: the caller does not wait, so nothing is locked. False if it had to leave out a page
  // because that is under writeback already.
  bool start_writeback(CachedFile& file, PageRange range, WrittenFor whom) {
    return start(file, range, whom, INT64_MAX, WhenBlocked::goes_on).complete;
  }
  // The same for a worker that syncs: for the pages that are dirty at the call. Where a batch of
  // them is kept the worker waits, and the batch is locked meanwhile; those behind it are not.
  Task<bool> write_out(CachedFile& file, Worker& worker, const Clock& clock, PageRange range);
  // For the file system below: pages that it was given to write are on their way together.
  void begin_writeback(CachedFile& file, std::int64_t first, std::int64_t count);
  // They have arrived. An error is recorded with the file; the pages are clean anyway.
  void end_writeback(CachedFile& file, std::int64_t first, Result<void> outcome);
  // Whoever writes the pages that begin with `first` must wait at that place, once more; no longer.
  // Without effect on pages whose submitter does not wait.
  void submission_blocked(CachedFile& file, std::int64_t first, WaitPlace place);
  void submission_goes_on(CachedFile& file, std::int64_t first);

  // The host lost its power: nothing of the file counts any more.
  void forget(CachedFile& file);

  // Forgets all clean pages of all files, as writing 1 to vm.drop_caches does: those that a mapping
  // reaches stay.
  void drop_clean();

  // The memory that may become dirty has changed; counts where limits are ratios, and where the
  // host's memory has no size. (Where it has one, ratios follow it.)
  void set_dirtyable(std::int64_t bytes) { domain_.set_dirtyable(bytes / kPageBytes); }
  void process_ended(std::uint32_t process_id) { throttle_.forget_process(process_id); }
  // Where waits of stores and buffered writes are told; null: nowhere.
  void set_stall_recorder(StallRecorder* recorder) { recorder_ = recorder; }
  StallRecorder* stall_recorder() const { return recorder_; }
  Kernel& kernel() const { return kernel_; }
  // The host's time in jiffies: file times are no finer.
  Jiffies tick() const { return throttle_.now(); }

  std::int64_t dirty_pages() const { return domain_.dirty; }
  std::int64_t writeback_pages() const { return domain_.writeback; }
  FaultCounters& faults() { return faults_; }
  // Null: the host's memory never runs out.
  MemoryDomain* memory() const { return memory_.get(); }
  // Whether so many pages may come into the cache now.
  bool has_room(std::int64_t pages) const { return memory_ == nullptr || memory_has_room(pages); }
  // Reclaim came across dirty pages of the device: writes all of its dirty pages, soon.
  void write_for_reclaim(WritebackDevice& device);
  const SharedBytes& zero_page() const { return zero_page_; }
  const PageCacheOptions& options() const { return options_; }
  DirtyDomain& domain() { return domain_; }
  std::uint32_t host_id() const { return host_id_; }
  std::int64_t initial_pages_per_s() const {
    return std::max<std::int64_t>(options_.initial_bandwidth_bytes / kPageBytes, 1);
  }

 private:
  friend class CachedFile;
  friend class WritebackDevice;

  struct Started {
    bool complete = true;  // No page had to be left out.
    bool blocked = false;  // The last of them wait, and whoever writes them with them.
    std::int64_t pages = 0;
    std::int64_t end = 0;  // Behind the last of them; the beginning of the range if there is none.
  };
  enum class WhenBlocked : std::uint8_t { stops, goes_on };
  Started start(CachedFile& file, PageRange range, WrittenFor whom, std::int64_t pages_max,
                WhenBlocked when_blocked);
  void unlock(CachedFile& file, CachedFile::Writeback& writeback);
  Task<void> until_taken(CachedFile& file, Worker& worker, const Clock& clock, std::int64_t page);
  void write_chunk(CachedFile& file, std::int64_t pages);

  bool memory_has_room(std::int64_t pages) const;
  // A device's flusher runs.
  void flush(WritebackDevice& device);
  void refresh_estimate(WritebackDevice& device);
  void write_expired(WritebackDevice& device);
  void write_background(WritebackDevice& device);
  bool over_background(WritebackDevice& device) const;
  // Pages that the flusher may write now; pages of one visit of a file.
  std::int64_t queue_room(const WritebackDevice& device) const;
  std::int64_t chunk_pages(const WritebackDevice& device) const;
  void forget_dirty(CachedFile& file, std::int64_t pages);

  Kernel& kernel_;
  std::uint32_t host_id_;
  PageCacheOptions options_;
  DirtyDomain domain_;
  DirtyThrottle throttle_;
  StallRecorder* recorder_ = nullptr;
  bool starting_ = false;                // Pages are being handed to their backing.
  std::optional<WrittenFor> submitter_;  // That waits where it is blocked; set while it submits.
  IntrusiveList files_;                  // CachedFile::Registration of every file.
  FaultCounters faults_;
  SharedBytes zero_page_ = SharedBytes::zeros(static_cast<std::size_t>(kPageBytes));
  std::unique_ptr<MemoryDomain> memory_;
};

// A stall, from its construction to its destruction.
class StallScope {
 public:
  StallScope(const PageCache& cache, const Worker& worker, WaitPlace place, std::int64_t offset)
      : cache_(cache),
        stall_{.worker = worker.id(),
               .place = place,
               .began_ns = cache.kernel().now(),
               .file_offset = offset,
               .dirty_pages = cache.dirty_pages() + cache.writeback_pages()} {}
  ~StallScope() {
    StallRecorder* const recorder = cache_.stall_recorder();
    if (recorder == nullptr) return;
    stall_.length_ns = cache_.kernel().now() - stall_.began_ns;
    recorder->stalled(stall_);
  }
  StallScope(const StallScope&) = delete;
  StallScope& operator=(const StallScope&) = delete;

 private:
  const PageCache& cache_;
  Stall stall_;
};

}  // namespace drydock::sim
