// How a file system is made and mounted.
#pragma once

#include <cstdint>

#include "sim/pagecache/page_cache.hpp"

namespace drydock::sim {

struct FileSystemOptions {
  // Of mkfs. A disk that carries a file system already keeps it as it is.
  std::int64_t journal_bytes = 0;  // 0: as large as mkfs makes it on a disk of that size.

  // Of the mount.
  Duration commit_interval = Duration::s(5);  // ext4's commit=5.
  Duration replay_time = Duration::ms(20);    // Of a mount, besides its I/O.
  std::int64_t read_ahead_bytes = 128 << 10;  // Of buffered reads and major faults.

  std::int64_t strict_limit_bytes = 0;  // The device's max_bytes with strict_limit; 0: none.

  int open_files_max = 65'535;  // Per process.
  PageCacheOptions page_cache;
};

}  // namespace drydock::sim
