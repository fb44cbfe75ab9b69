#include "sim/pagecache/page_cache.hpp"

#include "sim/pagecache/stuck_wait.hpp"

namespace drydock::sim {

PageCache::PageCache(Kernel& kernel, HostId host, PageCacheOptions options)
    : kernel_(kernel),
      options_(options),
      limit_(options.dirty_bytes / kPageBytes),
      background_(options.dirty_background_bytes / kPageBytes),
      flusher_(*this, host.value()) {
  ENSURE(limit_ >= 2);  // The kernel's own minimum.
  if (background_ >= limit_) background_ = limit_ / 2;
}

void PageCache::mark_dirty(CachedFile& file, std::int64_t page) {
  if (file.dirty(page)) return;
  if (file.dirty_pages_ == 0) {
    file.dirtied_at_ = kernel_.now();
    if (dirty_files_.empty()) {
      next_tick_ = kernel_.now() + options_.interval.count_ns();
      kernel_.at(flusher_, next_tick_);
    }
    dirty_files_.push_back(file);
  }
  file.set_dirty(page);
  ++dirty_;
  if (dirty_ > background_) kernel_.post(flusher_);
}

bool PageCache::start_writeback(CachedFile& file, PageRange range, std::int64_t pages_max) {
  bool complete = true;
  std::int64_t page = file.first_dirty(range);
  while (page < range.end && pages_max > 0) {
    if (file.under_writeback(page)) {
      complete = false;
      page = file.first_dirty({page + 1, range.end});
      continue;
    }
    const std::int64_t first = page;
    std::vector<SharedBytes> snapshot;
    const std::int64_t run_end = std::min(range.end, first + std::min(kRunPages, pages_max));
    for (; page < run_end && file.dirty(page) && !file.under_writeback(page); ++page) {
      snapshot.push_back(*file.find(page));
      file.clear_dirty(page);
      file.set_writeback(page);
    }
    const std::int64_t count = page - first;
    pages_max -= count;
    forget_dirty(file, count);
    writeback_ += count;
    file.backing_.write_pages(file, first, std::move(snapshot));
    page = file.first_dirty({page, range.end});
  }
  return complete;
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
  for (std::int64_t page = first; page < first + count; ++page) file.clear_writeback(page);
  writeback_ -= count;
  if (!outcome) file.errors_.record(outcome.error());
  wake_all(entry->second.waiters);
  file.writebacks_.erase(entry);
  wake_throttled();
}

void PageCache::forget(CachedFile& file) {
  dirty_ -= std::exchange(file.dirty_pages_, 0);
  writeback_ -= std::exchange(file.writeback_pages_, 0);
  file.unlink();
  file.registration_.unlink();
}

void PageCache::drop_clean() {
  for (ListLink* link = files_.empty() ? nullptr : files_.front(); link != nullptr;
       link = files_.after(link)) {
    CachedFile& file = static_cast<CachedFile::Registration*>(link)->file();
    if (!file.pinned()) file.drop_clean(PageRange());
  }
}

void PageCache::forget_dirty(CachedFile& file, std::int64_t pages) {
  dirty_ -= pages;
  if (file.dirty_pages_ == 0) file.unlink();
  wake_throttled();
}

void PageCache::wake_throttled() {
  if (below_limit()) wake_all(throttled_);
}

void PageCache::flush() {
  write_expired();
  write_background();
  if (dirty_files_.empty()) return;
  while (next_tick_ <= kernel_.now()) next_tick_ += options_.interval.count_ns();
  kernel_.at(flusher_, next_tick_);
}

void PageCache::write_expired() {
  const std::int64_t old = kernel_.now() - options_.expire.count_ns();
  ListLink* link = dirty_files_.empty() ? nullptr : dirty_files_.front();
  while (link != nullptr) {
    auto& file = static_cast<CachedFile&>(*link);
    link = dirty_files_.after(link);
    if (file.dirtied_at_ > old) continue;
    start_writeback(file, PageRange());
    if (file.dirty_pages_ == 0) continue;
    // Pages that were dirtied again while under writeback: they count as dirtied now.
    file.dirtied_at_ = kernel_.now();
    file.unlink();
    dirty_files_.push_back(file);
  }
}

void PageCache::write_background() {
  // A round over all files that writes nothing means that the rest is under writeback already.
  std::int64_t before_round = dirty_ + 1;
  while (dirty_ > background_ && dirty_ < before_round) {
    before_round = dirty_;
    IntrusiveList round;
    round.take_all(dirty_files_);
    while (!round.empty()) {
      auto& file = static_cast<CachedFile&>(*round.front());
      file.unlink();
      dirty_files_.push_back(file);
      if (dirty_ > background_) start_writeback(file, PageRange(), kChunkPages);
    }
  }
}

}  // namespace drydock::sim
