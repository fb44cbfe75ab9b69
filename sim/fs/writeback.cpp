// The way of pages to the device and what follows from its end.
#include <algorithm>

#include "sim/fs/mount.hpp"
#include "sim/fs/mount_commands.hpp"
#include "sim/pagecache/stuck_wait.hpp"

namespace drydock::sim {

void Mount::write_pages(CachedFile& file, std::int64_t first, std::vector<SharedBytes> pages,
                        WrittenFor whom) {
  auto& inode = static_cast<Inode&>(file);
  if (journals_data()) return log_pages(inode, first, std::move(pages));
  const PageRange range{first, first + static_cast<std::int64_t>(pages.size())};
  // Delayed allocation ends here. Every hole among the pages has a reservation: it was dirty until
  // this moment.
  std::int64_t holes = 0;
  for (std::int64_t page = range.first; page < range.end; ++page) {
    if (inode.block_of(page).hole()) ++holes;
  }
  if (holes > 0) {
    Transaction* const ordered = journal_.ordered_behind(inode, range.first, range.end);
    if (ordered == nullptr && must_defer(inode)) return defer(inode, range, std::move(pages), whom);
    reserved_ -= holes;
    allocate_for_writeback(inode, range, ordered != nullptr ? *ordered : journal_.running());
  }
  submit_pages(inode, first, std::move(pages), whom, nullptr);
}

// data=journal: only the end of their transaction makes pages clean, and sees to it that it comes
// if somebody cannot wait for it.
bool Mount::takes_pages(CachedFile&) {
  if (!journals_data() || closing_ || journal_.aborted()) return true;
  journal_.commit_soon();
  return false;
}

void Mount::log_pages(Inode& inode, std::int64_t first, std::vector<SharedBytes> pages) {
  const auto count = static_cast<std::int64_t>(pages.size());
  if (journal_.aborted()) {
    cache_->begin_writeback(inode, first, count);
    return cache_->end_writeback(inode, first, journal_.abort_error());
  }
  for (std::int64_t page = first; page < first + count;) {
    const std::int64_t start = page;
    const std::int64_t block = inode.block_of(start).block();
    std::vector<SharedBytes> together;
    for (; page < first + count && inode.block_of(page).block() == block + (page - start); ++page) {
      together.push_back(std::move(pages[static_cast<std::size_t>(page - first)]));
    }
    cache_->begin_writeback(inode, start, page - start);
    journal_.log_pages(inode, start, block, std::move(together));
  }
}

void Mount::pages_are_logged(const LoggedPages& pages, Result<void> outcome) {
  if (dead()) return;
  cache_->end_writeback(*pages.inode, pages.first, std::move(outcome));
  free_if_unused(*pages.inode);
}

void Mount::submit_pages(Inode& inode, std::int64_t first, std::vector<SharedBytes> pages,
                         WrittenFor whom, const std::shared_ptr<WrittenParts>& parts) {
  const std::int64_t end = first + static_cast<std::int64_t>(pages.size());
  const std::int64_t most = cache_->options().command_bytes / kPageBytes;
  std::int64_t page = first;
  while (page < end) {
    const std::int64_t start = page;
    const std::int64_t block = inode.block_of(start).block();
    ByteChain bytes;
    while (page < end && page < start + most &&
           inode.block_of(page).block() == block + (page - start)) {
      bytes.append(std::move(pages[static_cast<std::size_t>(page - first)]));
      ++page;
    }
    if (parts == nullptr) {
      cache_->begin_writeback(inode, start, page - start);
    } else {
      ++parts->remaining;
    }
    PageWrite::Write write{
        .offset = block * kPageBytes, .bytes = std::move(bytes), .urgency = urgency_of(whom)};
    path_.submit(
        std::make_unique<PageWrite>(*this, inode, PageRange{start, page}, parts, std::move(write)));
  }
}

void Mount::write_ended(Inode& inode, PageRange range, WrittenParts* parts, Result<void> outcome) {
  if (dead()) return;
  const std::int64_t end_offset = std::min(inode.size, range.end * kPageBytes);
  if (outcome && journal_.aborted() &&
      (needs_journal(inode, range) || end_offset > inode.record.size)) {
    outcome = ErrorCode::io_error;  // The data is there, but nothing will ever point to it.
  }
  if (outcome) data_is_on_device(inode, range, end_offset);
  if (!outcome && options_.abort_on_data_error && !xfs() && orders_data()) {
    journal_.abort(outcome.error());
  }
  if (parts != nullptr) {
    if (!outcome) parts->outcome = outcome;
    if (--parts->remaining > 0) return;
    outcome = parts->outcome;
  }
  cache_->end_writeback(inode, parts != nullptr ? parts->first : range.first, std::move(outcome));
  free_if_unused(inode);
  journal_.data_written();
}

bool Mount::needs_journal(const Inode& inode, PageRange range) const {
  for (std::int64_t page = range.first; page < range.end; ++page) {
    if (!inode.block_of(page).written()) return true;
  }
  return false;
}

// Rules R2 and R3: only now may the blocks count, and the size cover them.
void Mount::data_is_on_device(Inode& inode, PageRange range, std::int64_t end_offset) {
  Transaction* const ordered = journal_.ordered_behind(inode, range.first, range.end);
  const bool larger = end_offset > inode.record.size;
  if (ordered == nullptr && !larger && !needs_journal(inode, range)) return;
  Transaction& transaction = ordered != nullptr ? *ordered : journal_.running();
  for (std::int64_t page = range.first; page < range.end;) {
    std::int64_t end = page;
    while (end < range.end && !inode.block_of(end).written()) ++end;
    if (end == page) {
      ++page;
      continue;
    }
    record(inode, Need::data, transaction,
           {.kind = MetadataOp::Kind::mark_written,
            .inode = inode.number,
            .page = page,
            .count = end - page});
    page = end;
  }
  // The running transaction may have made the file larger; the ordered one needs a size of its own.
  if (!larger && ordered == nullptr) return;
  order_cleared_tail(inode, transaction);
  record(inode, Need::data, transaction,
         {.kind = MetadataOp::Kind::grow_size, .inode = inode.number, .count = end_offset});
}

// Behind the end of a file a block may hold what an earlier crash left there. When the file grows
// over it, the zeros that replace it must be on the device before the new size is.
void Mount::order_cleared_tail(Inode& inode, Transaction& transaction) {
  if (inode.cleared_tail < 0) return;
  const PageRange page{inode.cleared_tail, inode.cleared_tail + 1};
  const bool pending = inode.dirty(page.first) || inode.under_writeback(page.first);
  if (pending) {
    order(transaction, inode, page.first, page.end);
  } else {
    inode.cleared_tail = -1;
  }
}

void Mount::direct_write_ended(Inode& inode, DirectWrite& direct, Result<void> outcome) {
  if (!outcome && direct.outcome) direct.outcome = outcome;
  if (--direct.remaining > 0) return;
  // What was read into the cache meanwhile may be older than what was written.
  inode.supersede_reads(direct.pages);
  inode.drop_clean(direct.pages);
  const bool journalled =
      needs_journal(inode, direct.pages) || direct.end_offset > inode.record.size;
  if (direct.outcome && journalled && journal_.aborted()) direct.outcome = ErrorCode::io_error;
  if (direct.outcome) {
    // Blocks and size in one transaction: no block counts behind the end of a file.
    data_is_on_device(inode, direct.pages, direct.end_offset);
    inode.size = std::max(inode.size, direct.end_offset);
  }
  wake_all(direct.waiters);
  device_io_ended(inode);
}

void Mount::device_io_ended(Inode& inode) {
  if (--inode.device_io > 0) return;
  wake_all(inode.device_idle);
  free_if_unused(inode);
}

bool Mount::order_is_kept(OrderedData& ordered) {
  Inode& inode = *ordered.inode;
  const PageRange range{ordered.first, ordered.end};
  if (journals_data()) {
    closing_ = true;
    const bool complete = cache_->start_writeback(inode, range, WrittenFor::sync);
    closing_ = false;
    ENSURE(complete);
    return true;
  }
  for (;;) {
    if (inode.in_flight(range, ordered.started) != nullptr) return false;
    // Pages that were dirty and under writeback take a second round; see wait_for_writeback.
    if (ordered.rounds == 2) return true;
    const bool complete = cache_->start_writeback(inode, range, WrittenFor::sync);
    ordered.started = inode.last_started();
    ordered.rounds = complete ? 2 : ordered.rounds + 1;
  }
}

}  // namespace drydock::sim
