// A block device through its host's page cache: what a program reads and writes that opens
// /dev/nvme0n1 without O_DIRECT.
//
// Page i is block i. Pages live in the cache of the host like those of files: they are read ahead,
// stay until they are dropped, and are written back by the flusher or by a sync. Nobody tells the
// cache that another host has written to the device: what is cached is then stale until `purge`,
// and what is dirty goes over the other's blocks when it is written back. (The data of a file
// system of the same host have caches of their own; its log is read through this one when it is
// mounted.) Pages stay when the last program closes the device, as if something else had it open.
// Source: Linux I/O model, sections 1 and 3; reference on reservations, section 16; blockdev(8),
// BLKFLSBUF.
#pragma once

#include <map>

#include "engine/runtime/file_system.hpp"
#include "sim/fs/inode.hpp"
#include "sim/fs/volume_image.hpp"

namespace drydock::sim {

// What must outlive the pages of a device: a base of its own, so that it is there before them.
class RawBacking : public PageBacking {
 public:
  WritebackDevice& device() final { return device_; }

 protected:
  explicit RawBacking(std::shared_ptr<PageCache> cache)
      : cache_(std::move(cache)), device_(*cache_) {}
  ~RawBacking() = default;

 private:
  std::shared_ptr<PageCache> cache_;
  WritebackDevice device_;
};

class RawDevice final : private RawBacking, public CachedFile, public LogView {
 public:
  RawDevice(DiskPath& path, std::shared_ptr<PageCache> cache, std::int64_t read_ahead_bytes);

  std::int64_t size() const {
    return path_.disk().store().capacity_bytes() / kPageBytes * kPageBytes;
  }
  std::int64_t direct_alignment() const { return path_.disk().info().block_bytes; }

  // As of a file of the device's size; what lies behind its end is not there to be read, and an
  // invalid_argument to be written.
  Task<Result<ByteChain>> read(Worker& worker, std::int64_t offset, std::int64_t length);
  Task<Result<void>> write(Worker& worker, std::int64_t offset, SharedBytes bytes);
  // Past the cache; what the cache holds of the range is written back first, and dropped by writes.
  Task<Result<ByteChain>> read_direct(Worker& worker, std::int64_t offset, std::int64_t length);
  Task<Result<void>> write_direct(Worker& worker, std::int64_t offset, SharedBytes bytes);
  // Writes the range back and waits for it; errors are recorded.
  Task<void> write_back(Worker& worker, PageRange range);
  Task<Result<void>> flush(Worker& worker);

  // Writes back what can be written, and forgets every page: nothing that was read before the call
  // is served after it.
  Task<Result<void>> purge(Worker& worker);

  // As a mount reads it: the cached page if there is one, without making one.
  SharedBytes read_block(std::int64_t block) override;
  // The host is about to read these pages, through the cache: checks them as `audit_read` does.
  void audit_reads(PageRange range);

  // The host lost its power: nothing of it counts any more.
  void die();
  bool dead() const { return dead_; }

 private:
  class PageWrite;
  class PageReadCommand;

  void write_pages(CachedFile& file, std::int64_t first, std::vector<SharedBytes> pages,
                   WrittenFor whom) override;
  void dirtier_slept() override { path_.queue().dirtier_slept(); }
  ByteChain try_read(std::int64_t offset, std::int64_t length);
  // A page is about to be given to somebody: says so if this host owns the disk and the page is not
  // what the media hold.
  void audit_read(std::int64_t page, const SharedBytes& bytes);
  Task<Result<void>> page_in(Worker& worker, std::int64_t page, std::int64_t end);
  std::shared_ptr<PageRead> start_read(std::int64_t page, std::int64_t end);
  void unreserve(PageRange range);
  void read_ended(const std::shared_ptr<PageRead>& read, const ByteChain& bytes,
                  Result<void> outcome);
  Task<Result<void>> make_storable(Worker& worker, std::int64_t page, bool whole);
  bool busy(PageRange range) {
    return first_dirty(range) < range.end || in_flight(range, last_started()) != nullptr;
  }

  DiskPath& path_;
  const Clock& clock_;
  std::int64_t read_ahead_pages_;
  std::vector<std::shared_ptr<PageRead>> reads_;
  // Of dirty pages of a disk with reservations: the generation in which they became dirty.
  std::map<std::int64_t, std::uint32_t> stored_in_;
  bool dead_ = false;
};

// The device, opened. Its size is fixed: it can neither be cut nor extended.
std::unique_ptr<File> open_raw(std::shared_ptr<RawDevice> device, OpenOptions options);

}  // namespace drydock::sim
