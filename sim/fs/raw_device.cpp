#include "sim/fs/raw_device.hpp"

#include <algorithm>

#include "sim/disk/command_wait.hpp"
#include "sim/pagecache/memory_domain.hpp"
#include "sim/pagecache/stuck_wait.hpp"

namespace drydock::sim {
namespace {

constexpr std::int64_t kCommandPages = 256;

std::size_t to_size(std::int64_t value) { return static_cast<std::size_t>(value); }

}  // namespace

class RawDevice::PageWrite final : public DiskCommand {
 public:
  using DiskCommand::Write;
  PageWrite(RawDevice& device, Write write) : DiskCommand(std::move(write)), device_(device) {}
  void completed(Result<void> outcome) override {
    if (device_.dead()) return;
    device_.cache().end_writeback(device_, offset() / kPageBytes, std::move(outcome));
  }
  void submitter_blocked() override {
    device_.cache().submission_blocked(device_, offset() / kPageBytes, WaitPlace::device);
  }
  void submitter_goes_on() override {
    if (!device_.dead()) device_.cache().submission_goes_on(device_, offset() / kPageBytes);
  }

 private:
  RawDevice& device_;
};

class RawDevice::PageReadCommand final : public DiskCommand {
 public:
  using DiskCommand::Read;
  PageReadCommand(RawDevice& device, std::shared_ptr<PageRead> read, Read command)
      : DiskCommand(command), device_(device), read_(std::move(read)) {}
  void completed(Result<void> outcome) override {
    device_.read_ended(read_, bytes(), std::move(outcome));
  }

