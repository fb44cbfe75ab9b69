// Pure: what differs between the kernels that a host may run. Each value names the version of Linux
// that changed it; a vendor's kernel may carry a change back, which is not modelled.
// Source: Linux I/O model, sections 1.3, 1.5, 1.7 to 1.9, 2, 4.2, 4.4.
#pragma once

#include <optional>
#include <string_view>

#include "engine/types/time.hpp"

namespace drydock::sim {

// The defaults are those of 6.x.
struct KernelProfile {
  std::string_view name = "6.x";
  std::int64_t hz = 250;  // Jiffies per second.

  // A sleep of n jiffies ends with the n-th tick from now, or, since the timer wheel was made anew,
  // with one more; from 63 jiffies on with a multiple of eight (4.8).
  bool sleeps_round_up = true;
  // The estimate of a device's bandwidth is refreshed by every writeback and after it has ended,
  // not by the flusher alone: a load of small fsyncs does not make it sink (5.15).
  bool estimate_sees_syncs = true;

  // Pages of a folio at most, if the file system makes large ones for big writes: one fault then
  // dirties all of them (ext4: 6.16). 1 unless a host asks for them.
  std::int64_t folio_pages_max = 1;
  // A store into a page under writeback waits for the writeback even if the device does not need
  // stable data (3.0 to 3.8).
  bool stable_pages = false;

  // Whom the inactive list of file pages is compared with: itself one to one, or the active list by
  // the square root of its size (4.7).
  enum class FileLists : std::uint8_t { one_to_one, square_root };
  FileLists file_lists = FileLists::square_root;
  // How long reclaim waits in a round that found only pages which it cannot drop: always the same,
  // or by what it found (5.16).
  struct ReclaimWaits {
    Duration congested = Duration::ms(20);
    Duration writeback = Duration::ms(100);
    Duration no_progress = Duration::ms(500);
    friend bool operator==(const ReclaimWaits&, const ReclaimWaits&) = default;
  };
  ReclaimWaits reclaim_waits;

  // At most so much is kept free without vm.min_free_kbytes.
  std::int64_t min_free_max_kib = 262'144;
  // Watermarks are apart by a share of the memory, where that is more than a quarter of the lowest
  // (4.6).
  bool watermarks_by_size = true;
  // The memory of a victim of the OOM killer is taken at once, even if it cannot end yet (4.6).
  bool victims_give_up_at_once = true;
  // A page that comes back soon after its eviction is active at once (3.15).
  bool refaults_count = true;
  // An error of writeback is told to every descriptor that was open, not to the first who asks
  // (4.13).
  bool errors_reach_all = true;

  // How long a buffer that is being logged may not be changed: until its own write has ended
  // (3.11), or until the transaction has committed.
  enum class ShadowWait : std::uint8_t { own_write, whole_commit };
  ShadowWait shadow_wait = ShadowWait::own_write;
  // ext4's `dioread_nolock` is the default: delayed allocation maps unwritten blocks, and a commit
  // waits for nobody's data (5.6).
  bool dioread_nolock = true;

  friend bool operator==(const KernelProfile&, const KernelProfile&) = default;
};

KernelProfile kernel_el7();  // 3.10 of RHEL and CentOS 7.
KernelProfile kernel_el8();  // 4.18.
KernelProfile kernel_el9();  // 5.14.
KernelProfile kernel_6x();   // 6.x with HZ = 250, as Debian and Ubuntu build it.

// "el7", "el8", "el9", "6.x".
std::optional<KernelProfile> kernel_named(std::string_view name);

}  // namespace drydock::sim
