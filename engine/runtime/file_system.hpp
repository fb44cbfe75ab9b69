// Files as Linux gives them: buffered, direct and mapped, with what survives a crash spelled out.
//
// Words: *durable* means that the bytes are on the device's stable media or in a cache that the
// device declares safe; they survive process crash, host panic and power loss. *In the page cache*
// survives a process crash only. Offsets and lengths are bytes, offsets >= 0.
// Every call that may block a thread names the worker it blocks.
// Sources: the manual pages named below; the Linux I/O model, sections 1 and 4.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/runtime/task.hpp"
#include "engine/runtime/worker.hpp"
#include "engine/types/bytes.hpp"
#include "engine/types/time.hpp"

namespace drydock {

enum class OpenMode : std::uint8_t { read_only, read_write };
enum class Create : std::uint8_t { never, if_missing, must_be_new };
enum class Caching : std::uint8_t {
  buffered,
  direct,  // O_DIRECT: offsets, lengths multiples of `direct_alignment()`, else invalid_argument.
};

struct OpenOptions {
  OpenMode mode = OpenMode::read_write;
  Create create = Create::never;
  Caching caching = Caching::buffered;
};

// An open file. Destruction closes the descriptor; it writes nothing back and reports nothing.
class File {
 public:
  virtual ~File() = default;

  // Up to `length` bytes from `offset`: fewer at the end of the file, none behind it. Buffered
  // reads see every earlier write of this host. Errors: io_error, device_gone.
  // Source: pread(2).
  virtual Task<Result<ByteChain>> read_at(Worker& worker, std::int64_t offset,
                                          std::int64_t length) = 0;

  // Writes all of `bytes`, extending the file if needed. Buffered: completes when they are in the
  // page cache, which may take long if the worker is throttled. Direct: when the device has
  // completed the write (not its cache). Errors: no_space, io_error, read_only,
  // reservation_conflict (direct); a failed write may have been done in part.
  // After a crash: nothing is promised before a sync; any subset of the pages may be new, a page
  // may be torn at the device's atomic write unit, and the file may be shorter. Source: pwrite(2).
  virtual Task<Result<void>> write_at(Worker& worker, std::int64_t offset, SharedBytes bytes) = 0;

  // Makes all earlier writes of this file durable, with what is needed to find them (size, block
  // map), without its times. Completes when the device has acknowledged its cache flush.
  // Errors: io_error, no_space, read_only, reservation_conflict: pages that could not be written
  // are clean afterwards, as in Linux, so a retry that succeeds proves nothing.
  // Source: fdatasync(2).
  virtual Task<Result<void>> sync_data(Worker& worker) = 0;

  // As sync_data, with all of the inode. Source: fsync(2).
  virtual Task<Result<void>> sync_all(Worker& worker) = 0;

  // Starts and awaits writeback of the pages in the range. No metadata, no device flush: on its own
  // it makes nothing durable. Source: sync_file_range(2) with all three flags.
  virtual Task<Result<void>> sync_range(Worker& worker, std::int64_t offset,
                                        std::int64_t length) = 0;

  // Reserves blocks for the range, so that writes there need no space; extends the file with zeros
  // if the range ends behind it. Errors: no_space, not_supported. Source: fallocate(2), mode 0.
  virtual Task<Result<void>> allocate(Worker& worker, std::int64_t offset, std::int64_t length) = 0;

  // Cuts or extends (with a hole) to `size`. After a crash before the next sync of the file: old or
  // new size, never a size in between. Source: ftruncate(2).
  virtual Task<Result<void>> truncate(Worker& worker, std::int64_t size) = 0;

  virtual Result<std::int64_t> size() const = 0;
  // The alignment that direct I/O demands, in bytes: a power of two, 512 or 4096.
  virtual std::int64_t direct_alignment() const = 0;
};

// What the kernel is told about a mapping. Source: madvise(2).
enum class Advice : std::uint8_t { normal, random, sequential, will_need };

// A shared mapping of the whole of a file of fixed size, as RocketMQ maps its queue files.
// Destruction unmaps; dirty pages stay in the page cache.
class MappedFile {
 public:
  virtual ~MappedFile() = default;
  virtual std::int64_t size() const = 0;

  // Stores `bytes` at `offset` if that cannot block: every page is mapped, resident and writable,
  // and the worker is not throttled. True: stored, as by memcpy. False: nothing was stored, call
  // `store`. The range must lie inside the file. The same worker only, no store outstanding.
  virtual bool try_store(Worker& worker, std::int64_t offset, std::span<const std::byte> bytes) = 0;

  // Stores `bytes`, waiting wherever the page fault waits: throttle, journal, page lock, read,
  // memory. Uninterruptible. Errors: no_space, io_error, read_only where the kernel would raise
  // SIGBUS; then a prefix may have been stored.
  // After a crash of the process: stored bytes are in the page cache. After a power loss: as
  // File::write_at. Source: mmap(2); Linux I/O model, section 1.7.
  virtual Task<Result<void>> store(Worker& worker, std::int64_t offset, SharedBytes bytes) = 0;

