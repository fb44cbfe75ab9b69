#include "sim/pagecache/dirty_domain.hpp"

namespace drydock::sim {
namespace {

constexpr std::int64_t kPage = 4096;

// Of the host, or, if a group has less memory that may become dirty, of that: bytes count there as
// the same part of it as of the host.
std::int64_t pages_of_limit(std::int64_t bytes, std::int64_t percent, std::int64_t dirtyable,
                            std::int64_t in_group) {
  if (bytes == 0) return in_group * percent / 100;
  const std::int64_t pages = (bytes + kPage - 1) / kPage;
  return in_group < dirtyable ? std::min(pages, pages * in_group / dirtyable) : pages;
}

}  // namespace

DirtyDomain::DirtyDomain(const DirtyLimits& limits, std::int64_t hz)
    : limits_(limits), interval_(hz / 5), completions_(hz) {
  set_dirtyable(limits.dirtyable_pages);
  limit_ = fixed_.dirty;
}

void DirtyDomain::set_dirtyable(std::int64_t pages) { fixed_ = thresholds_of(pages, pages); }

void DirtyDomain::follow(const DirtyableMemory& memory) {
  memory_ = &memory;
  limit_ = threshold();
}

DirtyDomain::Thresholds DirtyDomain::thresholds_now() const {
  return thresholds_of(memory_->dirtyable(), memory_->dirtyable_in_group());
}

DirtyDomain::Thresholds DirtyDomain::thresholds_of(std::int64_t dirtyable,
                                                   std::int64_t in_group) const {
  Thresholds thresholds{
      pages_of_limit(limits_.dirty_bytes, limits_.dirty_percent, dirtyable, in_group),
      pages_of_limit(limits_.background_bytes, limits_.background_percent, dirtyable, in_group)};
  thresholds.dirty = std::max<std::int64_t>(thresholds.dirty, 2);  // The kernel's own minimum.
  if (thresholds.background >= thresholds.dirty) thresholds.background = thresholds.dirty / 2;
  return thresholds;
}

void DirtyDomain::smooth(Jiffies now) {
  if (now < smoothed_at_ + interval_) return;
  limit_ = smoothed_limit(limit_, threshold(), dirty + writeback);
  smoothed_at_ = now;
}

}  // namespace drydock::sim
