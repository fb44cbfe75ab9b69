// The page cache of one host: limits, flusher, throttle.
//
// Counters: D = dirty pages, W = pages under writeback, over all files of the host.
//
// The flusher is in one of two states: idle (nothing dirty, no timer) or ticking (a timer every
// `interval` while a file is dirty). A tick writes every file that became dirty `expire` ago or
// earlier, whole. Above the background limit it also runs at once and writes chunks of the files,
// longest dirty first, until D is below. It waits for nothing: it only starts writeback.
//
// A page may be dirtied while D + W is below the limit. Writers above it wait for a writeback to
// end. Source: Linux I/O model, sections 1.1 and 1.6; the throttle law of 1.3 is not here yet.
#pragma once

#include "sim/host/host.hpp"
#include "sim/pagecache/cached_file.hpp"

namespace drydock::sim {

struct PageCacheOptions {
  std::int64_t dirty_bytes = std::int64_t{4} << 30;             // vm.dirty_bytes
  std::int64_t dirty_background_bytes = std::int64_t{2} << 30;  // vm.dirty_background_bytes
  Duration expire = Duration::s(30);                            // vm.dirty_expire_centisecs
  Duration interval = Duration::s(5);                           // vm.dirty_writeback_centisecs
};

// Kernel and host outlive it; it outlives its files.
class PageCache {
 public:
  PageCache(Kernel& kernel, HostId host, PageCacheOptions options);

  // Whether one more page may become dirty now.
  bool below_limit() const { return dirty_ + writeback_ < limit_; }
  // Writers wait here while `below_limit` is false.
  WaitList& throttled() { return throttled_; }

  // A resident page is about to be stored into. No effect if it is dirty already.
  void mark_dirty(CachedFile& file, std::int64_t page);

  // Starts writeback of the dirty pages of the range, at most `pages_max` of them. False if it had
  // to leave out a page because that is under writeback already.
  bool start_writeback(CachedFile& file, PageRange range, std::int64_t pages_max = INT64_MAX);
  // For the file system below: pages that it was given to write are on their way together.
  void begin_writeback(CachedFile& file, std::int64_t first, std::int64_t count);
  // They have arrived. An error is recorded with the file; the pages are clean anyway.
  void end_writeback(CachedFile& file, std::int64_t first, Result<void> outcome);

  // The host lost its power: nothing of the file counts any more.
  void forget(CachedFile& file);

  // Forgets all clean pages of all files, as writing 1 to vm.drop_caches does.
  void drop_clean();

  std::int64_t dirty_pages() const { return dirty_; }
  std::int64_t writeback_pages() const { return writeback_; }
  const SharedBytes& zero_page() const { return zero_page_; }
  const PageCacheOptions& options() const { return options_; }

 private:
  friend class CachedFile;
  // Pages of one writeback, and of one device command at most: 1 MiB.
  static constexpr std::int64_t kRunPages = 256;
  // What background writeback takes of one file at a time: 4 MiB.
  static constexpr std::int64_t kChunkPages = 1024;

  class Flusher : public Wakeup {
   public:
    Flusher(PageCache& cache, std::uint32_t host)
        : Wakeup(&Flusher::on_run, EventKind::writeback, host), cache_(cache) {}

   private:
    static void on_run(Wakeup& wakeup) { static_cast<Flusher&>(wakeup).cache_.flush(); }
    PageCache& cache_;
  };

  void flush();
  void write_expired();
  void write_background();
  void forget_dirty(CachedFile& file, std::int64_t pages);
  void wake_throttled();

  Kernel& kernel_;
  PageCacheOptions options_;
  std::int64_t limit_;
  std::int64_t background_;
  std::int64_t dirty_ = 0;
  std::int64_t writeback_ = 0;
  std::int64_t next_tick_ = 0;
  IntrusiveList dirty_files_;  // CachedFile, in the order in which they became dirty.
  IntrusiveList files_;        // CachedFile::Registration of every file.
  WaitList throttled_;
  SharedBytes zero_page_ = SharedBytes::zeros(static_cast<std::size_t>(kPageBytes));
  Flusher flusher_;
};

}  // namespace drydock::sim
