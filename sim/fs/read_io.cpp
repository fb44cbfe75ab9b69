// Buffered reads and major faults.
#include <algorithm>

#include "sim/fs/mount.hpp"
#include "sim/fs/mount_commands.hpp"
#include "sim/pagecache/stuck_wait.hpp"

namespace drydock::sim {
namespace {

constexpr std::int64_t kReadPagesMax = 256;

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

Task<Result<ByteChain>> Mount::read(Inode& inode, Worker& worker, std::int64_t offset,
                                    std::int64_t length, bool read_ahead) {
  Result<void> entered = co_await enter(worker);
  if (!entered) co_return entered.error();
  const std::int64_t ahead = read_ahead ? options_.read_ahead_bytes : 0;
  for (;;) {
    const std::int64_t part = std::min(length, inode.size - offset);
    if (part <= 0) co_return ByteChain();
    ByteChain chain = try_read(inode, offset, part);
    if (!chain.empty()) co_return chain;
    Result<void> in = co_await page_in(inode, worker, pages_of(offset, part), ahead);
    if (!in) co_return in.error();
  }
}

// Makes every page of the range resident that has content on the device. Reads up to `ahead` bytes
// beyond each missing page. The wait is killable, as that for a page lock is.
Task<Result<void>> Mount::page_in(Inode& inode, Worker& worker, PageRange range,
                                  std::int64_t ahead) {
  std::int64_t page = range.first;
  while (page < range.end) {
    const bool missing = !inode.resident(page) && inode.block_of(page).written();
    if (!missing) {
      ++page;
      continue;
    }
    const std::int64_t end = std::max(range.end, page + ahead / kPageBytes);
    std::shared_ptr<PageRead> read = start_read(inode, page, end);
    while (!read->ended) {
      co_await StuckWait(read->waiters, worker, WaitPlace::page_read, clock_, Waiter::Kind::join);
    }
    if (!read->outcome) co_return read->outcome.error();
  }
  co_return Result<void>();
}

// The read in flight that will bring the page, started now if there is none.
std::shared_ptr<PageRead> Mount::start_read(Inode& inode, std::int64_t page, std::int64_t end) {
  for (const auto& read : inode.reads) {
    if (!read->superseded && read->range.first <= page && page < read->range.end) return read;
  }
  const std::int64_t file_end = (inode.size + kPageBytes - 1) / kPageBytes;
  end = std::min({end, file_end, page + kReadPagesMax});
  const std::int64_t block = inode.block_of(page).block();
  std::int64_t stop = page + 1;
  while (stop < end && !inode.resident(stop)) {
    const BlockRef next = inode.block_of(stop);
    if (!next.written() || next.block() != block + (stop - page)) break;
    ++stop;
  }
  auto read = std::make_shared<PageRead>();
  read->range = {page, stop};
  inode.reads.push_back(read);
  ++inode.device_io;
  const PageReadCommand::Read command{.offset = block * kPageBytes,
                                      .length = (stop - page) * kPageBytes};
  path_.submit(std::make_unique<PageReadCommand>(*this, inode, read, command));
  return read;
}

void Mount::read_ended(Inode& inode, const std::shared_ptr<PageRead>& read, const ByteChain& bytes,
                       Result<void> outcome) {
  std::erase(inode.reads, read);
  read->ended = true;
  read->outcome = std::move(outcome);
  if (read->outcome && !read->superseded) {
    for (std::int64_t page = read->range.first; page < read->range.end; ++page) {
      if (inode.resident(page)) continue;
      SharedBytes content = bytes.pieces()[to_size(page - read->range.first)];
      const std::int64_t valid = inode.size - page * kPageBytes;
      ENSURE(valid > 0);
      if (valid < kPageBytes) {  // Nothing shows behind the end of the file.
        content = SharedBytes::copy_of(content.span());
        std::memset(content.writable().data() + valid, 0, to_size(kPageBytes - valid));
      }
      inode.insert(page, std::move(content));
    }
  }
  if (read->superseded) read->outcome = Result<void>();  // Those who wait look again.
  wake_all(read->waiters);
  device_io_ended(inode);
}

}  // namespace drydock::sim
