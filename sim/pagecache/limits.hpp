// What reports say about this folder: what it does not model, and what it assumes. Whoever changes
// the model changes the lines.
#pragma once

#include <array>
#include <string_view>

#include "sim/pagecache/page_cache.hpp"

namespace drydock::sim {

inline constexpr auto kPageCacheNotModelled = std::to_array<std::string_view>({
    "page cache: a memory cgroup's flushers and bandwidth estimates of its own, real-time tasks' "
    "allowance",
    "page cache: reads and reclaim of folios of more than one page; what a fault costs in CPU time",
    "page cache: multi-gen LRU, nodes and zones, executable mappings, a control group beside "
    "others",
    "page cache: slab; pages of holes take no memory",
    "page cache: no device needs stable pages; locks of pages that a commit, a rename or a close "
    "writes, of single pages of a batch, and of pages that somebody only reads",
});

static_assert(PageCacheOptions().dirty_bytes == std::int64_t{4} << 30);
static_assert(PageCacheOptions().dirty_background_bytes == std::int64_t{2} << 30);
static_assert(PageCacheOptions().expire == Duration::s(30));
static_assert(PageCacheOptions().interval == Duration::s(5));
static_assert(PageCacheOptions().initial_bandwidth_bytes == 100 << 20);
static_assert(PageCacheOptions().queue_bytes == INT64_MAX);
static_assert(PageCacheOptions().command_bytes == 1 << 20);
static_assert(KernelProfile().hz == 250);
static_assert(KernelProfile().folio_pages_max == 1);
inline constexpr auto kPageCacheAssumed = std::to_array<std::string_view>({
    "page cache: unless the scenario sets them, vm.dirty_bytes 4 GiB, vm.dirty_background_bytes 2 "
    "GiB, written back after 30 s, looked at every 5 s",
    "page cache: throttling of writers as by Linux 6.x, HZ=250, unless the scenario names another "
    "kernel; the host has seen of its device so far what the disk's profile says, 100 MiB/s if "
    "nothing; writeback in commands of 1 MiB that the device's queue always takes",
    "page cache: whoever writes pages back, the flusher or a sync, takes them in batches of one "
    "command; while the batch waits for writeback throttling, a tag or the journal (not for the "
    "block throttle), its pages are locked, and no others",
    "page cache: where memory has a size, a kernel 6.x reclaims as 5.16 or later; a page that "
    "reclaim looks at takes 0.3 us, a mapped one 1 us; a worker that finds nothing to reclaim "
    "waits 100 ms "
    "(writeback), 20 ms (dirty pages) or 500 ms, and after 16 such rounds a process is killed",
});

}  // namespace drydock::sim
