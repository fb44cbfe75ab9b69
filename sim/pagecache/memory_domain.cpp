#include "sim/pagecache/memory_domain.hpp"

#include <algorithm>

#include "sim/pagecache/page_cache.hpp"
#include "sim/pagecache/stuck_wait.hpp"

namespace drydock::sim {
namespace {

constexpr std::int64_t kPagesPerGib = (std::int64_t{1} << 30) / kPageBytes;
// Assumed; Linux I/O model, section 2.1, gives 0.2 to 0.5 us, and 0.5 to 1.5 us for a mapped page.
constexpr Duration kScanCost = Duration::ns(300);
constexpr Duration kUnmapCost = Duration::ns(700);

using Bits = std::array<std::uint64_t, 8>;

bool test(const Bits& bits, std::size_t index) {
  return (bits[index / 64] >> (index % 64) & 1) != 0;
}
void set(Bits& bits, std::size_t index) { bits[index / 64] |= std::uint64_t{1} << (index % 64); }
bool test_and_clear(Bits& bits, std::size_t index) {
  const bool was = test(bits, index);
  bits[index / 64] &= ~(std::uint64_t{1} << (index % 64));
  return was;
}

// A worker reclaims, or waits until something can be reclaimed. Ends by time, or when somebody
// wakes the list. A kill ends it: the kernel lets a dying process have its last pages.
class ReclaimWait : public Waiter {
 public:
  ReclaimWait(WaitList* list, Worker& worker, const Clock& clock, Duration length)
      : Waiter(Kind::killable), list_(list), worker_(worker), clock_(clock), length_(length) {}
  bool await_ready() const { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> handle) {
    if (!suspend(handle, clock_.now() + length_)) return false;
    if (list_ != nullptr) list_->push(*this);
    worker_.set_wait(WaitPlace::memory, clock_.now());
    return true;
  }
  void await_resume() { worker_.set_wait(WaitPlace::none, clock_.now()); }

