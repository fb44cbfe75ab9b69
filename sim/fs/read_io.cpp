// Buffered reads and read faults.
#include <algorithm>

#include "sim/fs/mount.hpp"
#include "sim/fs/mount_commands.hpp"
#include "sim/pagecache/memory_domain.hpp"
#include "sim/pagecache/stuck_wait.hpp"

namespace drydock::sim {
namespace {

std::size_t to_size(std::int64_t value) { return static_cast<std::size_t>(value); }

}  // namespace

ByteChain Mount::try_read(Inode& inode, std::int64_t offset, std::int64_t length) {
  ByteChain chain;
  while (length > 0) {
    const std::int64_t page = offset / kPageBytes;
    const std::int64_t inside = offset % kPageBytes;
    const std::int64_t part = std::min(length, kPageBytes - inside);
    const SharedBytes* bytes = inode.find(page);
    if (bytes == nullptr || bytes->empty()) {
      if (inode.block_of(page).written()) return {};
      bytes = &cache_->zero_page();
    }
    chain.append(bytes->slice(to_size(inside), to_size(part)));
    offset += part;
    length -= part;
  }
  return chain;
}

ByteChain Mount::try_load(Inode& inode, PageFaults& faults, std::int64_t offset,
                          std::int64_t length) {
  ByteChain chain;
  std::int64_t touched = 0;
  while (length > 0) {
    const std::int64_t page = offset / kPageBytes;
    const std::int64_t inside = offset % kPageBytes;
    const std::int64_t part = std::min(length, kPageBytes - inside);
    const SharedBytes* bytes = inode.touch(page, faults.keeps_pages());
    if (bytes == nullptr) {
      bytes = map_cached(inode, faults, page);
      if (bytes == nullptr) return {};
    }
    chain.append(bytes->slice(to_size(inside), to_size(part)));
    offset += part;
    length -= part;
    ++touched;
  }
  cache_->faults().touched += touched;
  return chain;
}

// A read fault on a page that is not mapped. Null if it has to be read. A hole's page is not put
// into the cache, as Linux does: it takes no memory and is no fault.
const SharedBytes* Mount::map_cached(Inode& inode, PageFaults& faults, std::int64_t page) {
  if (!inode.resident(page)) {
    return inode.block_of(page).written() ? nullptr : &cache_->zero_page();
  }
  ++cache_->faults().minor;
  use_mark(inode, faults, page);
  if (!inode.resident(page)) return nullptr;  // Reclaimed for what is read ahead.
  // A marked page takes a fault of its own, so that its use is seen.
  const PageRange around = PageFaults::around(page);
  const bool young = faults.keeps_pages();
  std::int64_t mapped = 0;
  for (std::int64_t first = around.first; first < around.end;) {
    PageRange part{first, first};
    while (part.end < around.end && (part.end == page || !inode.ahead_marked(part.end))) ++part.end;
    mapped += inode.map_resident(part, young);
    first = part.end + 1;
  }
  faults.mapped(mapped);
  return inode.find(page);
}

// A page that is cached or on its way is touched through a mapping.
void Mount::use_mark(Inode& inode, PageFaults& faults, std::int64_t page) {
  if (!inode.take_ahead_mark(page)) return;
  const auto next_absent = [this, &inode, page](std::int64_t most) {
    return absent_behind(inode, page, most);
  };
  const PageRange window = faults.on_mark(page, next_absent);
  read_ahead(inode, window, faults.ahead().mark());
}

// The same by a read of the pages from `page` to `end`.
void Mount::use_mark(Inode& inode, ReadAhead& ahead, std::int64_t page, std::int64_t end) {
  if (!inode.take_ahead_mark(page)) return;
  const auto next_absent = [this, &inode, page](std::int64_t most) {
    return absent_behind(inode, page, most);
  };
  const PageRange window = ahead.on_mark(page, end - page, next_absent);
  read_ahead(inode, window, ahead.mark());
}

Task<Result<ByteChain>> Mount::read(Inode& inode, Worker& worker, ReadAhead& ahead,
                                    std::int64_t offset, std::int64_t length) {
  Result<void> entered = co_await enter(worker);
  if (!entered) co_return entered.error();
  for (;;) {
    const std::int64_t part = std::min(length, inode.size - offset);
    if (part <= 0) co_return ByteChain();
    const PageRange range = pages_of(offset, part);
    for (std::int64_t page = range.first; page < range.end; ++page) {
      if (inode.ahead_marked(page) && present(inode, page)) {
        use_mark(inode, ahead, page, range.end);
      }
    }
    ByteChain chain = try_read(inode, offset, part);
    if (!chain.empty()) {
      note_access(inode, ahead, range);
      cache_->faults().touched += range.end - range.first;
      co_return chain;
    }
    for (std::int64_t page = range.first; page < range.end; ++page) {
      if (!absent(inode, page)) continue;
      if (read_of(inode, page) == nullptr) {
        const auto history = [this, &inode, page](std::int64_t most) {
          return cached_before(inode, page, most);
        };
        const PageRange window = ahead.on_miss({page, range.end}, history);
        const std::int64_t lacking = room_lacking(inode, window);
        if (lacking > 0) co_await cache_->memory()->make_room(worker, lacking);
        start_reads(inode, window, ahead.mark());
      }
      Result<void> in = co_await await_page(inode, worker, page);
      if (!in) co_return in.error();
    }
  }
}

// A page that the previous read of the file ended in, too, counts once.
void Mount::note_access(Inode& inode, ReadAhead& ahead, PageRange range) {
  MemoryDomain* const memory = cache_->memory();
  const bool again = ahead.last_read() == range.first;
  if (memory != nullptr) memory->accessed(inode, {range.first + (again ? 1 : 0), range.end});
  ahead.read_to(range.end - 1);
}

Task<Result<ByteChain>> Mount::load(Inode& inode, Worker& worker, PageFaults& faults,
                                    std::int64_t offset, std::int64_t length) {
  Result<void> entered = co_await enter(worker);
  if (!entered) co_return entered.error();
  for (;;) {
    const std::int64_t part = std::min(length, inode.size - offset);
    if (part <= 0) co_return ByteChain();
    ByteChain chain = try_load(inode, faults, offset, part);
    if (!chain.empty()) co_return chain;
    Result<void> in = co_await populate(inode, worker, faults, pages_of(offset, part));
    if (!in) co_return in.error();
  }
}

Task<Result<void>> Mount::lock_pages(Inode& inode, Worker& worker, PageFaults& faults,
                                     PageRange range) {
  Result<void> entered = co_await enter(worker);
  if (!entered) co_return entered;
  range.end = std::min(range.end, (inode.size + kPageBytes - 1) / kPageBytes);
  Result<void> in = co_await populate(inode, worker, faults, range);
  co_return in;
}

Task<Result<void>> Mount::populate(Inode& inode, Worker& worker, PageFaults& faults,
                                   PageRange range) {
  for (std::int64_t page = range.first; page < range.end; ++page) {
    if (inode.mapped(page) || map_cached(inode, faults, page) != nullptr) continue;
    Result<void> in = co_await fault_in(inode, worker, faults, page);
    if (!in) co_return in;
  }
  co_return Result<void>();
}

// A fault on an absent page, which is mapped afterwards unless somebody has dropped it already.
Task<Result<void>> Mount::fault_in(Inode& inode, Worker& worker, PageFaults& faults,
                                   std::int64_t page) {
  const std::shared_ptr<PageRead> others = read_of(inode, page);
  if (others != nullptr) {
    ++cache_->faults().minor;
    use_mark(inode, faults, page);
  } else {
    ++cache_->faults().major;
    const auto history = [this, &inode, page](std::int64_t most) {
      return cached_before(inode, page, most);
    };
    const PageRange window = faults.on_miss(page, history);
    const std::int64_t lacking = room_lacking(inode, window);
    if (lacking > 0) co_await cache_->memory()->make_room(worker, lacking);
    start_reads(inode, window, faults.ahead().mark());
    const std::shared_ptr<PageRead> own = read_of(inode, page);
    if (own != nullptr && own->faulted < 0) own->faulted = page;
  }
  Result<void> in = co_await await_page(inode, worker, page, fault_wait(others.get(), page));
  if (!in) co_return in;
  inode.map_resident({page, page + 1}, faults.keeps_pages());
  co_return Result<void>();
}

// Makes every page of the range resident that has content on the device, and reads nothing else.
Task<Result<void>> Mount::page_in(Inode& inode, Worker& worker, PageRange range) {
  for (std::int64_t page = range.first; page < range.end; ++page) {
    if (!absent(inode, page)) continue;
    const PageRange rest{page, range.end};
    const std::int64_t lacking = room_lacking(inode, rest);
    if (lacking > 0) co_await cache_->memory()->make_room(worker, lacking);
    start_reads(inode, rest, kNoMark);
    Result<void> in = co_await await_page(inode, worker, page);
    if (!in) co_return in;
  }
  co_return Result<void>();
}

// Waits for the read in flight that brings the page; returns at once if there is none. The wait is
// killable, as that for a page lock is. What came of it must be checked again.
Task<Result<void>> Mount::await_page(Inode& inode, Worker& worker, std::int64_t page,
                                     WaitPlace place) {
  const std::shared_ptr<PageRead> read = read_of(inode, page);
  if (read == nullptr) co_return Result<void>();
  while (!read->ended) {
    co_await StuckWait(read->waiters, worker, place, clock_, Waiter::Kind::join);
  }
  co_return read->outcome;
}

bool Mount::absent(Inode& inode, std::int64_t page) const {
  return !inode.resident(page) && inode.block_of(page).written();
}

bool Mount::present(Inode& inode, std::int64_t page) const {
  return inode.resident(page) || read_of(inode, page) != nullptr;
}

std::int64_t Mount::cached_before(Inode& inode, std::int64_t page, std::int64_t most) const {
  std::int64_t count = 0;
  while (count < most && count < page && present(inode, page - count - 1)) ++count;
  return count;
}

// The first page behind `page`, at most `most` pages from it, that is neither cached nor on its
// way; -1: none.
std::int64_t Mount::absent_behind(Inode& inode, std::int64_t page, std::int64_t most) const {
  for (std::int64_t each = page + 1; each <= page + most; ++each) {
    if (!present(inode, each)) return each;
  }
  return -1;
}

// The read in flight that will bring the page, or null.
std::shared_ptr<PageRead> Mount::read_of(const Inode& inode, std::int64_t page) const {
  for (const auto& read : inode.reads) {
    if (!read->superseded && read->range.first <= page && page < read->range.end) return read;
  }
  return nullptr;
}

// Reads those pages of the range that have content on the device and are neither cached nor on
// their way, as far as the file goes. Waits for nothing. `mark`: the page that is marked, if it is
// among those that are read.
void Mount::start_reads(Inode& inode, PageRange range, std::int64_t mark) {
  const std::int64_t file_end = (inode.size + kPageBytes - 1) / kPageBytes;
  const std::int64_t end = std::min(range.end, file_end);
  const auto to_read = [this, &inode](std::int64_t page) {
    return absent(inode, page) && read_of(inode, page) == nullptr;
  };
  const bool marks = range.first <= mark && mark < end && to_read(mark);
  for (std::int64_t page = range.first; page < end;) {
    if (!to_read(page)) {
      ++page;
      continue;
    }
    inode.take_ahead_mark(page);
    const std::int64_t block = inode.block_of(page).block();
    if (const SharedBytes* const logged = journal_.checkpoint().find_data(block)) {
      insert_read(inode, page, *logged);
      ++page;
      continue;
    }
    const std::int64_t limit = std::min(end, page + kReadPagesMax);
    std::int64_t stop = page + 1;
    while (stop < limit && to_read(stop) && inode.block_of(stop).block() == block + (stop - page) &&
           journal_.checkpoint().find_data(block + (stop - page)) == nullptr) {
      inode.take_ahead_mark(stop);
      ++stop;
    }
    start_read(inode, {page, stop}, block);
    page = stop;
  }
  if (marks) inode.mark_ahead(mark);
}

void Mount::read_ahead(Inode& inode, PageRange range, std::int64_t mark) {
  if (range.first == range.end) return;
  MemoryDomain* const memory = cache_->memory();
  if (memory == nullptr || memory->squeeze(range.end - range.first)) {
    start_reads(inode, range, mark);
  }
}

// How much room the pages of the range need, as far as the file and one command go; 0 if there is
// enough.
std::int64_t Mount::room_lacking(const Inode& inode, PageRange range) const {
  const std::int64_t file_end = (inode.size + kPageBytes - 1) / kPageBytes;
  const std::int64_t pages =
      std::min({range.end, file_end, range.first + kReadPagesMax}) - range.first;
  return cache_->has_room(pages) ? 0 : pages;
}

void Mount::reserve(PageRange range) {
  if (cache_->memory() != nullptr) cache_->memory()->reserve(range.end - range.first);
}

void Mount::unreserve(PageRange range) {
  if (cache_->memory() != nullptr) cache_->memory()->unreserve(range.end - range.first);
}

void Mount::start_read(Inode& inode, PageRange range, std::int64_t block) {
  auto read = std::make_shared<PageRead>();
  read->range = range;
  inode.reads.push_back(read);
  ++inode.device_io;
  const std::int64_t pages = range.end - range.first;
  cache_->faults().pages_read += pages;
  reserve(range);
  const PageReadCommand::Read command{.offset = block * kPageBytes, .length = pages * kPageBytes};
  path_.submit(std::make_unique<PageReadCommand>(*this, inode, read, command));
}

// Nothing shows behind the end of the file.
void Mount::insert_read(Inode& inode, std::int64_t page, SharedBytes content) {
  const std::int64_t valid = inode.size - page * kPageBytes;
  ENSURE(valid > 0);
  if (valid < kPageBytes) {
    content = SharedBytes::copy_of(content.span());
    std::memset(content.writable().data() + valid, 0, to_size(kPageBytes - valid));
  }
  inode.insert(page, std::move(content));
}

void Mount::read_ended(Inode& inode, const std::shared_ptr<PageRead>& read, const ByteChain& bytes,
                       Result<void> outcome) {
  std::erase(inode.reads, read);
  if (!dead()) unreserve(read->range);
  read->ended = true;
  read->outcome = std::move(outcome);
  if (read->outcome && !read->superseded) {
    for (std::int64_t page = read->range.first; page < read->range.end; ++page) {
      if (inode.resident(page)) continue;
      insert_read(inode, page, bytes.pieces()[to_size(page - read->range.first)]);
    }
  }
  if (read->superseded) read->outcome = Result<void>();  // Those who wait look again.
  wake_all(read->waiters);
  const std::shared_ptr<Journal::Handle> handle = read->handle.lock();
  if (handle != nullptr) handle->end();
  device_io_ended(inode);
}

}  // namespace drydock::sim
