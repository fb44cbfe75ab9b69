// The memory of a host: how much there is, who has it, what is kept free, and who dies for it.
//
// Words: *anonymous* memory is what processes have of their own (heap, direct memory, a transient
// pool); *cached* is the page cache; the rest, less what the kernel itself takes, is *free*.
//
// Invariants:
//   - anonymous = the sum over the processes; a process that has ended has none.
//   - At most one process at a time dies for want of memory.
//
// This file knows nothing of files: the page cache says how much it has, and gives back what it can
// (MemoryUser). Source: Linux I/O model, sections 1.1, 2.1, 2.3.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/types/ids.hpp"
#include "engine/types/time.hpp"
#include "sim/host/kernel_profile.hpp"

namespace drydock::sim {

class Host;
class SimProcess;

struct MemoryOptions {
  std::int64_t bytes = 0;         // RAM. 0: memory never runs out, and nothing of it is modelled.
  std::int64_t kernel_bytes = 0;  // Taken by the kernel: code, slab, page tables.
  // Of a memory control group that all processes of the host run in; their share of the page cache
  // counts, and that is all of it. 0: none.
  std::int64_t group_limit_bytes = 0;
  // The group has dirty limits of its own, beside those of the host: cgroup v2.
  bool group_limits_dirty = false;
  std::int64_t swap_bytes = 0;
  std::int64_t min_free_bytes = 0;              // vm.min_free_kbytes; 0: the kernel's default.
  std::int64_t watermark_scale_per_10000 = 10;  // vm.watermark_scale_factor
  // RLIMIT_MEMLOCK of each process, in bytes. RocketMQ's bin/os.sh lifts it; without that it is 8
  // MiB (64 KiB before Linux 5.16).
  std::int64_t locked_bytes_max = INT64_MAX;
  KernelProfile kernel;
};

// Free pages below which something happens.
struct Watermarks {
  std::int64_t min = 0;   // Allocations reclaim by themselves.
  std::int64_t low = 0;   // kswapd is woken.
  std::int64_t high = 0;  // kswapd sleeps again.
};

// vm.min_free_kbytes as the kernel chooses it, in bytes: 4 * sqrt(KiB), within bounds. (Transparent
// huge pages raise it; that is not modelled, set the option.)
std::int64_t default_min_free_bytes(std::int64_t ram_bytes, const KernelProfile& kernel);
// Of one zone that is all of the memory.
Watermarks watermarks_of(const MemoryOptions& options);

// Whoever uses memory that it can give back.
class MemoryUser {
 public:
  // Gives back up to that many pages without waiting; how many it gave.
  virtual std::int64_t give_back(std::int64_t pages) = 0;

 protected:
  ~MemoryUser() = default;
};

struct MemoryCounters {
  std::int64_t global_kills = 0;  // By the host's OOM killer.
  std::int64_t group_kills = 0;   // By that of the group.
  std::int64_t swapped_out = 0;   // Pages.
};

class HostMemory {
 public:
  enum class Scope : std::uint8_t { host, group };

  // Of the host, which outlives it.
  HostMemory(Host& host, MemoryOptions options);

  const MemoryOptions& options() const { return options_; }
  const Watermarks& watermarks() const { return watermarks_; }
  // Pages that the group may still take; the host's free ones if there is none.
  std::int64_t group_headroom() const {
    return group_limit_ == 0 ? free()
                             : std::max<std::int64_t>(group_limit_ - anonymous_ - cached_, 0);
  }
  bool has_group() const { return group_limit_ > 0; }

  // Pages.
  std::int64_t total() const { return total_; }
  std::int64_t free() const { return total_ - kernel_ - anonymous_ - cached_; }
  std::int64_t anonymous() const { return anonymous_; }
  std::int64_t swapped() const { return swapped_; }
  std::int64_t cached() const { return cached_; }
  // What nobody may use for the page cache: counted out of what may be dirty.
  std::int64_t total_reserve() const { return watermarks_.high; }
  const MemoryCounters& counters() const { return counters_; }

  // Whether that many pages can be taken without going below the marks, or over the group's limit.
  bool host_has(std::int64_t pages) const { return free() - pages >= watermarks_.min; }
  bool group_has(std::int64_t pages) const {
    return group_limit_ == 0 || anonymous_ + cached_ + pages <= group_limit_;
  }
  bool has(std::int64_t pages) const { return host_has(pages) && group_has(pages); }

  // The page cache: who gives back, and how its size changes.
  void set_cache(MemoryUser* cache) { cache_ = cache; }
  void add_cached(std::int64_t pages) { cached_ += pages; }

  // A process that may be killed for want of memory, though it has none yet.
  void add(SimProcess& process) { share_of(process); }
  // The process touches that many bytes more of its own. They are there at once: the page cache
  // gives up clean pages for them, anonymous memory is swapped out, and if that is not enough,
  // processes die. A charge for a process that is ending has no effect.
  void charge(SimProcess& process, std::int64_t bytes);
  // The process frees memory: what is not swapped first. At most what it has and has not locked.
  void give_back(SimProcess& process, std::int64_t bytes);
  // mlock(2) of memory that the process has touched: it is not swapped any more. False (ENOMEM) if
  // it would have more than its limit locked (RLIMIT_MEMLOCK); nothing is locked then.
  bool lock(SimProcess& process, std::int64_t bytes);
  // Moves anonymous pages to the swap space, from the largest process on; how many.
  std::int64_t swap_out(std::int64_t pages);
  // /proc/PID/oom_score_adj: -1000 (never) to 1000.
  void set_oom_score_adjust(SimProcess& process, int adjust);
  // Nothing can be reclaimed: kills the process with the largest score. No effect while one is
  // dying.
  void out_of_memory(Scope scope);
  // Pages that the process has, swapped ones included.
  std::int64_t of(ProcessId process) const;

  void process_ended(SimProcess& process);

 private:
  struct Share {
    SimProcess* process;
    std::int64_t anonymous = 0;
    std::int64_t swapped = 0;
    std::int64_t locked = 0;  // Of `anonymous`.
    int oom_score_adjust = 0;
  };
  Share& share_of(SimProcess& process);
  void release(Share& share);
  std::int64_t score_of(const Share& share) const;

  Host& host_;
  MemoryOptions options_;
  Watermarks watermarks_;
  std::int64_t total_;
  std::int64_t kernel_;
  std::int64_t group_limit_;
  std::int64_t swap_;
  std::int64_t anonymous_ = 0;
  std::int64_t swapped_ = 0;
  std::int64_t cached_ = 0;
  MemoryUser* cache_ = nullptr;
  std::vector<Share> shares_;  // In the order in which the processes were first charged.
  SimProcess* victim_ = nullptr;
  MemoryCounters counters_;
};

}  // namespace drydock::sim
