// Blocks for pages: who gets them, and who has to wait for them.
#include "sim/fs/mount.hpp"

namespace drydock::sim {

std::int64_t Mount::count_holes(const Inode& inode, PageRange range, Reserved reserved) const {
  std::int64_t count = 0;
  if (reserved == Reserved::no) {
    for (std::int64_t page = range.first; page < range.end; ++page) {
      if (needs_block(inode, page)) ++count;
    }
    return count;
  }
  for (std::int64_t page = inode.first_dirty(range); page < range.end;
       page = inode.first_dirty({page + 1, range.end})) {
    if (inode.block_of(page).hole()) ++count;
  }
  if (inode.writeback_pages() == 0) return count;
  for (const DeferredWrite& deferred : deferred_) {
    if (deferred.inode != &inode) continue;
    const std::int64_t end = std::min(deferred.range.end, range.end);
    for (std::int64_t page = std::max(deferred.range.first, range.first); page < end; ++page) {
      if (inode.block_of(page).hole() && !inode.dirty(page)) ++count;
    }
  }
  return count;
}

std::int64_t Mount::own_blocks_needed(const Inode& inode, std::int64_t entry_bytes) {
  const InodeRecord& record = inode.record;
  if (!record.is_directory) return OwnBlocks::of_tree(record.extents);
  // The root's first block is there from the beginning.
  const std::int64_t there = inode.number == kRootDirectory ? 1 : 0;
  return OwnBlocks::of_directory(record.entry_bytes + entry_bytes) - there;
}

// Whoever adds a name has made sure of the block; whoever adds an extent may take from the pool.
void Mount::take_own_blocks(Inode& inode, Transaction& transaction) {
  const std::int64_t needed = own_blocks_needed(inode, 0);
  while (std::ssize(inode.record.own_blocks) < needed) {
    if (allocator_->free_blocks() <= reserved_) return;
    MetadataOp taken{.kind = MetadataOp::Kind::take_block,
                     .inode = inode.number,
                     .block = allocator_->allocate_last()};
    live_.apply(taken, transaction.freed);
    transaction.ops.push_back(std::move(taken));
  }
}

void Mount::map_holes(Inode& inode, PageRange range, Transaction& transaction) {
  for (std::int64_t page = range.first; page < range.end;) {
    std::int64_t end = page;
    while (end < range.end && inode.block_of(end).hole()) ++end;
    while (page < end) {
      const BlockRun run = allocator_->allocate(inode.window, page, end - page);
      record(inode, Need::data, transaction,
             {.kind = MetadataOp::Kind::map_blocks,
              .inode = inode.number,
              .page = page,
              .count = run.count,
              .block = run.block});
      page += run.count;
    }
    while (page < range.end && !inode.block_of(page).hole()) ++page;
  }
}

void Mount::allocate_for_writeback(Inode& inode, PageRange range, Transaction& transaction) {
  const std::size_t first_op = transaction.ops.size();
  map_holes(inode, range, transaction);
  if (allocates_unwritten()) return;
  // The blocks count from now on, and the size covers them; the data follows.
  std::vector<MetadataOp> mapped;
  for (std::size_t i = first_op; i < transaction.ops.size(); ++i) {
    MetadataOp op = transaction.ops[i];
    op.kind = MetadataOp::Kind::mark_written;
    mapped.push_back(std::move(op));
  }
  for (MetadataOp& op : mapped) record(inode, Need::data, transaction, std::move(op));
  const std::int64_t end_offset = std::min(inode.size, range.end * kPageBytes);
  if (end_offset > inode.record.size) {
    order_cleared_tail(inode, transaction);
    record(inode, Need::data, transaction,
           {.kind = MetadataOp::Kind::grow_size, .inode = inode.number, .count = end_offset});
  }
  // One that is committing is ordered behind these pages already.
  if (!journal_.commits(transaction)) order(transaction, inode, range.first, range.end);
}

void Mount::defer(Inode& inode, PageRange range, std::vector<SharedBytes> pages, WrittenFor whom) {
  cache_->begin_writeback(inode, range.first, range.end - range.first);
  DeferredWrite& deferred = deferred_.emplace_back();
  deferred.inode = &inode;
  deferred.range = range;
  deferred.pages = std::move(pages);
  deferred.whom = whom;
  cache_->submission_blocked(inode, range.first, WaitPlace::journal);
  if (deferred_.size() == 1) handles_may_start();
}

// Starts no commit itself: that would call this again, or write pages, in the middle of a caller
// who goes through either.
void Mount::handles_may_start() {
  while (!deferred_.empty()) {
    DeferredWrite& first = deferred_.front();
    const HandleWait reason = journal_.must_wait(first.inode->home);
    if (reason != HandleWait::none) {
      if (std::exchange(first.wait, reason) != reason) journal_.count_wait(reason);
      return journal_.end_soon(reason);
    }
    DeferredWrite next = std::move(first);
    deferred_.pop_front();
    write_deferred(next);
  }
}

void Mount::write_deferred(DeferredWrite& deferred) {
  Inode& inode = *deferred.inode;
  for (std::int64_t page = deferred.range.first; page < deferred.range.end; ++page) {
    if (inode.block_of(page).hole()) --reserved_;
  }
  allocate_for_writeback(inode, deferred.range, journal_.running());
  auto parts = std::make_shared<WrittenParts>();
  parts->first = deferred.range.first;
  submit_pages(inode, deferred.range.first, std::move(deferred.pages), deferred.whom, parts);
  cache_->submission_goes_on(inode, deferred.range.first);
}

void Mount::journal_aborted(Error error) {
  if (!xfs() && options_.errors == ErrorsPolicy::panic) panic();
  tell_stopped(xfs()                                         ? FileSystemStop::shut_down
               : options_.errors == ErrorsPolicy::remount_ro ? FileSystemStop::remounted_read_only
                                                             : FileSystemStop::journal_aborted);
  while (!deferred_.empty()) {
    const DeferredWrite lost = std::move(deferred_.front());
    for (std::int64_t page = lost.range.first; page < lost.range.end; ++page) {
      if (lost.inode->block_of(page).hole() && !lost.inode->dirty(page)) --reserved_;
    }
    deferred_.pop_front();
    cache_->end_writeback(*lost.inode, lost.range.first, error);
  }
}

}  // namespace drydock::sim
