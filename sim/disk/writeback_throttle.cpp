#include "sim/disk/writeback_throttle.hpp"

#include <algorithm>

namespace drydock::sim {
namespace {

constexpr int kBaseDepth = 16;
constexpr std::int64_t kWindow = 100'000'000;
constexpr std::int64_t kReadsMatterFor = 100'000'000;
constexpr std::int64_t kDirtiersMatterFor = 1'000'000'000;
constexpr int kWritesToJudge = 3;       // Fewer writes cannot have slowed a read down.
constexpr int kEmptyWindowsToGrow = 5;  // Nothing happens: the depth returns slowly.

std::int64_t square_root(std::int64_t value) {
  std::int64_t root = 0;
  while ((root + 1) * (root + 1) <= value) ++root;
  return root;
}

}  // namespace

WritebackThrottle::WritebackThrottle(Duration target, int requests)
    : target_ns_(target.count_ns()),
      base_depth_(requests > 0 ? std::min(kBaseDepth, requests) : kBaseDepth) {
  set_halvings(0);
}

int WritebackThrottle::depth() const { return 1 + ((base_depth_ - 1) >> std::min(halvings_, 30)); }

// A window is the shorter the more is at stake: divided by the root of halvings + 1, in sixteenths.
void WritebackThrottle::set_halvings(int halvings) {
  halvings_ = halvings;
  window_ = kWindow * 16 / square_root((halvings + 1) * 256);
}

int WritebackThrottle::limit(DiskCommand::Urgency urgency, std::int64_t now) {
  close_windows(now);
  const bool awaited = urgency == DiskCommand::Urgency::sync;
  if (awaited || now - last_dirtier_ < kDirtiersMatterFor) return depth();
  const bool read_lately = now - last_read_ < kReadsMatterFor;
  return read_lately ? (depth() + 3) / 4 : (depth() + 1) / 2;
}

void WritebackThrottle::write_ended(std::int64_t now) {
  close_windows(now);
  --in_flight_;
  ++writes_;
}

void WritebackThrottle::close_past_windows(std::int64_t now) {
  while (now - window_start_ >= window_) {
    window_start_ += window_;
    close_window();
    if (halvings_ == 0) window_start_ = now;  // No other window of a long pause changes anything.
  }
}

void WritebackThrottle::close_window() {
  const bool judged = reads_ > 0 && writes_ >= kWritesToJudge;
  const bool busy = reads_ > 0 || writes_ > 0 || in_flight_ > 0;
  empty_windows_ = busy ? 0 : empty_windows_ + 1;
  if (judged && fastest_read_ > target_ns_) {
    if (depth() > 1) set_halvings(halvings_ + 1);
  } else if (halvings_ > 0 && (busy || empty_windows_ >= kEmptyWindowsToGrow)) {
    set_halvings(halvings_ - 1);
    empty_windows_ = 0;
  }
  reads_ = 0;
  writes_ = 0;
}

}  // namespace drydock::sim