  // The bytes of the range, if that needs no device read; an empty chain otherwise. `length` > 0.
  virtual ByteChain try_load(std::int64_t offset, std::int64_t length) = 0;
  // The bytes of the range, waiting for major faults. Errors, where the kernel would raise SIGBUS:
  // io_error; no_space for a hole of a file system that gives it a page to be read (tmpfs).
  virtual Task<Result<ByteChain>> load(Worker& worker, std::int64_t offset,
                                       std::int64_t length) = 0;

  // Whether every page of the range is in the page cache now, and nothing is changed by asking: no
  // page is read, read ahead or counts as used. The page of a hole may not be. False if that can't
  // be told. `length` > 0. Source: mincore(2).
  virtual bool resident(std::int64_t offset, std::int64_t length) const = 0;

  // Makes all bytes stored into [offset, offset + length) before the call durable, and waits for
  // it. Errors as File::sync_data. Source: msync(2), MS_SYNC.
  virtual Task<Result<void>> sync(Worker& worker, std::int64_t offset, std::int64_t length) = 0;

  // Pins the mapping's pages in memory, reading what is absent. Errors: no_space if the host's
  // limit on locked memory is reached. Source: mlock(2).
  virtual Task<Result<void>> lock_memory(Worker& worker) = 0;
  // Its pages may be reclaimed again; without waiting. Source: munlock(2).
  virtual void unlock_memory() = 0;
  virtual Result<void> advise(Advice advice) = 0;
};

struct FileInfo {
  std::string name;  // Without its directory.
  bool is_directory = false;
  std::int64_t size = 0;
  // When its bytes, or a directory's names, changed last, by the host's clock; as coarse as the
  // kernel's tick. A store into a mapping counts when its page becomes dirty, not with each store.
  // Survives a power loss as the other metadata does. Source: inode(7), st_mtim.
  WallTime modified;
};

struct SpaceInfo {
  std::int64_t total_bytes = 0;
  std::int64_t free_bytes = 0;
  std::int64_t usable_bytes = 0;  // By a process without privileges: at most free_bytes.
};

// An advisory lock on a file, held until destroyed or until the process ends.
class FileLock {
 public:
  virtual ~FileLock() = default;
};

// The files of one host, as one process sees them. Paths are absolute, with '/' between names of at
// most 255 bytes, and have no "." and "..". A path that leads through a file, or past the limits,
// is an invalid_argument.
//
// Names after a crash: create, rename, remove and mkdir are durable once the directory was synced
// (fsync(2) promises no more: not by a sync of the file), on ext4 and xfs with any later commit of
// their journal; before that either state may be found, in the order in which the changes were
// made. A rename is atomic: the target is old or new. Source: Linux I/O model, 4.5 (measured).
class FileSystem {
 public:
  virtual ~FileSystem() = default;

  // Errors: not_found, exists, permission_denied, read_only, too_many_open_files, no_space;
  // invalid_argument for a directory.
  virtual Task<Result<std::unique_ptr<File>>> open(Worker& worker, std::string path,
                                                   OpenOptions options) = 0;
  // Opens or creates the file with exactly `size` bytes (a missing file, or a shorter one, is
  // extended with a hole) and maps it; `size` > 0. Errors: as open; invalid_argument if the file is
  // larger.
  virtual Task<Result<std::unique_ptr<MappedFile>>> map(Worker& worker, std::string path,
                                                        std::int64_t size) = 0;
  virtual Task<Result<void>> rename(Worker& worker, std::string from, std::string to) = 0;
  // Removes a file or an empty directory. Errors: not_found, not_empty.
  virtual Task<Result<void>> remove(Worker& worker, std::string path) = 0;
  // Makes the directory and those above it. Existing ones are fine.
  virtual Task<Result<void>> create_directories(Worker& worker, std::string path) = 0;
  // The entries of a directory, sorted by name (bytewise). Error: not_found.
  virtual Task<Result<std::vector<FileInfo>>> list(Worker& worker, std::string path) = 0;
  // What `list` tells of one entry, of the file or directory itself. Errors: not_found. Source:
  // stat(2).
  virtual Task<Result<FileInfo>> info(Worker& worker, std::string path) = 0;
  // Makes the directory's names durable. Source: fsync(2) on a directory.
  virtual Task<Result<void>> sync_directory(Worker& worker, std::string path) = 0;
  // Takes the exclusive lock of the file, creating it if missing. Error: busy if somebody on the
  // host holds it, this process included. Source: fcntl(2), F_OFD_SETLK; the JDK's
  // FileChannel.tryLock refuses a second lock of the same process too.
  virtual Task<Result<std::unique_ptr<FileLock>>> lock(Worker& worker, std::string path) = 0;
  // What the file system of `path` holds; it may have to ask a device or a server. Errors:
  // not_found, io_error. Source: statvfs(3).
  virtual Task<Result<SpaceInfo>> space(Worker& worker, std::string path) = 0;
};

}  // namespace drydock
