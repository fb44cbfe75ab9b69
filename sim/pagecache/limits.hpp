// What reports say about this folder: what it does not model, and what it assumes. Whoever changes
// the model changes the lines.
#pragma once

#include <array>
#include <string_view>

#include "sim/pagecache/page_cache.hpp"

namespace drydock::sim {

inline constexpr auto kPageCacheNotModelled = std::to_array<std::string_view>({
    "page cache: dirty limits of memory cgroups, real-time tasks' allowance; the flusher does not "
    "wait for the block layer",
    "page cache: of what differs between kernels, the wait for a buffer in the journal (el7), "
    "dioread_nolock, the balance of the lists and the waits of reclaim",
    "page cache: memory that runs out (clean pages stay until they are dropped; no reclaim)",
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
    "page cache: vm.dirty_bytes 4 GiB, vm.dirty_background_bytes 2 GiB, written back after 30 s, "
    "looked at every 5 s",
    "page cache: throttling of writers as by Linux 6.x, HZ=250; the host has seen 100 MiB/s of its "
    "device so far; writeback in commands of 1 MiB that the device's queue always takes",
});

}  // namespace drydock::sim
