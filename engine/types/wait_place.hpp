// Where a worker can be stuck.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace drydock {

// The places in which a store into a mapped file can block (Linux I/O model, section 0), the waits
// of fsync and of the block layer, the CPU, and its own virtual machine. `none` while a worker runs
// or waits for its own process.
enum class WaitPlace : std::uint8_t {
  none,
  dirty_throttle,  // W1: asleep in the dirty-page throttle.
  journal,         // W2, J1 to J3: waiting for a journal transaction.
  page_lock,       // W3: a page is locked or under writeback.
  page_read,       // W4: a major fault.
  memory,          // W5: direct reclaim.
  writeback,       // Inside fsync or msync, waiting for pages.
  directory_lock,  // A directory is locked by somebody else who changes names in it (i_rwsem).
  device,          // Waiting for a command: direct I/O, flush, tags, quota.
  cpu,             // Runnable, waiting for a core.
  safepoint,       // Stopped by its virtual machine, which waits for a thread or does its work.
  count_,
};
inline constexpr std::size_t kWaitPlaces = static_cast<std::size_t>(WaitPlace::count_);

// "dirty_throttle", as scenarios and reports spell it.
std::string_view name_of(WaitPlace place);

}  // namespace drydock
