// O_DIRECT: past the page cache, in multiples of the logical block.
#include <algorithm>

#include "sim/fs/mount.hpp"
#include "sim/fs/mount_commands.hpp"
#include "sim/pagecache/stuck_wait.hpp"

namespace drydock::sim {
namespace {

std::size_t to_size(std::int64_t value) { return static_cast<std::size_t>(value); }

}  // namespace

// Writes back and drops what the cache holds of the range.
Task<Result<void>> Mount::invalidate(InodeHandle& handle, Worker& worker, PageRange range) {
  Inode& inode = handle.inode();
  for (;;) {
    const bool dirty = inode.first_dirty(range) < range.end;
    const bool busy = inode.in_flight(range, inode.last_started()) != nullptr;
    if (!dirty && !busy) break;
    co_await write_and_wait(inode, worker, range);
  }
  inode.supersede_reads(range);
  inode.drop_clean(range);
  co_return inode.errors().check(handle.errors());
}

Task<Result<void>> Mount::write_direct(InodeHandle& handle, Worker& worker, std::int64_t offset,
                                       SharedBytes bytes) {
  Inode& inode = handle.inode();
  Result<void> entered = co_await enter(worker);
  if (!entered) co_return entered;
  const auto length = static_cast<std::int64_t>(bytes.size());
  if (offset % direct_alignment_ != 0 || length % direct_alignment_ != 0) {
    co_return ErrorCode::invalid_argument;
  }
  if (length == 0) co_return Result<void>();
  if (inode.residue && offset + length > inode.size) {
    Result<void> cleared = co_await clear_residue(inode, worker);
    if (!cleared) co_return cleared;
  }
  const PageRange range = pages_of(offset, length);
  const bool aligned = offset % kPageBytes == 0 && length % kPageBytes == 0;
  for (;;) {
    if (!aligned && inode.device_io > 0) {  // Parts of one page take turns, as in ext4.
      co_await StuckWait(inode.device_idle, worker, WaitPlace::page_lock, clock_);
      continue;
    }
    Result<void> clean = co_await invalidate(handle, worker, range);
    if (!clean) co_return clean;
    Result<void> free = co_await modifiable(inode, worker);
    if (!free) co_return free;
    const std::int64_t holes = count_holes(inode, range, Reserved::no);
    if (!has_space_for(holes)) {
      Result<void> space = co_await wait_for_space(worker, holes);
      if (!space) co_return space;
    }
    const bool still_clean = inode.first_dirty(range) >= range.end &&
                             inode.in_flight(range, inode.last_started()) == nullptr &&
                             (aligned || inode.device_io == 0);
    if (still_clean && has_space_for(count_holes(inode, range, Reserved::no))) break;
  }
  map_holes(inode, range, journal_.running());
  auto direct = std::make_shared<DirectWrite>();
  direct->pages = range;
  direct->end_offset = offset + length;
  submit_direct(inode, offset, bytes, direct);
  while (direct->remaining > 0) {
    co_await StuckWait(direct->waiters, worker, WaitPlace::device, clock_);
  }
  co_return direct->outcome;
}

// One command per page: a page whose block is unwritten is written whole, zeros around the bytes.
void Mount::submit_direct(Inode& inode, std::int64_t offset, const SharedBytes& bytes,
                          const std::shared_ptr<DirectWrite>& direct) {
  ++inode.device_io;
  const auto length = static_cast<std::int64_t>(bytes.size());
  std::int64_t done = 0;
  while (done < length) {
    const std::int64_t page = (offset + done) / kPageBytes;
    const std::int64_t inside = (offset + done) % kPageBytes;
    const BlockRef block = inode.block_of(page);
    std::int64_t part = std::min(length - done, kPageBytes - inside);
    SharedBytes payload = bytes.slice(to_size(done), to_size(part));
    DirectWriteCommand::Write write{.offset = block.block() * kPageBytes + inside};
    PageRange pages{page, page + 1};
    if (part < kPageBytes && !block.written()) {
      SharedBytes whole = SharedBytes::zeros(to_size(kPageBytes));
      std::memcpy(whole.writable().data() + inside, payload.data(), payload.size());
      payload = std::move(whole);
      write.offset = block.block() * kPageBytes;
    } else if (part == kPageBytes) {
      // Whole pages in consecutive blocks go together.
      while (part + kPageBytes <= length - done && part < kDirectBytesMax &&
             inode.block_of(pages.end).block() == block.block() + part / kPageBytes) {
        part += kPageBytes;
        ++pages.end;
      }
      payload = bytes.slice(to_size(done), to_size(part));
    }
    write.bytes = ByteChain(std::move(payload));
    ++direct->remaining;
    path_.submit(std::make_unique<DirectWriteCommand>(*this, inode, direct, std::move(write)));
    done += part;
  }
}

Task<Result<ByteChain>> Mount::read_direct(InodeHandle& handle, Worker& worker, std::int64_t offset,
                                           std::int64_t length) {
  Inode& inode = handle.inode();
  Result<void> entered = co_await enter(worker);
  if (!entered) co_return entered.error();
  if (offset % direct_alignment_ != 0 || length % direct_alignment_ != 0) {
    co_return ErrorCode::invalid_argument;
  }
  const std::int64_t available = std::min(length, inode.size - offset);
  if (available <= 0) co_return ByteChain();
  co_await write_and_wait(inode, worker, pages_of(offset, available));
  ByteChain chain;
  while (static_cast<std::int64_t>(chain.size()) < available) {
    const std::int64_t at = offset + static_cast<std::int64_t>(chain.size());
    const std::int64_t rest = available - static_cast<std::int64_t>(chain.size());
    const std::int64_t page = at / kPageBytes;
    const std::int64_t inside = at % kPageBytes;
    const BlockRef block = inode.block_of(page);
    if (!block.written()) {
      const std::int64_t part = std::min(rest, kPageBytes - inside);
      chain.append(cache_->zero_page().slice(0, to_size(part)));
      continue;
    }
    std::int64_t pages = 1;
    while (pages * kPageBytes - inside < rest && pages * kPageBytes < kDirectBytesMax) {
      const BlockRef next = inode.block_of(page + pages);
      if (!next.written() || next.block() != block.block() + pages) break;
      ++pages;
    }
    const AwaitedCommand::Read request{.offset = block.block() * kPageBytes,
                                       .length = pages * kPageBytes};
    auto command = std::make_unique<DirectReadCommand>(*this, inode, request);
    Result<ByteChain> read = co_await CommandWait(path_, std::move(command), worker);
    if (!read) co_return read.error();
    const SharedBytes flat = read->flatten();
    const std::int64_t part = std::min(rest, pages * kPageBytes - inside);
    chain.append(flat.slice(to_size(inside), to_size(part)));
  }
  co_return chain;
}

}  // namespace drydock::sim
