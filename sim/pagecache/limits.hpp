// What reports say about this folder: what it does not model, and what it assumes. Whoever changes
// the model changes the lines.
#pragma once

#include <array>
#include <string_view>

#include "sim/pagecache/page_cache.hpp"

namespace drydock::sim {

inline constexpr auto kPageCacheNotModelled = std::to_array<std::string_view>({
    "page cache: the law that throttles writers below the dirty limit",
    "page cache: memory that runs out (clean pages stay until they are dropped; no reclaim)",
});

static_assert(PageCacheOptions().dirty_bytes == std::int64_t{4} << 30);
static_assert(PageCacheOptions().dirty_background_bytes == std::int64_t{2} << 30);
static_assert(PageCacheOptions().expire == Duration::s(30));
static_assert(PageCacheOptions().interval == Duration::s(5));
inline constexpr auto kPageCacheAssumed = std::to_array<std::string_view>({
    "page cache: vm.dirty_bytes 4 GiB, vm.dirty_background_bytes 2 GiB, written back after 30 s, "
    "looked at every 5 s",
});

}  // namespace drydock::sim
