// Making things durable.
#include <algorithm>

#include "sim/disk/command_wait.hpp"
#include "sim/fs/mount.hpp"
#include "sim/pagecache/stuck_wait.hpp"

namespace drydock::sim {

// Waits for what is in flight now; not for writeback that starts meanwhile.
Task<void> Mount::wait_for_writeback(Inode& inode, Worker& worker, PageRange range) {
  const std::uint64_t last = inode.last_started();
  for (;;) {
    CachedFile::Writeback* const pending = inode.in_flight(range, last);
    if (pending == nullptr) co_return;
    co_await StuckWait(pending->waiters, worker, WaitPlace::writeback, clock_);
  }
}

// Everything that was dirty in the range at the call has been written when this ends, or failed.
// A page that is dirty and under writeback must wait for that and then be written again: the second
// round. By then any writeback of such a page was started after the call, so a third is not needed.
Task<void> Mount::write_and_wait(Inode& inode, Worker& worker, PageRange range) {
  const bool complete = co_await cache_->write_out(inode, worker, clock_, range);
  co_await wait_for_writeback(inode, worker, range);
  if (complete) co_return;
  co_await cache_->write_out(inode, worker, clock_, range);
  co_await wait_for_writeback(inode, worker, range);
}

Task<Result<void>> Mount::sync(InodeHandle& handle, Worker& worker, PageRange range,
                               SyncKind kind) {
  Inode& inode = handle.inode();
  Result<void> entered = co_await enter(worker);
  if (!entered) co_return entered;
  if (read_only_) co_return Result<void>();
  if (journal_.aborted()) co_return refusal();  // Not even the pages are written any more.
  if (inode.lazy_times && kind == SyncKind::all) {
    Result<void> free = co_await modifiable(inode, worker);
    if (!free) co_return free;
    const WallTime changed = inode.lazy_time;
    inode.lazy_times = false;
    record(inode, Need::sync,
           {.kind = MetadataOp::Kind::set_time, .inode = inode.number, .time = changed});
  }
  const bool of_names = inode.record.is_directory;
  if (of_names) journal_.join_names();
  if (journals_data()) {
    Result<void> committed = co_await commit_all(worker, kind);
    if (!committed) co_return committed;
    co_return inode.errors().check(handle.errors());
  }
  co_await write_and_wait(inode, worker, range);
  Result<void> written = inode.errors().check(handle.errors());
  if (!written || kind == SyncKind::pages) co_return written;
  const Tid own = kind == SyncKind::data ? inode.data_tid : inode.sync_tid;
  const Tid tid = of_names ? std::max(own, journal_.names_joined()) : own;
  bool flushed_by_commit = false;
  if (tid > journal_.committed()) {
    // A commit that has sent its flush already does not cover the data that was written just now.
    flushed_by_commit = journal_.will_flush(tid);
    Result<void> committed = co_await commit(worker, tid);
    if (!committed) co_return committed;
  }
  if (!flushed_by_commit && options_.barrier) {
    Result<void> flushed = co_await flush_device(worker);
    if (!flushed) co_return flushed;
  }
  co_return inode.errors().check(handle.errors());
}

// A sync with data=journal: whatever transaction there is, of whatever file (ext4_force_commit).
// Nothing is flushed: what was committed before has been. To write pages alone does nothing.
Task<Result<void>> Mount::commit_all(Worker& worker, SyncKind kind) {
  const Tid youngest = journal_.youngest();
  if (kind == SyncKind::pages || youngest <= journal_.committed()) co_return Result<void>();
  Result<void> committed = co_await commit(worker, youngest);
  co_return committed;
}

Task<Result<void>> Mount::commit(Worker& worker, Tid tid) {
  if (journal_.aborted()) co_return refusal();
  while (journal_.committed() < tid) {
    WaitList& waiters = journal_.request(tid);
    co_await StuckWait(waiters, worker, WaitPlace::journal, clock_);
    const bool lost = journal_.aborted() && journal_.committed() < tid;
    if (lost) co_return journal_.abort_error();
  }
  co_return Result<void>();
}

Task<void> Mount::quiesce(Worker& worker) {
  if (read_only_) co_return;
  std::vector<InodeNumber> dirty;
  for (const auto& [number, inode] : inodes_) {
    if (inode->dirty_pages() > 0 || inode->writeback_pages() > 0) dirty.push_back(number);
  }
  for (const InodeNumber number : dirty) {
    const auto entry = inodes_.find(number);
    if (entry == inodes_.end() || dead()) continue;
    co_await write_and_wait(*entry->second, worker, PageRange());
  }
  while (!dead() && !journal_.aborted() && !journal_.at_rest()) {
    journal_.join_names();
    Result<void> committed = co_await commit(worker, journal_.youngest());
    if (!committed) co_return;
  }
  while (!dead() && !journal_.aborted() && !journal_.log_is_empty()) {
    WaitList& emptied = journal_.empty_log();
    co_await StuckWait(emptied, worker, WaitPlace::journal, clock_);
  }
  if (dead() || journal_.aborted()) co_return;
  AwaitedCommand::Write request{.offset = 0,
                                .bytes = ByteChain(cache_->zero_page()),
                                .purpose = DiskCommand::Purpose::journal,
                                .durability = WriteDurability::force_unit_access};
  auto command = std::make_unique<AwaitedCommand>(std::move(request));
  // umount(2) does not tell that the superblock could not be written either.
  Result<ByteChain> marked = co_await CommandWait(path_, std::move(command), worker);
  if (!marked) co_return;
}

Task<Result<void>> Mount::flush_device(Worker& worker) {
  const AwaitedCommand::Flush request;
  auto command = std::make_unique<AwaitedCommand>(request);
  Result<ByteChain> flushed = co_await CommandWait(path_, std::move(command), worker);
  if (!flushed) co_return flushed.error();
  co_return Result<void>();
}

}  // namespace drydock::sim
