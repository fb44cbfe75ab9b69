#include "sim/pagecache/page_cache.hpp"

#include "sim/pagecache/memory_domain.hpp"
#include "sim/pagecache/stuck_wait.hpp"
#include "sim/pagecache/tick_sleep.hpp"

namespace drydock::sim {
namespace {

// The least that background writeback takes of one file at a time: 4 MiB.
constexpr std::int64_t kChunkPagesMin = 1024;

DirtyLimits limits_of(const PageCacheOptions& options) {
  return {.dirty_bytes = options.dirty_bytes,
          .background_bytes = options.dirty_background_bytes,
          .dirty_percent = options.dirty_percent,
          .background_percent = options.dirty_background_percent,
          .dirtyable_pages = options.dirtyable_bytes / kPageBytes};
}

}  // namespace

PageCache::PageCache(Host& host, PageCacheOptions options)
    : kernel_(host.kernel()),
      host_id_(host.id().value()),
      options_(options),
      domain_(limits_of(options), options.kernel.hz),
      throttle_(kernel_, domain_, options.kernel, host.options().cores) {
  ENSURE(options.command_bytes >= kPageBytes);
  ENSURE(options.queue_bytes >= options.command_bytes);
  if (host.memory() == nullptr) return;
  memory_ = std::make_unique<MemoryDomain>(kernel_, host, *this);
  // Of bytes the host's memory changes nothing.
  const bool bytes = options.dirty_bytes > 0 && options.dirty_background_bytes > 0;
  if (!bytes || host.memory()->options().group_limits_dirty) domain_.follow(*memory_);
}

PageCache::~PageCache() = default;

bool PageCache::memory_has_room(std::int64_t pages) const { return memory_->has_room(pages); }

void PageCache::write_for_reclaim(WritebackDevice& device) {
  if (std::exchange(device.write_all_, true)) return;
  kernel_.post(device.flusher_);
}

void PageCache::mark_dirty(CachedFile& file, std::int64_t page, const Worker& worker) {
  if (file.dirty(page)) return;
  WritebackDevice& device = file.device();
  if (file.dirty_pages_ == 0) {
    file.dirtied_at_ = kernel_.now();
    if (device.dirty_files_.empty()) {
      device.next_tick_ = kernel_.now() + options_.interval.count_ns();
      kernel_.at(device.flusher_, device.next_tick_);
    }
    device.dirty_files_.push_back(file);
  }
  file.set_dirty(page);
  ++domain_.dirty;
  ++device.dirty_;
  ++device.totals_.dirtied;
  throttle_.dirtied(worker, 1);
}

Task<void> PageCache::throttle(CachedFile& file, Worker& worker, const Clock& clock,
                               std::int64_t offset) {
  std::optional<ThrottleDecision> decision = throttle_.check(worker, file.device());
  if (!decision) co_return;
  const StallScope stall(*this, worker, WaitPlace::dirty_throttle, offset);
  worker.set_wait(WaitPlace::dirty_throttle, clock.now());  // One wait, however often it wakes up.
  while (decision) {
    file.backing_.dirtier_slept();
    co_await TickSleep(kernel_, throttle_.end_of(*decision));
    const bool again = throttle_.slept(worker, file.device(), *decision);
    if (!again) break;
    decision = throttle_.check(worker, file.device());
  }
  worker.set_wait(WaitPlace::none, clock.now());
}

PageCache::Started PageCache::start(CachedFile& file, PageRange range, WrittenFor whom,
                                    std::int64_t pages_max, WhenBlocked when_blocked) {
  if (!file.backing_.takes_pages(file)) return {.end = range.first};
  const bool stops = when_blocked == WhenBlocked::stops;
  // Loops over dirty files and their pages are under way: nobody below writes others.
  ENSURE(!std::exchange(starting_, true));
  if (stops) submitter_ = whom;
  WritebackDevice& device = file.device();
  const bool estimates = options_.kernel.estimate_sees_syncs;
  const Jiffies now = throttle_.now();
  if (estimates && device.writeback_ == 0 && device.estimate_.due(now)) {
    device.estimate_.begin(device.totals_, now);
  }
  Started started{.end = range.first};
  std::int64_t page = file.first_dirty(range);
  while (page < range.end && pages_max > 0 && !started.blocked) {
    if (file.under_writeback(page)) {
      started.complete = false;
      page = file.first_dirty({page + 1, range.end});
      continue;
    }
    const std::int64_t first = page;
    std::vector<SharedBytes> snapshot;
    const std::int64_t most = std::min(options_.command_bytes / kPageBytes, pages_max);
    const std::int64_t run_end = std::min(range.end, first + most);
    for (; page < run_end && file.dirty(page) && !file.under_writeback(page); ++page) {
      snapshot.push_back(*file.find(page));
      file.clear_dirty(page);
      file.set_writeback(page);
    }
    const std::int64_t count = page - first;
    pages_max -= count;
    started.pages += count;
    started.end = page;
    forget_dirty(file, count);
    domain_.writeback += count;
    device.writeback_ += count;
    file.backing_.write_pages(file, first, std::move(snapshot), whom);
    started.blocked = stops && file.locked_batch({first, page}) != nullptr;
    page = file.first_dirty({page, range.end});
  }
  submitter_.reset();
  starting_ = false;
  if (estimates && device.estimate_.due(now)) {
    device.estimate_.update_bandwidth(device.totals_, now);
  }
  return started;
}

// Until the block layer and the journal have taken the pages that the worker wrote last.
Task<void> PageCache::until_taken(CachedFile& file, Worker& worker, const Clock& clock,
                                  std::int64_t page) {
  const std::uint64_t last = file.last_started();
  for (;;) {
    CachedFile::Writeback* const batch = file.locked_batch({page, page + 1});
    if (batch == nullptr || batch->number > last) co_return;
    co_await StuckWait(batch->lock_waiters, worker, batch->blocked_at, clock);
  }
}

Task<bool> PageCache::write_out(CachedFile& file, Worker& worker, const Clock& clock,
                                PageRange range) {
  const auto submit = [this, &file](PageRange pages) {
    return start(file, pages, WrittenFor::sync, INT64_MAX, WhenBlocked::stops);
  };
  const Started begun = submit(range);
  bool complete = begun.complete;
  if (!begun.blocked) co_return complete;
  // What becomes dirty from now on is not its any more.
  const std::vector<PageRange> rest = file.dirty_runs({begun.end, range.end});
  co_await until_taken(file, worker, clock, begun.end - 1);
  for (PageRange run : rest) {
    while (run.first < run.end) {
      const Started more = submit(run);
      complete = complete && more.complete;
      run.first = more.blocked ? more.end : run.end;
      if (more.blocked) co_await until_taken(file, worker, clock, more.end - 1);
    }
  }
  co_return complete;
}

void PageCache::submission_blocked(CachedFile& file, std::int64_t first, WaitPlace place) {
  CachedFile::Writeback& writeback = file.writebacks_.at(first);
  if (writeback.blocked == 0) {
    if (!submitter_) return;
    writeback.whom = *submitter_;
    if (writeback.whom == WrittenFor::flusher) ++file.device().flusher_blocked_;
    ++file.locked_;
  }
  ++writeback.blocked;
  writeback.blocked_at = place;
}

void PageCache::submission_goes_on(CachedFile& file, std::int64_t first) {
  CachedFile::Writeback& writeback = file.writebacks_.at(first);
  if (writeback.blocked == 0 || --writeback.blocked > 0) return;
  unlock(file, writeback);
}

void PageCache::unlock(CachedFile& file, CachedFile::Writeback& writeback) {
  writeback.blocked = 0;
  --file.locked_;
  wake_all(writeback.lock_waiters);
  WritebackDevice& device = file.device();
  if (writeback.whom != WrittenFor::flusher) return;
  --device.flusher_blocked_;
  if (std::exchange(device.full_, false)) kernel_.post(device.flusher_);
}

void PageCache::begin_writeback(CachedFile& file, std::int64_t first, std::int64_t count) {
  ENSURE(file.in_flight({first, first + count}, file.started_) == nullptr);
  CachedFile::Writeback& started = file.writebacks_[first];
  started.count = count;
  started.number = ++file.started_;
}

void PageCache::end_writeback(CachedFile& file, std::int64_t first, Result<void> outcome) {
  const auto entry = file.writebacks_.find(first);
  ENSURE(entry != file.writebacks_.end());
  const std::int64_t count = entry->second.count;
  WritebackDevice& device = file.device();
  // The last page first: what becomes reclaimable by that is taken in the order of the file.
  for (std::int64_t page = first + count; page-- > first;) file.clear_writeback(page);
  domain_.writeback -= count;
  device.writeback_ -= count;
  device.totals_.written += count;
  device.share_.completed(count, throttle_.now());
  if (!outcome) file.errors_.record(outcome.error());
  if (entry->second.blocked > 0) unlock(file, entry->second);
  wake_all(entry->second.waiters);
  file.writebacks_.erase(entry);
  if (std::exchange(device.full_, false)) kernel_.post(device.flusher_);
  if (memory_ != nullptr) memory_->writeback_ended();
  const bool estimates = options_.kernel.estimate_sees_syncs;
  if (estimates && file.writeback_pages_ == 0 && !device.estimate_timer_.linked()) {
    kernel_.after(device.estimate_timer_, Duration::ms(200));
  }
}

void PageCache::refresh_estimate(WritebackDevice& device) {
  device.estimate_.update_bandwidth(device.totals_, throttle_.now());
}

void PageCache::forget(CachedFile& file) {
  const std::int64_t dirty = std::exchange(file.dirty_pages_, 0);
  const std::int64_t writeback = std::exchange(file.writeback_pages_, 0);
  domain_.dirty -= dirty;
  domain_.writeback -= writeback;
  file.device().dirty_ -= dirty;
  file.device().writeback_ -= writeback;
  file.unlink();
  file.registration_.unlink();
  if (file.domain_ != nullptr) std::exchange(file.domain_, nullptr)->forget(file);
}

void PageCache::drop_clean() {
  for (ListLink* link = files_.empty() ? nullptr : files_.front(); link != nullptr;
       link = files_.after(link)) {
    CachedFile& file = static_cast<CachedFile::Registration*>(link)->file();
    if (!file.pinned()) file.drop_clean(PageRange(), CachedFile::Mapped::kept);
  }
}

void PageCache::forget_dirty(CachedFile& file, std::int64_t pages) {
  domain_.dirty -= pages;
  file.device().dirty_ -= pages;
  if (file.dirty_pages_ == 0) file.unlink();
}

void PageCache::flush(WritebackDevice& device) {
  write_expired(device);
  write_background(device);
  if (device.dirty_files_.empty()) return;
  while (device.next_tick_ <= kernel_.now()) device.next_tick_ += options_.interval.count_ns();
  kernel_.at(device.flusher_, device.next_tick_);
}

std::int64_t PageCache::queue_room(const WritebackDevice& device) const {
  if (device.flusher_blocked_ > 0) return 0;
  return options_.queue_bytes / kPageBytes - device.writeback_;
}

// Half a second of the device's bandwidth, at most an eighth of the limit; and 4 MiB more, rounded
// down to a multiple of them.
std::int64_t PageCache::chunk_pages(const WritebackDevice& device) const {
  const std::int64_t half_second = device.estimate_.rates().average_bandwidth / 2;
  const std::int64_t pages = std::min(half_second, domain_.limit() / 8);
  return (pages / kChunkPagesMin + 1) * kChunkPagesMin;
}

bool PageCache::over_background(WritebackDevice& device) const {
  if (domain_.dirty > domain_.background()) return true;
  return device.dirty_ > throttle_.state_of(device).device_background;
}

void PageCache::write_expired(WritebackDevice& device) {
  const bool all = std::exchange(device.write_all_, false);
  const std::int64_t old = kernel_.now() - (all ? 0 : options_.expire.count_ns());
  // Files with pages that were dirtied again while under writeback: they count as dirtied now, and
  // are not looked at a second time.
  IntrusiveList again;
  ListLink* link = device.dirty_files_.empty() ? nullptr : device.dirty_files_.front();
  while (link != nullptr) {
    auto& file = static_cast<CachedFile&>(*link);
    link = device.dirty_files_.after(link);
    if (file.dirtied_at_ > old) continue;
    const std::int64_t room = queue_room(device);
    device.full_ = room <= 0;
    device.write_all_ = device.full_ && all;
    if (device.full_) break;
    write_chunk(file, room);
    if (file.dirty_pages_ == 0 || queue_room(device) <= 0) continue;
    file.dirtied_at_ = kernel_.now();
    file.unlink();
    again.push_back(file);
  }
  device.dirty_files_.take_all(again);
  if (device.full_ || queue_room(device) > 0) return;
  device.full_ = true;  // There may be more of the last file.
  device.write_all_ = all;
}

void PageCache::write_background(WritebackDevice& device) {
  // A round over all files that writes nothing means that the rest is under writeback already.
  std::int64_t before_round = device.dirty_ + 1;
  while (device.dirty_ < before_round && over_background(device)) {
    before_round = device.dirty_;
    IntrusiveList round;
    round.take_all(device.dirty_files_);
    while (!round.empty()) {
      auto& file = static_cast<CachedFile&>(*round.front());
      file.unlink();
      device.dirty_files_.push_back(file);
      if (device.full_ || !over_background(device)) continue;
      const std::int64_t room = queue_room(device);
      device.full_ = room <= 0;
      if (!device.full_) write_chunk(file, std::min(chunk_pages(device), room));
    }
  }
}

// Goes on where the last chunk of the file ended, and begins anew behind the last dirty page: else
// one that writes a file over and over would keep its end from ever being written.
void PageCache::write_chunk(CachedFile& file, std::int64_t pages) {
  const std::int64_t from = file.chunk_end_;
  const auto write = [this, &file](PageRange range, std::int64_t most) {
    return start(file, range, WrittenFor::flusher, most, WhenBlocked::stops);
  };
  Started written = write({from, INT64_MAX}, pages);
  file.chunk_end_ = written.end;
  if (written.pages == pages || written.blocked) return;
  written = write({0, from}, pages - written.pages);
  if (written.pages > 0) file.chunk_end_ = written.end;
}

}  // namespace drydock::sim
