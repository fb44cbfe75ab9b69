// Pure: which part of the writeback of a host each of its devices does.
//
// Completed pages are counted, for all devices together and for each, and every three seconds all
// counts are halved, until next to nothing is left: an idle device's share fades while others
// write, and all shares of an idle host stand still. Source: Linux I/O model, section 1.1.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/pagecache/throttle_law.hpp"

namespace drydock::sim {

class CompletionShare;

// Of all devices.
class Completions {
 public:
  explicit Completions(std::int64_t hz) : period_(3 * hz) {}

 private:
  friend class CompletionShare;
  void pass_to(Jiffies now);

  Jiffies period_;
  std::int64_t pages_ = 1;
  std::int64_t halvings_ = 0;
  Jiffies next_halving_ = 0;
  bool running_ = false;  // There is something to halve.
};

// Of one device.
class CompletionShare {
 public:
  // `pages`: what it has completed before, as the shares are not known otherwise.
  CompletionShare(Completions& all, std::int64_t pages) : all_(all), pages_(pages) {
    halvings_ = all.halvings_;
    all_.pages_ += pages;
  }
  ~CompletionShare() { all_.pages_ = std::max<std::int64_t>(all_.pages_ - pages_, 1); }
  CompletionShare(const CompletionShare&) = delete;
  CompletionShare& operator=(const CompletionShare&) = delete;

  void completed(std::int64_t pages, Jiffies now);
  // Its share of `amount`.
  std::int64_t of(std::int64_t amount, Jiffies now);

 private:
  void catch_up(Jiffies now);

  Completions& all_;
  std::int64_t pages_;
  std::int64_t halvings_ = 0;
};

}  // namespace drydock::sim