 private:
  RawDevice& device_;
  std::shared_ptr<PageRead> read_;
};

RawDevice::RawDevice(DiskPath& path, std::shared_ptr<PageCache> cache,
                     std::int64_t read_ahead_bytes)
    : RawBacking(cache),
      CachedFile(*cache, *this),
      path_(path),
      clock_(path.host().clock()),
      read_ahead_pages_(read_ahead_bytes / kPageBytes) {}

void RawDevice::die() {
  dead_ = true;
  for (const auto& read : reads_) unreserve(read->range);
  cache().forget(*this);
}

ByteChain RawDevice::try_read(std::int64_t offset, std::int64_t length) {
  ByteChain chain;
  while (length > 0) {
    const SharedBytes* const bytes = find(offset / kPageBytes);
    if (bytes == nullptr || bytes->empty()) return {};
    audit_read(offset / kPageBytes, *bytes);
    const std::int64_t inside = offset % kPageBytes;
    const std::int64_t part = std::min(length, kPageBytes - inside);
    chain.append(bytes->slice(to_size(inside), to_size(part)));
    offset += part;
    length -= part;
  }
  return chain;
}

void RawDevice::audit_read(std::int64_t page, const SharedBytes& bytes) {
  if (!path_.disk().owned_by(path_) || dirty(page) || under_writeback(page)) return;
  const SharedBytes media = path_.disk().store().read(page * kPageBytes, kPageBytes).flatten();
  if (bytes.span().data() == media.span().data()) return;
  if (std::ranges::equal(bytes.span(), media.span())) return;
  path_.disk().ownership().read_stale(page);
}

void RawDevice::audit_reads(PageRange range) {
  for (std::int64_t page = range.first; page < range.end; ++page) {
    const SharedBytes* const cached = find(page);
    if (cached != nullptr && !cached->empty()) audit_read(page, *cached);
  }
}

SharedBytes RawDevice::read_block(std::int64_t block) {
  const SharedBytes* const cached = find(block);
  if (cached == nullptr || cached->empty()) return MediaLog(path_.disk().store()).read_block(block);
  audit_read(block, *cached);
  return *cached;
}

Task<Result<ByteChain>> RawDevice::read(Worker& worker, std::int64_t offset, std::int64_t length) {
  const std::int64_t part = std::min(length, size() - offset);
  if (part <= 0) co_return ByteChain();
  const PageRange range = pages_of(offset, part);
  for (;;) {
    if (dead_) co_return ErrorCode::device_gone;
    ByteChain chain = try_read(offset, part);
    if (!chain.empty()) co_return chain;
    std::int64_t page = range.first;
    while (resident(page)) ++page;
    Result<void> in = co_await page_in(worker, page, std::max(range.end, page + read_ahead_pages_));
    if (!in) co_return in.error();
  }
}

Task<Result<void>> RawDevice::page_in(Worker& worker, std::int64_t page, std::int64_t end) {
  MemoryDomain* const memory = cache().memory();
  if (memory != nullptr && !memory->has_room(1)) {
    co_await memory->make_room(worker, 1);
    co_return Result<void>();  // Who asked looks again.
  }
  std::shared_ptr<PageRead> read = start_read(page, end);
  while (!read->ended) {
    co_await StuckWait(read->waiters, worker, WaitPlace::page_read, clock_, Waiter::Kind::join);
  }
  co_return read->outcome;
}

std::shared_ptr<PageRead> RawDevice::start_read(std::int64_t page, std::int64_t end) {
  for (const auto& read : reads_) {
    if (!read->superseded && read->range.first <= page && page < read->range.end) return read;
  }
  end = std::min({end, size() / kPageBytes, page + kCommandPages});
  MemoryDomain* const memory = cache().memory();
  if (memory != nullptr && !memory->squeeze(end - page)) end = page + 1;
  std::int64_t stop = page + 1;
  while (stop < end && !resident(stop)) ++stop;
  auto read = std::make_shared<PageRead>();
  read->range = {page, stop};
  reads_.push_back(read);
  if (memory != nullptr) memory->reserve(stop - page);
  const PageReadCommand::Read command{.offset = page * kPageBytes,
                                      .length = (stop - page) * kPageBytes};
  path_.submit(std::make_unique<PageReadCommand>(*this, read, command));
  return read;
}

void RawDevice::read_ended(const std::shared_ptr<PageRead>& read, const ByteChain& bytes,
                           Result<void> outcome) {
  std::erase(reads_, read);
  if (!dead_) unreserve(read->range);
  read->ended = true;
  read->outcome = std::move(outcome);
  if (read->superseded) {
    read->outcome = Result<void>();  // Those who wait look again.
  } else if (read->outcome) {
    for (std::int64_t page = read->range.first; page < read->range.end; ++page) {
      if (!resident(page)) insert(page, bytes.pieces()[to_size(page - read->range.first)]);
    }
  }
  wake_all(read->waiters);
}

Task<Result<void>> RawDevice::make_storable(Worker& worker, std::int64_t page, bool whole) {
  for (;;) {
    if (dead_) co_return ErrorCode::device_gone;
    if (dirty(page)) co_return Result<void>();
    const bool must_read = !whole && !resident(page);
    if (must_read) {
      Result<void> in = co_await page_in(worker, page, page + 1);
      if (!in) co_return in;
      continue;
    }
    if (!resident(page) && !cache().has_room(1)) {
      co_await cache().memory()->make_room(worker, 1);
      continue;
    }
    const PageRange range{page, page + 1};
    WaitList* const free = write_wait(range);
    if (free == nullptr) co_return Result<void>();
    co_await StuckWait(*free, worker, WaitPlace::page_lock, clock_);
  }
}

Task<Result<void>> RawDevice::write(Worker& worker, std::int64_t offset, SharedBytes bytes) {
  std::span<const std::byte> rest = bytes.span();
  if (static_cast<std::int64_t>(rest.size()) > size() - offset) {
    co_return ErrorCode::invalid_argument;  // ENOSPC on Linux.
  }
  while (!rest.empty()) {
    const std::int64_t page = offset / kPageBytes;
    const std::int64_t inside = offset % kPageBytes;
    const std::size_t part = std::min(rest.size(), to_size(kPageBytes - inside));
    const bool whole = part == to_size(kPageBytes);
    Result<void> storable = co_await make_storable(worker, page, whole);
    if (!storable) co_return storable;
    if (!resident(page)) insert(page, SharedBytes::zeros(to_size(kPageBytes)));
    cache().mark_dirty(*this, page, worker);
    const SimDisk& disk = path_.disk();
    if (disk.reservations() != nullptr) stored_in_.try_emplace(page, disk.generation());
    std::memcpy(writable(page) + inside, rest.data(), part);
    rest = rest.subspan(part);
    offset += static_cast<std::int64_t>(part);
    if (cache().throttle_due(*this, worker)) {
      co_await cache().throttle(*this, worker, clock_, offset);
    }
  }
  co_return Result<void>();
}

void RawDevice::unreserve(PageRange range) {
  if (cache().memory() != nullptr) cache().memory()->unreserve(range.end - range.first);
}

void RawDevice::write_pages(CachedFile&, std::int64_t first, std::vector<SharedBytes> pages,
                            WrittenFor whom) {
  cache().begin_writeback(*this, first, static_cast<std::int64_t>(pages.size()));
  const auto end = first + static_cast<std::int64_t>(pages.size());
  ByteChain bytes;
  for (SharedBytes& page : pages) bytes.append(std::move(page));
  PageWrite::Write write{
      .offset = first * kPageBytes, .bytes = std::move(bytes), .urgency = urgency_of(whom)};
  const auto begin = stored_in_.lower_bound(first);
  const auto behind = stored_in_.lower_bound(end);
  for (auto page = begin; page != behind; ++page) {
    write.stored_in = std::min(write.stored_in.value_or(page->second), page->second);
  }
  stored_in_.erase(begin, behind);
  path_.submit(std::make_unique<PageWrite>(*this, std::move(write)));
}

Task<void> RawDevice::write_back(Worker& worker, PageRange range) {
  // Twice: a page that is dirty and under writeback is written again when that has ended.
  for (int round = 0; round < 2 && !dead_; ++round) {
    const bool complete = co_await cache().write_out(*this, worker, clock_, range);
    const std::uint64_t last = last_started();
    while (!dead_) {
      Writeback* const pending = in_flight(range, last);
      if (pending == nullptr) break;
      co_await StuckWait(pending->waiters, worker, WaitPlace::writeback, clock_);
    }
    if (complete) co_return;
  }
}

Task<Result<void>> RawDevice::flush(Worker& worker) {
  if (dead_) co_return ErrorCode::device_gone;
  const AwaitedCommand::Flush request;
  auto command = std::make_unique<AwaitedCommand>(request);
  Result<ByteChain> flushed = co_await CommandWait(path_, std::move(command), worker);
  if (!flushed) co_return flushed.error();
  co_return Result<void>();
}

Task<Result<ByteChain>> RawDevice::read_direct(Worker& worker, std::int64_t offset,
                                               std::int64_t length) {
  const std::int64_t part = std::min(length, size() - offset);
  if (part <= 0) co_return ByteChain();
  co_await write_back(worker, pages_of(offset, part));
  if (dead_) co_return ErrorCode::device_gone;
  const AwaitedCommand::Read request{.offset = offset, .length = part};
  auto command = std::make_unique<AwaitedCommand>(request);
  Result<ByteChain> read = co_await CommandWait(path_, std::move(command), worker);
  co_return read;
}

Task<Result<void>> RawDevice::write_direct(Worker& worker, std::int64_t offset, SharedBytes bytes) {
  const auto length = static_cast<std::int64_t>(bytes.size());
  if (length > size() - offset) co_return ErrorCode::invalid_argument;
  const PageRange range = pages_of(offset, length);
  while (!dead_ && busy(range)) co_await write_back(worker, range);
  if (dead_) co_return ErrorCode::device_gone;
  AwaitedCommand::Write request{.offset = offset, .bytes = ByteChain(std::move(bytes))};
  auto command = std::make_unique<AwaitedCommand>(std::move(request));
  Result<ByteChain> written = co_await CommandWait(path_, std::move(command), worker);
  for (const auto& read : reads_) {
    if (read->range.first < range.end && range.first < read->range.end) read->superseded = true;
  }
  drop_clean(range);
  if (!written) co_return written.error();
  co_return Result<void>();
}

Task<Result<void>> RawDevice::purge(Worker& worker) {
  const PageRange all;
  while (!dead_ && busy(all)) co_await write_back(worker, all);
  if (dead_) co_return ErrorCode::device_gone;
  for (const auto& read : reads_) read->superseded = true;
  drop_clean(all);
  co_return Result<void>();
}

namespace {

class RawFile final : public File {
 public:
  RawFile(std::shared_ptr<RawDevice> device, OpenOptions options)
      : device_(std::move(device)), options_(options), errors_(device_->errors().cursor()) {}

