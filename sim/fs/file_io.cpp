// Stores and buffered writes; size and space of files.
#include <algorithm>

#include "sim/fs/mount.hpp"
#include "sim/pagecache/memory_domain.hpp"
#include "sim/pagecache/stuck_wait.hpp"

namespace drydock::sim {

// What a write fault or a buffered write asks before it may change a page. `whole_page`: what the
// page held does not matter.
Mount::Admission Mount::admit(Inode& inode, std::int64_t page, bool whole_page) {
  const bool resident = inode.resident(page);
  if (resident && inode.dirty(page)) return Admission::ready;
  if (refuses_changes()) return Admission::refused;
  const BlockRef block = inode.block_of(page);
  if (!resident && !whole_page && block.written()) return Admission::must_read;
  if (!resident && !cache_->has_room(1)) return Admission::no_memory;
  // A first store updates the file's time, which is in the inode's block (W2), if time has passed.
  const bool journals = (inode.timed_at != cache_->tick() && !options_.lazytime) || journals_data();
  if (journals && journal_.must_wait(inode.home) != HandleWait::none) return Admission::journal;
  if (data_wait(block) != HandleWait::none) return Admission::journal;
  // With data=journal the log has a copy of its own of what it writes.
  const bool written_back = inode.writeback_pages() > 0 && !journals_data();
  if (written_back && inode.write_wait(folio_of(inode, page)) != nullptr) return Admission::in_use;
  if (needs_block(inode, page) && !has_space_for(1)) return Admission::no_space;
  return Admission::ready;
}

// The pages that become dirty with this one: a large folio's, if it has one.
PageRange Mount::folio_of(Inode& inode, std::int64_t page) const {
  // ext4 has no large folios for files whose data it journals.
  const std::int64_t most = journals_data() ? 1 : cache_->options().kernel.folio_pages_max;
  if (most == 1) return {page, page + 1};
  const PageRange folio{page / most * most, page / most * most + most};
  for (std::int64_t other = folio.first; other < folio.end; ++other) {
    if (!inode.resident(other) || inode.block_of(other).hole()) return {page, page + 1};
  }
  return folio;
}

std::int64_t Mount::clean_pages_of_folio(Inode& inode, std::int64_t page) const {
  std::int64_t clean = 0;
  const PageRange folio = folio_of(inode, page);
  for (std::int64_t other = folio.first; other < folio.end; ++other) {
    if (!inode.dirty(other)) ++clean;
  }
  return clean;
}

void Mount::make_dirty(Inode& inode, const Worker& worker, std::int64_t page) {
  if (inode.dirty(page)) return;
  if (!inode.resident(page)) {
    inode.insert(page, SharedBytes::zeros(static_cast<std::size_t>(kPageBytes)));
  }
  if (journals_data()) {
    join_with_data(inode, page);
  } else if (needs_block(inode, page)) {
    ++reserved_;
  }
  if (inode.timed_at != cache_->tick()) {
    inode.timed_at = cache_->tick();
    if (options_.lazytime) {
      inode.lazy_times = true;
      inode.lazy_time = clock_.wall_now();
    } else {
      set_time(inode);
    }
  }
  const PageRange folio = folio_of(inode, page);
  for (std::int64_t each = folio.first; each < folio.end; ++each) {
    cache_->mark_dirty(inode, each, worker);
  }
}

// data=journal: there is no delayed allocation. The block counts at once, because its content is in
// the same transaction.
void Mount::join_with_data(Inode& inode, std::int64_t page) {
  Transaction& transaction = journal_.running();
  map_holes(inode, {page, page + 1}, transaction);
  if (!inode.block_of(page).written()) {
    record(
        inode, Need::data, transaction,
        {.kind = MetadataOp::Kind::mark_written, .inode = inode.number, .page = page, .count = 1});
  }
  join(inode, Need::data, transaction);
  transaction.data_homes.insert(inode.block_of(page).block());
  auto& ordered = transaction.ordered;
  const bool next =
      !ordered.empty() && ordered.back().inode == &inode && ordered.back().end == page;
  if (next) {
    ++ordered.back().end;
  } else {
    ordered.push_back({.inode = &inode, .first = page, .end = page + 1});
  }
}

// A whole page that equals the one before it shares its block until one of them changes: the
// simulator then stores a file of equal pages once. What differs does so in its first bytes.
bool Mount::share_with_previous(Inode& inode, const Worker& worker, std::int64_t page,
                                std::span<const std::byte> bytes) {
  const SharedBytes* const previous = page == 0 ? nullptr : inode.find(page - 1);
  if (previous == nullptr || previous->empty()) return false;
  if (std::memcmp(previous->data(), bytes.data(), bytes.size()) != 0) return false;
  const SharedBytes block = *previous;
  if (!inode.resident(page)) inode.insert(page, block);
  make_dirty(inode, worker, page);
  *inode.find(page) = block;
  return true;
}

void Mount::store_into(Inode& inode, const Worker& worker, std::int64_t offset,
                       std::span<const std::byte> bytes) {
  const std::int64_t page = offset / kPageBytes;
  const bool whole = std::ssize(bytes) == kPageBytes;
  if (whole && share_with_previous(inode, worker, page, bytes)) return;
  make_dirty(inode, worker, page);
  std::memcpy(inode.writable(page) + offset % kPageBytes, bytes.data(), bytes.size());
}

Task<Result<void>> Mount::make_storable(Inode& inode, Worker& worker, std::int64_t page,
                                        bool whole_page, PageFaults* faults) {
  for (;;) {
    switch (admit(inode, page, whole_page)) {
      case Admission::ready: co_return Result<void>();
      case Admission::refused: co_return refusal();
      case Admission::journal: {
        const StallScope stall(*cache_, worker, WaitPlace::journal, page * kPageBytes);
        Result<void> free = co_await modifiable(inode, worker, inode.block_of(page));
        if (!free) co_return free;
        break;
      }
      case Admission::must_read: {
        const std::shared_ptr<PageRead> others = read_of(inode, page);
        const WaitPlace place =
            faults == nullptr ? WaitPlace::page_read : fault_wait(others.get(), page);
        const StallScope stall(*cache_, worker, place, page * kPageBytes);
        const PageRange range{page, page + 1};
        auto reading = faults == nullptr ? page_in(inode, worker, range)
                                         : fault_in(inode, worker, *faults, page);
        Result<void> in = co_await std::move(reading);
        if (!in) co_return in;
        break;
      }
      case Admission::in_use: {
        const StallScope stall(*cache_, worker, WaitPlace::page_lock, page * kPageBytes);
        const PageRange folio = folio_of(inode, page);
        // A fault can be killed while it waits for a lock, but not for the end of a writeback.
        const bool killable = faults != nullptr && inode.locked_batch(folio) != nullptr;
        const auto kind = killable ? Waiter::Kind::join : Waiter::Kind::uninterruptible;
        WaitList& free = *inode.write_wait(folio);
        co_await StuckWait(free, worker, WaitPlace::page_lock, clock_, kind);
        break;
      }
      case Admission::no_memory: {
        const StallScope stall(*cache_, worker, WaitPlace::memory, page * kPageBytes);
        co_await cache_->memory()->make_room(worker, 1);
        break;
      }
      case Admission::no_space: {
        Result<void> space = co_await wait_for_space(worker, 1);
        if (!space) co_return space;
        break;
      }
    }
  }
}

// Blocks of removed files may be free only after a commit: wait for one, as ext4 does before it
// reports a full disk.
Task<Result<void>> Mount::wait_for_space(Worker& worker, std::int64_t blocks) {
  while (!has_space_for(blocks)) {
    const Tid frees = journal_.frees_blocks();
    if (frees == Tid()) co_return ErrorCode::no_space;
    Result<void> committed = co_await commit(worker, frees);
    if (!committed) co_return committed;
  }
  co_return Result<void>();
}

Task<Result<void>> Mount::modifiable(Inode& inode, Worker& worker, BlockRef data) {
  for (;;) {
    WaitList* const wait = handle_wait(inode, data);
    if (wait == nullptr) break;
    co_await StuckWait(*wait, worker, WaitPlace::journal, clock_);
  }
  if (refuses_changes()) co_return refusal();
  co_return Result<void>();
}

// Before the file grows: brings the last page into memory, where it is clear behind the end, and
// dirties it. `order_cleared_tail` does the rest. Needed once after a mount.
Task<Result<void>> Mount::clear_residue(Inode& inode, Worker& worker) {
  while (inode.residue) {
    const std::int64_t page = inode.size / kPageBytes;
    Result<void> storable = co_await make_storable(inode, worker, page, false, nullptr);
    if (!storable) co_return storable;
    if (page != inode.size / kPageBytes) continue;
    make_dirty(inode, worker, page);
    inode.cleared_tail = page;
    inode.residue = false;
  }
  co_return Result<void>();
}

Task<Result<void>> Mount::write(Inode& inode, Worker& worker, std::int64_t offset,
                                SharedBytes bytes) {
  Result<void> entered = co_await enter(worker);
  if (!entered) co_return entered;
  if (inode.residue && offset + static_cast<std::int64_t>(bytes.size()) > inode.size) {
    Result<void> cleared = co_await clear_residue(inode, worker);
    if (!cleared) co_return cleared;
  }
  std::span<const std::byte> rest = bytes.span();
  while (!rest.empty()) {
    const std::int64_t page = offset / kPageBytes;
    const std::int64_t room = kPageBytes - offset % kPageBytes;
    const auto part = std::min(rest.size(), static_cast<std::size_t>(room));
    const std::int64_t end = offset + static_cast<std::int64_t>(part);
    const bool whole = offset % kPageBytes == 0 && (end % kPageBytes == 0 || end >= inode.size);
    if (journals_data()) {  // Every write has a handle, even into a page that is dirty.
      Result<void> free = co_await modifiable(inode, worker);
      if (!free) co_return free;
    }
    if (admit(inode, page, whole) != Admission::ready) {
      Result<void> storable = co_await make_storable(inode, worker, page, whole, nullptr);
      if (!storable) co_return storable;
    }
    store_into(inode, worker, offset, rest.first(part));
    inode.size = std::max(inode.size, end);
    if (journals_data() && end > inode.record.size) {
      record(inode, Need::data,
             {.kind = MetadataOp::Kind::grow_size, .inode = inode.number, .count = end});
    }
    rest = rest.subspan(part);
    offset = end;
    if (cache_->throttle_due(inode, worker)) {
      co_await cache_->throttle(inode, worker, clock_, offset);
    }
  }
  co_return Result<void>();
}

bool Mount::try_store(Inode& inode, const Worker& worker, std::int64_t offset,
                      std::span<const std::byte> bytes) {
  if (bytes.empty()) return true;
  const std::int64_t end = offset + static_cast<std::int64_t>(bytes.size());
  if (state_ != State::ready || end > inode.size) return false;
  const PageRange range = pages_of(offset, end - offset);
  std::int64_t clean = 0;
  std::int64_t clean_holes = 0;
  for (std::int64_t page = range.first; page < range.end; ++page) {
    if (admit(inode, page, false) != Admission::ready) return false;
    if (inode.dirty(page)) continue;
    clean += clean_pages_of_folio(inode, page);
    if (needs_block(inode, page)) ++clean_holes;
  }
  if (clean_holes > 1 && !has_space_for(clean_holes)) return false;
  if (clean > 1 && journals_data()) return false;  // The transaction has room for one: see `full`.
  if (clean > 0 && cache_->may_throttle(inode, worker, clean)) return false;
  while (!bytes.empty()) {
    const std::int64_t room = kPageBytes - offset % kPageBytes;
    const auto part = std::min(bytes.size(), static_cast<std::size_t>(room));
    const bool faults = !inode.dirty(offset / kPageBytes);
    if (faults) ++cache_->faults().minor;
    store_into(inode, worker, offset, bytes.first(part));
    if (faults) inode.map_page(offset / kPageBytes);
    offset += static_cast<std::int64_t>(part);
    bytes = bytes.subspan(part);
  }
  if (clean > 0 && cache_->throttle_due(inode, worker)) cache_->check_throttle(inode, worker);
  return true;
}

Task<Result<void>> Mount::store(Inode& inode, Worker& worker, PageFaults& faults,
                                std::int64_t offset, SharedBytes bytes) {
  Result<void> entered = co_await enter(worker);
  if (!entered) co_return entered;
  std::span<const std::byte> rest = bytes.span();
  while (!rest.empty()) {
    const std::int64_t room = kPageBytes - offset % kPageBytes;
    const auto part = std::min(rest.size(), static_cast<std::size_t>(room));
    const std::int64_t end = offset + static_cast<std::int64_t>(part);
    const std::int64_t page = offset / kPageBytes;
    // One fault, whatever it takes: if it reads the page, it is counted there.
    if (!absent(inode, page) && !inode.dirty(page)) ++cache_->faults().minor;
    // A fault dirties the page and may be throttled; meanwhile the page may have been written back,
    // and the store faults again.
    for (bool again = true; again;) {
      Result<void> storable = co_await make_storable(inode, worker, page, false, &faults);
      if (!storable) co_return storable;
      if (end > inode.size) co_return ErrorCode::io_error;  // Cut by somebody: SIGBUS.
      again = !inode.dirty(page);
      if (!again) continue;
      make_dirty(inode, worker, page);
      again = cache_->throttle_due(inode, worker);
      if (again) co_await cache_->throttle(inode, worker, clock_, offset);
    }
    store_into(inode, worker, offset, rest.first(part));
    inode.map_page(page);
    rest = rest.subspan(part);
    offset = end;
  }
  co_return Result<void>();
}

Task<Result<void>> Mount::truncate(Inode& inode, Worker& worker, std::int64_t size) {
  Result<void> entered = co_await enter(worker);
  if (!entered) co_return entered;
  if (size < inode.size) {
    Result<void> shorter = co_await cut(inode, worker, size);
    co_return shorter;
  }
  if (size > inode.size) {
    Result<void> cleared = co_await clear_residue(inode, worker);
    if (!cleared) co_return cleared;
  }
  Result<void> free = co_await modifiable(inode, worker);
  if (!free) co_return free;
  if (size <= inode.size) co_return Result<void>();
  inode.size = size;
  order_cleared_tail(inode, journal_.running());
  record(inode, Need::data,
         {.kind = MetadataOp::Kind::set_size, .inode = inode.number, .count = size});
  co_return Result<void>();
}

// Makes the file shorter. Waits until nothing of the lost part is on its way to or from the device,
// so that no late write lands in a block that has a new owner.
Task<Result<void>> Mount::cut(Inode& inode, Worker& worker, std::int64_t size) {
  const std::int64_t tail_page = size / kPageBytes;
  const bool has_tail = size % kPageBytes != 0;
  for (;;) {
    Result<void> free = co_await modifiable(inode, worker);
    if (!free) co_return free;
    if (inode.device_io > 0) {
      co_await StuckWait(inode.device_idle, worker, WaitPlace::page_lock, clock_);
      continue;
    }
    const PageRange lost{tail_page, INT64_MAX};
    if (inode.in_flight(lost, inode.last_started()) != nullptr) {
      co_await wait_for_writeback(inode, worker, lost);
      continue;
    }
    const bool absent =
        has_tail && inode.block_of(tail_page).written() && !inode.resident(tail_page);
    if (!absent) break;
    const PageRange tail{tail_page, tail_page + 1};
    // Room first: what makes room may wait for a commit, and the commit for the handle.
    const std::int64_t lacking = room_lacking(inode, tail);
    if (lacking > 0) {
      co_await cache_->memory()->make_room(worker, lacking);
      continue;
    }
    const auto handle = std::make_shared<Journal::Handle>(journal_);  // As ext4_truncate does.
    start_reads(inode, tail, kNoMark);
    const std::shared_ptr<PageRead> read = read_of(inode, tail_page);
    if (read != nullptr) read->handle = handle;
    Result<void> in = co_await await_page(inode, worker, tail_page);
    if (!in) co_return in;
  }
  if (size >= inode.size) co_return Result<void>();
  if (has_tail && inode.resident(tail_page)) {
    make_dirty(inode, worker, tail_page);
    const std::int64_t from = size % kPageBytes;
    std::memset(inode.writable(tail_page) + from, 0, static_cast<std::size_t>(kPageBytes - from));
    // The zeros reach the device before the new size does: nothing comes back when the file grows.
    order(journal_.running(), inode, tail_page, tail_page + 1);
  }
  const std::int64_t first = tail_page + (has_tail ? 1 : 0);
  drop_pages(inode, {first, INT64_MAX});
  inode.size = size;
  inode.emptied = size == 0;
  inode.residue = false;
  record(inode, Need::data, {.kind = MetadataOp::Kind::cut, .inode = inode.number, .page = first});
  const std::int64_t own = own_blocks_needed(inode, 0);
  if (std::ssize(inode.record.own_blocks) > own) {
    record(inode, Need::data,
           {.kind = MetadataOp::Kind::keep_blocks, .inode = inode.number, .count = own});
  }
  record(inode, Need::data,
         {.kind = MetadataOp::Kind::set_size, .inode = inode.number, .count = size});
  co_return Result<void>();
}

Task<Result<void>> Mount::allocate(Inode& inode, Worker& worker, std::int64_t offset,
                                   std::int64_t length) {
  Result<void> entered = co_await enter(worker);
  if (!entered) co_return entered;
  const PageRange range = pages_of(offset, length);
  for (;;) {
    if (offset + length > inode.size) {
      Result<void> cleared = co_await clear_residue(inode, worker);
      if (!cleared) co_return cleared;
    }
    Result<void> free = co_await modifiable(inode, worker);
    if (!free) co_return free;
    const std::int64_t holes = count_holes(inode, range, Reserved::no);
    if (has_space_for(holes)) break;
    Result<void> space = co_await wait_for_space(worker, holes);
    if (!space) co_return space;
  }
  reserved_ -= count_holes(inode, range, Reserved::yes);
  map_holes(inode, range, journal_.running());
  if (offset + length > inode.size) {
    inode.size = offset + length;
    order_cleared_tail(inode, journal_.running());
    record(inode, Need::data,
           {.kind = MetadataOp::Kind::set_size, .inode = inode.number, .count = inode.size});
  }
  co_return Result<void>();
}

}  // namespace drydock::sim
