// Read-ahead: which pages a read brings into the cache besides those that it asked for.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/pagecache/page_range.hpp"

namespace drydock::sim {

// The read-ahead state of one open file or mapping. Pure: it is told of hits and misses, and
// answers with the pages to be read.
//
// It remembers one window, the last that it gave out: pages [start, end), and in it the mark, the
// page whose use shows that the reader keeps up. The mark is a flag of the page, which every reader
// of the file sees: whoever reads the window sets it, if the page was absent, and takes it off when
// the page is used. Four ways lead to a window:
//
//   initial      a miss at the beginning of the file, or right behind the previous read: a few
//   times
//                what was asked for. The mark is the first page that was not asked for.
//   continued    the mark was used, or the reader missed exactly at the mark or at the window's
//   end:
//                the next window begins where this one ends and is larger, up to `pages_max`. The
//                mark is its first page.
//   interleaved  a mark of another window was used, of one of several streams: the next window
//                begins at the first absent page behind it.
//   resumed      a miss behind pages that are cached: an interleaved stream goes on. The window is
//                as long as those pages and the request together.
//
// Any other miss is random: exactly the request is read, and the window stays as it is. Source:
// Linux I/O model, section 3.1; of interleaved streams ondemand_readahead() in Linux's
// mm/readahead.c.
class ReadAhead {
 public:
  enum class Pattern : std::uint8_t {
    normal,
    random,      // POSIX_FADV_RANDOM: only what was asked for.
    sequential,  // POSIX_FADV_SEQUENTIAL: windows of twice the size.
  };

  // `pages_max`: read_ahead_kb in pages, 0 switches read-ahead off. `command_pages`: the device's
  // largest command; a request beyond `pages_max` may use that much.
  explicit ReadAhead(std::int64_t pages_max, std::int64_t command_pages = 0)
      : pages_max_(pages_max), command_pages_(command_pages) {}

  void set_pattern(Pattern pattern) { pattern_ = pattern; }
  std::int64_t pages_max() const { return pages_max_; }

  // Where the window that was given out last is to be marked; a page number below 0: nowhere.
  std::int64_t mark() const { return mark_; }
  // A marked page was used by a read of `asked` pages from there on: the window to be read now,
  // without waiting for it; perhaps an empty one. `next_absent(n)`: the first page behind `page`,
  // at most n pages from it, that is neither cached nor on its way; -1 if there is none.
  template <class NextAbsent>
  PageRange on_mark(std::int64_t page, std::int64_t asked, NextAbsent next_absent) {
    const std::int64_t most = limit({page, page + 1});
    if (page == mark_ || page == end_) return proceed(most);
    const std::int64_t absent = next_absent(most);
    if (absent < 0) return {page, page};
    return interleave(absent, absent - page + asked, most);
  }

  // The first page of `request` is absent; the pages to be read, of which the caller needs the
  // request. `history(n)`: how many pages right before it are cached, at most n.
  template <class History>
  PageRange on_miss(PageRange request, History history) {
    switch (kind_of(request)) {
      case Miss::initial: return begin(request);
      case Miss::continued: return proceed(limit(request));
      case Miss::random: return request;
      case Miss::other: break;
    }
    const std::int64_t asked = request.end - request.first;
    const std::int64_t cached = history(limit(request));
    if (cached <= asked) return request;
    return resume(request, cached);
  }

  // Gives out a window around a fault; `async` pages at its end are read ahead.
  PageRange around(PageRange window, std::int64_t async);

  // Everything up to `page` was read.
  void read_to(std::int64_t page) { previous_ = page; }
  // The page that was read last, or a number below 0.
  std::int64_t last_read() const { return previous_; }

 private:
  enum class Miss : std::uint8_t { initial, continued, random, other };

  Miss kind_of(PageRange request) const;
  std::int64_t limit(PageRange request) const;
  PageRange begin(PageRange request);
  PageRange proceed(std::int64_t limit);
  PageRange interleave(std::int64_t first, std::int64_t size, std::int64_t limit);
  static std::int64_t next_size(std::int64_t size, std::int64_t limit);
  PageRange resume(PageRange request, std::int64_t cached);

  static constexpr std::int64_t kNone = -2;

  std::int64_t pages_max_;
  std::int64_t command_pages_;
  Pattern pattern_ = Pattern::normal;
  std::int64_t start_ = 0;
  std::int64_t end_ = 0;           // Of the window; `start_` if there is none.
  std::int64_t mark_ = kNone;      // Of it.
  std::int64_t previous_ = kNone;  // The page that was read last.
};

}  // namespace drydock::sim
