// Faults on one mapping of a file: what a touched page brings in besides itself.
#pragma once

#include "sim/pagecache/read_ahead.hpp"

namespace drydock::sim {

// Of a host, since it began.
struct FaultCounters {
  std::int64_t minor = 0;       // The page was cached, or on its way.
  std::int64_t major = 0;       // It had to be read from the device.
  std::int64_t pages_read = 0;  // From the device into the cache, for whatever reason.
  std::int64_t touched = 0;     // Pages that reads of files and mappings were given, each time.
};

// Pure. A read fault on a cached page maps the cached pages around it, too (fault-around). A page
// that is absent is read by the mapping's advice:
//
//   normal       a window of `pages_max` pages around the page (read-around); its last quarter is
//                read ahead. Once the file has missed too often for its hits, the page alone.
//   random       the page alone.
//   sequential   as a sequential read of an open file does.
//
// Source: Linux I/O model, section 3.2.
class PageFaults {
 public:
  // A read fault maps what is cached of the aligned 64 KiB that its page lies in.
  static constexpr std::int64_t kAroundPages = 16;
  static constexpr int kMissesMax = 100;

  explicit PageFaults(std::int64_t pages_max) : ahead_(pages_max) {}

  void set_pattern(ReadAhead::Pattern pattern) { pattern_ = pattern; }
  // Accesses by a sequential mapping don't keep a page from being reclaimed.
  bool keeps_pages() const { return pattern_ != ReadAhead::Pattern::sequential; }

  static PageRange around(std::int64_t page) {
    const std::int64_t first = page / kAroundPages * kAroundPages;
    return {first, first + kAroundPages};
  }
  // A marked page was used, as of ReadAhead::on_mark. Faults ask for as much as one window has.
  template <class NextAbsent>
  PageRange on_mark(std::int64_t page, NextAbsent next_absent) {
    if (pattern_ == ReadAhead::Pattern::random) return {page, page};
    return ahead_.on_mark(page, ahead_.pages_max(), next_absent);
  }
  // Fault-around mapped that many pages.
  void mapped(std::int64_t pages) {
    misses_ = static_cast<int>(std::max<std::int64_t>(0, misses_ - pages));
  }
  int misses() const { return misses_; }

  const ReadAhead& ahead() const { return ahead_; }

  // The page is absent: what to read, the page among it. `history` as of ReadAhead::on_miss.
  template <class History>
  PageRange on_miss(std::int64_t page, History history) {
    const PageRange alone{page, page + 1};
    if (pattern_ == ReadAhead::Pattern::random) return alone;
    if (pattern_ == ReadAhead::Pattern::sequential) return ahead_.on_miss(alone, history);
    // The kernel's own bound, so that a few hits can bring the windows back.
    misses_ = std::min(misses_ + 1, 10 * kMissesMax);
    const std::int64_t size = ahead_.pages_max();
    if (misses_ > kMissesMax || size < 2) return alone;
    const std::int64_t first = std::max<std::int64_t>(0, page - size / 2);
    return ahead_.around({first, first + size}, size / 4);
  }

 private:
  ReadAhead ahead_;
  ReadAhead::Pattern pattern_ = ReadAhead::Pattern::normal;
  int misses_ = 0;
};

}  // namespace drydock::sim
