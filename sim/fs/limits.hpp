// What reports say about this folder: what it does not model, and what it assumes. Whoever changes
// the model changes the lines.
#pragma once

#include <array>
#include <string_view>

#include "sim/fs/mount.hpp"

namespace drydock::sim {

inline constexpr auto kFsNotModelled = std::to_array<std::string_view>({
    "file system: metadata as bytes: damage inside of it, bitmaps to read; the blocks of "
    "directories "
    "and of trees of extents take space, but are read and written with their inode's block",
    "file system: blocks that only root may use (5 % of ext4 unless mke2fs -m 0)",
    "file system: pages that an aborted ext4 keeps dirty (they count as clean); with data=journal, "
    "that pages on their way from the log to their home count as dirty, and their home writes by "
    "the flusher or a sync",
    "file system: without barriers, metadata whose way home a loss of power undid",
    "file system: a mount without replay of a journal that is not empty; of what a device and its "
    "file system share in a cache, anything but the log that a mount reads",
});

static_assert(FileSystemOptions().kind == FsKind::ext4);
static_assert(FileSystemOptions().data == DataMode::ordered);
static_assert(FileSystemOptions().dioread_nolock);
static_assert(FileSystemOptions().errors == ErrorsPolicy::go_on);
static_assert(FileSystemOptions().commit_interval == Duration::s(5));
static_assert(FileSystemOptions().replay_time == Duration::ms(20));
static_assert(FileSystemOptions().read_ahead_bytes == 128 << 10);
inline constexpr auto kFsAssumed = std::to_array<std::string_view>({
    "file system: unless the scenario says how it is mounted, ext4, data=ordered, dioread_nolock, "
    "commit=5 s, errors=continue, read-ahead of "
    "128 KiB unless the disk's profile says otherwise",
    "file system: a mount after a loss of power takes 20 ms besides its I/O; rto follows it one to "
    "one",
    "file system: xfs, if asked for: what a crash leaves and who waits follows its description, "
    "not a measurement",
});

}  // namespace drydock::sim