 private:
  WaitList* list_;
  Worker& worker_;
  const Clock& clock_;
  Duration length_;
};

}  // namespace

std::int64_t inactive_ratio(std::int64_t pages, KernelProfile::FileLists lists) {
  if (lists == KernelProfile::FileLists::one_to_one) return 1;
  const std::int64_t square = 10 * (pages / kPagesPerGib);
  std::int64_t root = 1;
  while ((root + 1) * (root + 1) <= square) ++root;
  return root;
}

MemoryDomain::MemoryDomain(Kernel& kernel, Host& host, PageCache& cache)
    : kernel_(kernel),
      host_(host),
      memory_(*host.memory()),
      cache_(cache),
      kernel_profile_(memory_.options().kernel),
      kswapd_(*this, host.id().value()) {
  memory_.set_cache(this);
}

MemoryDomain::~MemoryDomain() {
  memory_.set_cache(nullptr);
  memory_.add_cached(-pages() - reserved_);
}

std::int64_t MemoryDomain::dirtyable() const {
  return std::max<std::int64_t>(0, memory_.free() - memory_.total_reserve() + inactive_ + active_);
}

// All that the host may have dirty is in the group, so the group's limit is the lower one, and
// counts alone.
std::int64_t MemoryDomain::dirtyable_in_group() const {
  const std::int64_t everywhere = dirtyable();
  const bool limits = memory_.has_group() && memory_.options().group_limits_dirty;
  if (!limits) return everywhere;
  const std::int64_t of_files = std::min(everywhere, inactive_ + active_);
  return of_files + std::min(memory_.group_headroom(), everywhere - of_files);
}

void MemoryDomain::check_invariants() const {
  ENSURE(inactive_ >= 0);
  ENSURE(active_ >= 0);
  ENSURE(unevictable_ >= 0);
  ENSURE(memory_.cached() == pages() + reserved_);
}

bool MemoryDomain::squeeze(std::int64_t pages) {
  while (!has_room(pages)) {
    const Round round = reclaim(std::max(pages, kBatch), By::worker);
    if (round.freed == 0) return false;
  }
  return true;
}

std::int64_t MemoryDomain::give_back(std::int64_t pages) {
  std::int64_t given = 0;
  while (given < pages) {
    const Round round = reclaim(std::max(pages - given, kBatch), By::worker);
    if (round.freed == 0) break;
    given += round.freed;
  }
  return given;
}

Task<void> MemoryDomain::make_room(Worker& worker, std::int64_t pages) {
  const MonotonicTime began = host_.clock().now();
  int fruitless = 0;
  while (!has_room(pages)) {
    if (memory_.free() < memory_.watermarks().low) wake_kswapd();
    Round round = reclaim(std::max(pages, kBatch), By::worker);
    ++counters_.direct_rounds;
    if (round.freed == 0) round.freed = memory_.swap_out(kBatch);
    const bool progress = round.freed > 0;
    fruitless = progress ? 0 : fruitless + 1;
    if (fruitless > kFruitlessMax) {
      const bool host_is_full = !memory_.host_has(pages);
      memory_.out_of_memory(host_is_full ? HostMemory::Scope::host : HostMemory::Scope::group);
      fruitless = 0;
    }
    WaitList* const list = progress ? nullptr : &waiting_;
    const Duration length = progress ? cost_of(round) : pause_after(round);
    co_await ReclaimWait(list, worker, host_.clock(), length);
  }
  counters_.direct_wait = counters_.direct_wait + (host_.clock().now() - began);
}

void MemoryDomain::reserve(std::int64_t pages) {
  reserved_ += pages;
  memory_.add_cached(pages);
  if (memory_.free() < memory_.watermarks().low) wake_kswapd();
}

void MemoryDomain::unreserve(std::int64_t pages) {
  reserved_ -= pages;
  memory_.add_cached(-pages);
}

// --- The lists.

std::uint32_t MemoryDomain::number_of(CachedFile& file) {
  if (file.number_ == 0) {
    file.number_ = static_cast<std::uint32_t>(files_.size());
    files_.push_back(&file);
  }
  return file.number_;
}

// The file, if the place still holds: the page is where the list says.
CachedFile* MemoryDomain::file_of(const PageList::Place& place) const {
  CachedFile* const file = files_[place.file];
  if (file == nullptr) return nullptr;
  const CachedFile::Chunk* const chunk = file->chunk_of(place.page);
  if (chunk == nullptr || chunk->lists == nullptr) return nullptr;
  const std::size_t index = CachedFile::index_of(place.page);
  const bool here = !chunk->bytes[index].empty() && chunk->lists->stamps[index] == place.stamp;
  return here ? file : nullptr;
}

void MemoryDomain::compact_if_stale(PageList& list, std::int64_t pages) {
  constexpr std::int64_t kSmall = 4096;
  if (static_cast<std::int64_t>(list.runs()) <= 2 * pages + kSmall) return;
  list.compact([this](const PageList::Place& place) { return file_of(place) != nullptr; });
}

void MemoryDomain::make_inactive(CachedFile& file, std::int64_t page) {
  const std::uint32_t number = number_of(file);
  CachedFile::Lists& lists = *file.chunk_of(page)->lists;
  const std::size_t index = CachedFile::index_of(page);
  lists.stamps[index] =
      inactive_list_.push_young(number, static_cast<std::uint32_t>(page), next_stamp_);
  ++inactive_;
  compact_if_stale(inactive_list_, inactive_);
}

void MemoryDomain::make_active(CachedFile& file, std::int64_t page) {
  const std::uint32_t number = number_of(file);
  CachedFile::Lists& lists = *file.chunk_of(page)->lists;
  const std::size_t index = CachedFile::index_of(page);
  lists.stamps[index] =
      active_list_.push_young(number, static_cast<std::uint32_t>(page), next_stamp_);
  set(lists.active, index);
  ++active_;
  ++age_;
  compact_if_stale(active_list_, active_);
}

void MemoryDomain::take_off(CachedFile& file, std::int64_t page) {
  CachedFile::Lists& lists = *file.chunk_of(page)->lists;
  const std::size_t index = CachedFile::index_of(page);
  const bool listed = std::exchange(lists.stamps[index], 0) != 0;
  const bool active = test_and_clear(lists.active, index);
  --(!listed ? unevictable_ : active ? active_ : inactive_);
}

void MemoryDomain::added(CachedFile& file, std::int64_t page) {
  CachedFile::Chunk& chunk = *file.chunk_of(page);
  if (chunk.lists == nullptr) chunk.lists = std::make_unique<CachedFile::Lists>();
  const PageStamp evicted_at = std::exchange(chunk.lists->stamps[CachedFile::index_of(page)], 0);
  memory_.add_cached(1);
  if (evicted_at != 0) ++counters_.refaulted;
  if (file.pinned()) {
    ++unevictable_;
  } else {
    const std::int64_t anonymous = memory_.options().swap_bytes > 0 ? memory_.anonymous() : 0;
    const bool soon = evicted_at != 0 && age_ - evicted_at <= active_ + anonymous;
    if (soon && kernel_profile_.refaults_count) {
      make_active(file, page);
      ++counters_.refault_activated;
    } else {
      make_inactive(file, page);
    }
  }
  if (memory_.free() < memory_.watermarks().low) wake_kswapd();
}

void MemoryDomain::removed(CachedFile& file, std::int64_t page) {
  take_off(file, page);
  CachedFile::Lists& lists = *file.chunk_of(page)->lists;
  const std::size_t index = CachedFile::index_of(page);
  test_and_clear(lists.referenced, index);
  test_and_clear(lists.aside, index);
  memory_.add_cached(-1);
}

void MemoryDomain::set_pinned(CachedFile& file, bool pinned) {
  file.for_each_resident([this, &file, pinned](std::int64_t page) {
    take_off(file, page);
    if (pinned) {
      ++unevictable_;
    } else {
      make_inactive(file, page);
    }
  });
}

void MemoryDomain::cleaned(CachedFile& file, std::int64_t page) {
  CachedFile::Lists& lists = *file.chunk_of(page)->lists;
  const std::size_t index = CachedFile::index_of(page);
  const bool aside = test_and_clear(lists.aside, index);
  if (!aside || file.dirty(page) || lists.stamps[index] == 0) return;
  take_off(file, page);
  lists.stamps[index] =
      inactive_list_.push_old(number_of(file), static_cast<std::uint32_t>(page), next_stamp_);
  ++inactive_;
}

void MemoryDomain::forget(CachedFile& file) {
  file.for_each_resident([this, &file](std::int64_t page) { removed(file, page); });
  files_[file.number_] = nullptr;
}

void MemoryDomain::accessed(CachedFile& file, PageRange range) {
  for (std::int64_t page = range.first; page < range.end; ++page) {
    CachedFile::Chunk* const chunk = file.chunk_of(page);
    const std::size_t index = CachedFile::index_of(page);
    if (chunk == nullptr || chunk->lists == nullptr || chunk->bytes[index].empty()) continue;
    CachedFile::Lists& lists = *chunk->lists;
    const bool candidate = lists.stamps[index] != 0 && !test(lists.active, index);
    if (candidate && test_and_clear(lists.referenced, index)) {
      take_off(file, page);
      make_active(file, page);
      ++counters_.activated;
    } else {
      set(lists.referenced, index);
    }
  }
}

// --- Reclaim.

MemoryDomain::Round MemoryDomain::reclaim(std::int64_t wanted, By by) {
  Round round;
  for (int priority = 12; priority >= 0 && round.freed < wanted; --priority) {
    const std::int64_t scan = std::max(inactive_ >> priority, std::min(inactive_, kBatch));
    if (active_should_shrink()) {
      // As large a part of the one list as of the other.
      const std::int64_t part = scan == 0 ? kBatch : scan * active_ / std::max(inactive_, scan);
      shrink_active(std::max(part, std::int64_t{1}), round);
    }
    shrink_inactive(std::max(scan, std::min(inactive_, kBatch)), wanted, round);
  }
  refaults_seen_ = counters_.refault_activated;
  (by == By::kswapd ? counters_.scanned_kswapd : counters_.scanned_direct) += round.scanned;
  counters_.evicted += round.freed;
  counters_.set_aside += round.dirty + round.writeback;
  if (round.freed > 0) kswapd_failures_ = 0;
  return round;
}

bool MemoryDomain::active_should_shrink() {
  if (active_ == 0) return false;
  const std::int64_t ratio = inactive_ratio(inactive_ + active_, kernel_profile_.file_lists);
  return inactive_ * ratio < active_ || counters_.refault_activated != refaults_seen_;
}

void MemoryDomain::shrink_inactive(std::int64_t scan, std::int64_t wanted, Round& round) {
  while (scan > 0 && round.freed < wanted && !inactive_list_.empty()) {
    const PageList::Place place = inactive_list_.take_old();
    CachedFile* const file = file_of(place);
    if (file == nullptr) continue;
    --scan;
    ++round.scanned;
    look_at(*file, place.page, round);
  }
}

void MemoryDomain::look_at(CachedFile& file, std::int64_t page, Round& round) {
  CachedFile::Chunk& chunk = *file.chunk_of(page);
  CachedFile::Lists& lists = *chunk.lists;
  const std::size_t index = CachedFile::index_of(page);
  const bool writeback = test(chunk.writeback, index);
  const bool dirty = test(chunk.dirty, index);
  const bool mapped = test(chunk.mapped, index);
  take_off(file, page);
  if (mapped) ++round.mapped;
  if (!writeback) {
    const bool young = test_and_clear(chunk.young, index) && mapped;
    const bool referenced = test_and_clear(lists.referenced, index);
    if (young && referenced) {
      make_active(file, page);
      ++counters_.activated;
      return;
    }
    if (young) {
      set(lists.referenced, index);
      make_inactive(file, page);
      return;
    }
  }
  if (writeback || dirty) {
    ++(writeback ? round.writeback : round.dirty);
    if (!writeback) cache_.write_for_reclaim(file.device());
    set(lists.aside, index);
    make_active(file, page);
    return;
  }
  ++age_;
  if (age_ == 0) ++age_;  // 0 says that nothing was evicted.
  lists.stamps[index] = age_;
  file.evict(page);
  memory_.add_cached(-1);
  ++round.freed;
}

void MemoryDomain::shrink_active(std::int64_t scan, Round& round) {
  while (scan > 0 && !active_list_.empty()) {
    const PageList::Place place = active_list_.take_old();
    CachedFile* const file = file_of(place);
    if (file == nullptr) continue;
    --scan;
    ++round.scanned;
    CachedFile::Chunk& chunk = *file->chunk_of(place.page);
    const std::size_t index = CachedFile::index_of(place.page);
    test_and_clear(chunk.young, index);
    take_off(*file, place.page);
    make_inactive(*file, place.page);
    ++counters_.deactivated;
  }
}

Duration MemoryDomain::cost_of(const Round& round) {
  return kScanCost * std::max<std::int64_t>(round.scanned, 1) + kUnmapCost * round.mapped;
}

Duration MemoryDomain::pause_after(const Round& round) const {
  const KernelProfile::ReclaimWaits& waits = kernel_profile_.reclaim_waits;
  if (round.writeback > 0) return waits.writeback;
  return round.dirty > 0 ? waits.congested : waits.no_progress;
}

void MemoryDomain::wake_kswapd() {
  if (kswapd_failures_ < kFruitlessMax && !kswapd_.linked()) kernel_.post(kswapd_);
}

void MemoryDomain::run_kswapd() {
  if (memory_.free() >= memory_.watermarks().high) return;
  Round round = reclaim(kBatch, By::kswapd);
  if (round.freed == 0) round.freed = memory_.swap_out(kBatch);
  if (round.freed > 0) return kernel_.after(kswapd_, cost_of(round));
  // It gives up after so many failures in a row; direct reclaim that succeeds wakes it again.
  if (++kswapd_failures_ < kFruitlessMax) kernel_.after(kswapd_, Duration::ms(100));
}

void MemoryDomain::wake_all_waiting() { wake_all(waiting_); }

}  // namespace drydock::sim
