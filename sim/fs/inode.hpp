// An inode in use.
#pragma once

#include <memory>
#include <vector>

#include "sim/fs/block_allocator.hpp"
#include "sim/fs/journal.hpp"
#include "sim/pagecache/page_cache.hpp"

namespace drydock::sim {

// How writeback throttling counts writes of pages.
constexpr DiskCommand::Urgency urgency_of(WrittenFor whom) {
  return whom == WrittenFor::sync ? DiskCommand::Urgency::sync : DiskCommand::Urgency::background;
}

// Pages on their way from the device into the cache. Shared between the command and those who wait.
struct PageRead {
  PageRange range;
  std::int64_t faulted = -1;  // The page whose fault it is for, or -1.
  bool superseded = false;    // The pages were cut or written directly meanwhile: not inserted.
  bool ended = false;
  Result<void> outcome;
  WaitList waiters;
  // Of a truncate that reads inside of its handle. It ends with the read, even if whoever waits has
  // been killed and will not go on: others of his process may wait for the commit.
  std::weak_ptr<Journal::Handle> handle;
};

// Pages under writeback together that reach the device in several commands.
struct WrittenParts {
  std::int64_t first = 0;
  int remaining = 0;
  Result<void> outcome;
};

// A direct write in several commands.
struct DirectWrite {
  PageRange pages;
  std::int64_t end_offset = 0;
  int remaining = 0;
  Result<void> outcome;
  WaitList waiters;
};

// Its record is the live one: what the running transaction will make durable. Its size is that of
// the file as processes see it: at least the record's, more where appended data is not written yet.
class Inode : public CachedFile {
 public:
  Inode(InodeNumber number, std::int64_t home, InodeRecord& record, PageCache& cache,
        PageBacking& backing)
      : CachedFile(cache, backing),
        number(number),
        home(home),
        record(record),
        size(record.size),
        residue(size % kPageBytes != 0 && block_of(size / kPageBytes).written()) {}

  BlockRef block_of(std::int64_t page) const { return record.block_of(page); }
  WallTime modified() const { return lazy_times ? lazy_time : record.modified; }
  // Reads in flight must not bring back what these pages were before.
  void supersede_reads(PageRange range) {
    for (const auto& read : reads) {
      if (read->range.first < range.end && range.first < read->range.end) read->superseded = true;
    }
  }

  const InodeNumber number;
  const std::int64_t home;  // The block of metadata that it is in.
  InodeRecord& record;
  std::int64_t size;
  Tid sync_tid;  // The last transaction with anything of the inode: what fsync waits for.
  Tid data_tid;  // The last one without which its data cannot be found: what fdatasync waits for.
  Jiffies timed_at = 0;     // Of its time of modification; a store within the same jiffy leaves it.
  WallTime lazy_time;       // Its time of modification while `lazy_times`.
  Tid time_tid;             // The last transaction that has its time of modification,
  std::size_t time_op = 0;  // as this one of its changes.
  int handles = 0;          // Open files and mappings.
  int mappings = 0;         // Of these, mappings.
  int device_io = 0;        // Reads and direct writes in flight.
  WaitList device_idle;     // Until there are none.
  bool emptied = false;     // Truncated to nothing: written out when it is closed.
  // The block of the last page may hold, behind the end of the file, what a crash left there: a
  // write that landed without its size. It must not come to light when the file grows.
  bool residue;
  std::int64_t cleared_tail = -1;  // Such a page, to be on the device before a larger size; or -1.
  AllocationWindow window;
  std::vector<std::shared_ptr<PageRead>> reads;
  std::uint32_t lock_holder = 0;  // Process id.
  bool locked = false;
  bool lazy_times = false;  // Changed in memory alone (lazytime).
};

}  // namespace drydock::sim