  Task<Result<ByteChain>> read_at(Worker& worker, std::int64_t offset,
                                  std::int64_t length) override {
    if (!valid(offset, length)) co_return ErrorCode::invalid_argument;
    if (options_.caching == Caching::direct) {
      Result<ByteChain> direct = co_await device_->read_direct(worker, offset, length);
      co_return direct;
    }
    Result<ByteChain> read = co_await device_->read(worker, offset, length);
    co_return read;
  }
  Task<Result<void>> write_at(Worker& worker, std::int64_t offset, SharedBytes bytes) override {
    if (options_.mode == OpenMode::read_only) co_return ErrorCode::invalid_argument;
    const auto length = static_cast<std::int64_t>(bytes.size());
    if (!valid(offset, length)) co_return ErrorCode::invalid_argument;
    if (options_.caching == Caching::direct) {
      Result<void> direct = co_await device_->write_direct(worker, offset, bytes);
      co_return direct;
    }
    Result<void> written = co_await device_->write(worker, offset, bytes);
    co_return written;
  }
  Task<Result<void>> sync_data(Worker& worker) override {
    co_await device_->write_back(worker, PageRange());
    Result<void> written = device_->errors().check(errors_);
    if (!written) co_return written;
    Result<void> flushed = co_await device_->flush(worker);
    co_return flushed;
  }
  Task<Result<void>> sync_all(Worker& worker) override {
    Result<void> synced = co_await sync_data(worker);
    co_return synced;
  }
  Task<Result<void>> sync_range(Worker& worker, std::int64_t offset, std::int64_t length) override {
    if (offset < 0 || length < 0 || length > INT64_MAX - offset)
      co_return ErrorCode::invalid_argument;
    const PageRange range = pages_of(offset, length);
    co_await device_->write_back(worker, range);
    co_return device_->errors().check(errors_);
  }
  Task<Result<void>> allocate(Worker&, std::int64_t, std::int64_t) override {
    co_return ErrorCode::not_supported;
  }
  Task<Result<void>> truncate(Worker&, std::int64_t) override {
    co_return ErrorCode::invalid_argument;
  }
  Result<std::int64_t> size() const override { return device_->size(); }
  std::int64_t direct_alignment() const override { return device_->direct_alignment(); }

 private:
  bool valid(std::int64_t offset, std::int64_t length) const {
    if (offset < 0 || length < 0 || length > INT64_MAX - offset) return false;
    if (options_.caching == Caching::buffered) return true;
    return offset % direct_alignment() == 0 && length % direct_alignment() == 0;
  }

  std::shared_ptr<RawDevice> device_;
  OpenOptions options_;
  ErrorSequence::Cursor errors_;
};

}  // namespace

std::unique_ptr<File> open_raw(std::shared_ptr<RawDevice> device, OpenOptions options) {
  return std::make_unique<RawFile>(std::move(device), options);
}

}  // namespace drydock::sim
