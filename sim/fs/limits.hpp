// What reports say about this folder: what it does not model, and what it assumes. Whoever changes
// the model changes the lines.
#pragma once

#include <array>
#include <string_view>

#include "sim/fs/mount.hpp"

namespace drydock::sim {

inline constexpr auto kFsNotModelled = std::to_array<std::string_view>({
    "file system: metadata as bytes: its reads, its bitmaps, more blocks for large files",
    "file system: damage inside metadata, errors=panic, XFS",
});

static_assert(FileSystemOptions().commit_interval == Duration::s(5));
static_assert(FileSystemOptions().replay_time == Duration::ms(20));
static_assert(FileSystemOptions().read_ahead_bytes == 128 << 10);
inline constexpr auto kFsAssumed = std::to_array<std::string_view>({
    "file system: ext4, data=ordered, commit=5 s, read-ahead of 128 KiB unless the disk's profile "
    "says otherwise",
    "file system: a mount after a loss of power takes 20 ms besides reading the journal; rto "
    "follows it one to one",
});

}  // namespace drydock::sim
