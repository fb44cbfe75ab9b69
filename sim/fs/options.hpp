// How a file system is made and mounted.
#pragma once

#include <cstdint>

#include "sim/pagecache/page_cache.hpp"

namespace drydock::sim {

enum class FsKind : std::uint8_t { ext4, xfs };

// ext4's data=. What a transaction that allocates blocks has to wait for.
enum class DataMode : std::uint8_t {
  ordered,    // For the data in those blocks.
  writeback,  // For nothing: after a crash a file may show what its blocks held before.
  journal,    // For nothing: all data is in the transaction itself.
};

// ext4's errors=: what an error of the file system itself, beyond a file's data, leads to.
enum class ErrorsPolicy : std::uint8_t {
  go_on,       // The call fails. (An aborted journal leaves nothing but reading all the same.)
  remount_ro,  // Nothing can be changed until it is mounted anew.
  panic,       // The host's kernel stops.
};

// When a change of names (a file made, renamed, removed) becomes durable, if the file system does
// not do so of itself, as it does every `commit_interval`, or `log_interval`.
enum class NamesDurable : std::uint8_t {
  with_any_commit,      // With the next sync of whatever file, as in ext4 and xfs.
  with_directory_sync,  // With the sync of a directory. fsync(2) and POSIX promise no more: a file
                        // that was made and synced has its bytes and its inode, and no name.
};

// How a mounted file system stopped itself after an error of its own.
enum class FileSystemStop : std::uint8_t {
  journal_aborted,      // ext4: it can be read, and not changed any more.
  remounted_read_only,  // The same, and by errors=remount-ro.
  panicked,             // ext4 with errors=panic: the host's kernel stops.
  shut_down,            // xfs: it is not even read.
};

struct FileSystemOptions {
  // Of mkfs. A disk that carries a file system already keeps it as it is.
  FsKind kind = FsKind::ext4;
  // 0: as large as mkfs makes it on a disk of that size. With data=journal at least 144 KiB: a
  // quarter must have room for a page and what changes with it.
  std::int64_t journal_bytes = 0;

  // Of the mount. ext4 alone:
  Duration commit_interval = Duration::s(5);  // commit=5.
  DataMode data = DataMode::ordered;
  // Blocks are allocated unwritten and count when their data is there (the default since Linux
  // 5.6). Without it they count at once, and only `ordered` keeps what they held before from sight.
  bool dioread_nolock = true;
  bool abort_on_data_error = false;  // data_err=abort: in ordered data.
  ErrorsPolicy errors = ErrorsPolicy::go_on;
  // A block of metadata that is being committed cannot be changed before the whole commit is over
  // (before Linux 3.11), instead of before its own way to the log is.
  bool shadow_until_committed = false;
  // xfs alone: its log is written when somebody needs it, and every so often.
  Duration log_interval = Duration::s(30);  // fs.xfs.xfssyncd_centisecs.
  // Both:
  NamesDurable names = NamesDurable::with_any_commit;
  bool lazytime = false;                      // A store alone does not change the inode's block.
  bool barrier = true;                        // Without it nothing ever flushes the device's cache.
  Duration replay_time = Duration::ms(20);    // Of a mount, besides its I/O.
  std::int64_t read_ahead_bytes = 128 << 10;  // Of buffered reads and major faults.

  std::int64_t strict_limit_bytes = 0;  // The device's max_bytes with strict_limit; 0: none.

  // Whether the page cache tells an error of writeback to everybody, or to the first who asks.
  ErrorReporting error_reporting = ErrorReporting::per_descriptor;
  PageCacheOptions page_cache;
};

}  // namespace drydock::sim
