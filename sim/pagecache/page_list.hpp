// An LRU list of pages, kept as runs of consecutive pages.
#pragma once

#include <cstdint>
#include <deque>

#include "engine/types/ensure.hpp"

namespace drydock::sim {

// Says of a page in which entry of a list it is; 0: in none.
using PageStamp = std::uint32_t;

// Pages that enter one after the other and belong together share an entry, so a sequential log
// takes a few entries per GiB. A page leaves from the middle by being given another stamp: the
// entry goes on naming it, and whoever takes it out there finds that the stamps differ. An entry
// from which a page left never gets it back.
class PageList {
 public:
  struct Place {
    std::uint32_t file = 0;
    std::uint32_t page = 0;
    PageStamp stamp = 0;
  };

  bool empty() const { return runs_.empty(); }
  std::size_t runs() const { return runs_.size(); }

  // Puts the page to the young end; its stamp. `next_stamp` counts through all lists of a host.
  PageStamp push_young(std::uint32_t file, std::uint32_t page, PageStamp& next_stamp) {
    if (!runs_.empty() && extend(runs_.back(), file, page)) return runs_.back().stamp;
    runs_.push_back({file, page, 1, ++next_stamp});
    return next_stamp;
  }
  // To the old end: it is taken next. Consecutive pages share an entry if the last comes first.
  PageStamp push_old(std::uint32_t file, std::uint32_t page, PageStamp& next_stamp) {
    if (!runs_.empty() && runs_.front().file == file && runs_.front().first == page + 1) {
      --runs_.front().first;
      ++runs_.front().count;
      return runs_.front().stamp;
    }
    runs_.push_front({file, page, 1, ++next_stamp});
    return next_stamp;
  }
  // Takes the oldest. Not from an empty list.
  Place take_old() {
    ENSURE(!runs_.empty());
    Run& run = runs_.front();
    const Place place{run.file, run.first, run.stamp};
    ++run.first;
    if (--run.count == 0) runs_.pop_front();
    return place;
  }
  // Leaves out the whole oldest entry: its file is gone.
  void skip_old() { runs_.pop_front(); }

  // Drops what `valid(place)` denies. Worth its time when most entries are stale.
  template <class Valid>
  void compact(Valid valid) {
    std::deque<Run> kept;
    for (const Run& run : runs_) {
      for (std::uint32_t page = run.first; page < run.first + run.count; ++page) {
        if (!valid(Place{run.file, page, run.stamp})) continue;
        const bool follows = !kept.empty() && kept.back().stamp == run.stamp &&
                             page == kept.back().first + kept.back().count;
        if (follows) {
          ++kept.back().count;
        } else {
          kept.push_back({run.file, page, 1, run.stamp});
        }
      }
    }
    runs_ = std::move(kept);
  }

 private:
  struct Run {
    std::uint32_t file;
    std::uint32_t first;
    std::uint32_t count;
    PageStamp stamp;
  };
  static bool extend(Run& run, std::uint32_t file, std::uint32_t page) {
    if (run.file != file || page != run.first + run.count) return false;
    ++run.count;
    return true;
  }

  std::deque<Run> runs_;
};

}  // namespace drydock::sim
