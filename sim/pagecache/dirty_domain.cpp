#include "sim/pagecache/dirty_domain.hpp"

namespace drydock::sim {
namespace {

constexpr std::int64_t kPage = 4096;

std::int64_t pages_of_limit(std::int64_t bytes, std::int64_t percent, std::int64_t dirtyable) {
  return bytes > 0 ? (bytes + kPage - 1) / kPage : dirtyable * percent / 100;
}

}  // namespace

DirtyDomain::DirtyDomain(const DirtyLimits& limits, std::int64_t hz)
    : limits_(limits), interval_(hz / 5), completions_(hz) {
  set_thresholds();
  limit_ = threshold_;
}

void DirtyDomain::set_dirtyable(std::int64_t pages) {
  limits_.dirtyable_pages = pages;
  set_thresholds();
}

void DirtyDomain::set_thresholds() {
  const std::int64_t dirtyable = limits_.dirtyable_pages;
  threshold_ = pages_of_limit(limits_.dirty_bytes, limits_.dirty_percent, dirtyable);
  background_ = pages_of_limit(limits_.background_bytes, limits_.background_percent, dirtyable);
  threshold_ = std::max<std::int64_t>(threshold_, 2);  // The kernel's own minimum.
  if (background_ >= threshold_) background_ = threshold_ / 2;
}

void DirtyDomain::smooth(Jiffies now) {
  if (now < smoothed_at_ + interval_) return;
  limit_ = smoothed_limit(limit_, threshold_, dirty + writeback);
  smoothed_at_ = now;
}

}  // namespace drydock::sim
