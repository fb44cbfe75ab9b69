#include "sim/host/host_memory.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "sim/host/host.hpp"

namespace drydock::sim {
namespace {

constexpr std::int64_t kPage = 4096;
constexpr std::int64_t kKiB = 1024;

std::int64_t pages_for(std::int64_t bytes) { return (bytes + kPage - 1) / kPage; }

std::int64_t square_root(std::int64_t value) {
  std::int64_t root = 0;
  for (std::int64_t bit = std::int64_t{1} << 31; bit > 0; bit /= 2) {
    if ((root + bit) * (root + bit) <= value) root += bit;
  }
  return root;
}

}  // namespace

std::int64_t default_min_free_bytes(std::int64_t ram_bytes, const KernelProfile& kernel) {
  const std::int64_t kib = square_root(16 * (ram_bytes / kKiB));
  return std::clamp<std::int64_t>(kib, 128, kernel.min_free_max_kib) * kKiB;
}

Watermarks watermarks_of(const MemoryOptions& options) {
  const std::int64_t min_free = options.min_free_bytes > 0
                                    ? options.min_free_bytes
                                    : default_min_free_bytes(options.bytes, options.kernel);
  const std::int64_t min = min_free / kPage;
  const std::int64_t scaled = options.bytes / kPage * options.watermark_scale_per_10000 / 10'000;
  const std::int64_t gap = options.kernel.watermarks_by_size ? std::max(min / 4, scaled) : min / 4;
  return {.min = min, .low = min + gap, .high = min + 2 * gap};
}

HostMemory::HostMemory(Host& host, MemoryOptions options)
    : host_(host),
      options_(options),
      watermarks_(watermarks_of(options)),
      total_(options.bytes / kPage),
      kernel_(pages_for(options.kernel_bytes)),
      group_limit_(options.group_limit_bytes / kPage),
      swap_(options.swap_bytes / kPage) {
  ENSURE(total_ - kernel_ > watermarks_.high);
}

HostMemory::Share& HostMemory::share_of(SimProcess& process) {
  const auto found = std::ranges::find(shares_, &process, &Share::process);
  if (found != shares_.end()) return *found;
  return shares_.emplace_back(Share{.process = &process});
}

void HostMemory::charge(SimProcess& process, std::int64_t bytes) {
  const std::int64_t pages = pages_for(bytes);
  if (process.ending() || pages == 0) return;
  bool fits = has(pages);
  while (!fits) {
    std::int64_t wanted = watermarks_.min + pages - free();
    if (!group_has(pages)) {
      wanted = std::max(wanted, anonymous_ + cached_ + pages - group_limit_);
    }
    const std::int64_t given = cache_ == nullptr ? 0 : cache_->give_back(wanted);
    if (given == 0 && swap_out(wanted) == 0) break;
    fits = has(pages);
  }
  share_of(process).anonymous += pages;
  anonymous_ += pages;
  // The process itself is a candidate, with what it wants.
  if (!fits) out_of_memory(host_has(0) ? Scope::group : Scope::host);
}

void HostMemory::give_back(SimProcess& process, std::int64_t bytes) {
  Share& share = share_of(process);
  std::int64_t pages = pages_for(bytes);
  const std::int64_t resident = std::min(pages, share.anonymous - share.locked);
  share.anonymous -= resident;
  anonymous_ -= resident;
  pages = std::min(pages - resident, share.swapped);
  share.swapped -= pages;
  swapped_ -= pages;
}

bool HostMemory::lock(SimProcess& process, std::int64_t bytes) {
  Share& share = share_of(process);
  const std::int64_t pages = pages_for(bytes);
  if (pages > options_.locked_bytes_max / kPage - share.locked) return false;
  // What is swapped comes back.
  const std::int64_t absent = std::max<std::int64_t>(share.locked + pages - share.anonymous, 0);
  const std::int64_t returning = std::min(absent, share.swapped);
  share.swapped -= returning;
  swapped_ -= returning;
  share.locked += pages;  // Before the rest: it is others that make room for what comes back.
  charge(process, returning * kPage);
  share.locked = std::min(share.locked, share.anonymous);
  return true;
}

std::int64_t HostMemory::swap_out(std::int64_t pages) {
  std::int64_t moved = 0;
  while (moved < pages && swapped_ < swap_) {
    const auto swappable = [](const Share& share) { return share.anonymous - share.locked; };
    const auto largest = std::ranges::max_element(shares_, {}, swappable);
    if (largest == shares_.end() || swappable(*largest) <= 0) break;
    const std::int64_t part = std::min({pages - moved, swap_ - swapped_, swappable(*largest)});
    largest->anonymous -= part;
    largest->swapped += part;
    anonymous_ -= part;
    swapped_ += part;
    moved += part;
  }
  counters_.swapped_out += moved;
  return moved;
}

void HostMemory::set_oom_score_adjust(SimProcess& process, int adjust) {
  ENSURE(adjust >= -1000);
  ENSURE(adjust <= 1000);
  share_of(process).oom_score_adjust = adjust;
}

std::int64_t HostMemory::score_of(const Share& share) const {
  return share.anonymous + share.swapped + share.oom_score_adjust * total_ / 1000;
}

void HostMemory::out_of_memory(Scope scope) {
  if (victim_ != nullptr) return;
  Share* worst = nullptr;
  for (Share& share : shares_) {
    if (share.process->ending() || share.oom_score_adjust == -1000) continue;
    if (worst == nullptr || score_of(share) > score_of(*worst)) worst = &share;
  }
  if (worst == nullptr) return;
  victim_ = worst->process;
  ++(scope == Scope::host ? counters_.global_kills : counters_.group_kills);
  const std::string whose = scope == Scope::host ? "" : " cgroup";
  host_.log(victim_->name(), LogLevel::error,
            "Memory" + whose + " out of memory: killed process, " +
                std::to_string((worst->anonymous + worst->swapped) * kPage / kKiB) +
                " KiB of its own");
  host_.out_of_memory(*victim_);
  if (options_.kernel.victims_give_up_at_once) release(*worst);
  victim_->kill();
}

void HostMemory::release(Share& share) {
  anonymous_ -= std::exchange(share.anonymous, 0);
  swapped_ -= std::exchange(share.swapped, 0);
  share.locked = 0;
}

std::int64_t HostMemory::of(ProcessId process) const {
  for (const Share& share : shares_) {
    if (share.process->id() == process) return share.anonymous + share.swapped;
  }
  return 0;
}

void HostMemory::process_ended(SimProcess& process) {
  const auto found = std::ranges::find(shares_, &process, &Share::process);
  if (found == shares_.end()) return;
  release(*found);
  shares_.erase(found);
  if (victim_ == &process) victim_ = nullptr;
}

}  // namespace drydock::sim
