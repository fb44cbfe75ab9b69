// What reports say about this folder: what it does not model, and what it assumes. Whoever changes
// the model changes the lines.
#pragma once

#include <array>
#include <string_view>

namespace drydock::sim {

inline constexpr auto kDiskNotModelled = std::to_array<std::string_view>({
    "disk: nvmet and SPDK hold other reservation commands back while a preempt-and-abort waits",
    "disk: schedulers of the block layer; that a thread which reads ahead stands still while its "
    "command waits for a tag",
    "disk: links as controllers of their own",
    "disk: writes that become slower for good, disks that turn slow in the course of years, tails "
    "beyond the 99.9th percentile",
    "disk: misdirected writes, bit rot, and what a write that failed leaves",
});

// Those of a profile depend on the scenario: the report names the profile of each disk.
inline constexpr auto kDiskAssumed = std::to_array<std::string_view>({
    "disk: time grows with a block's size along a straight line, where the profile has a time per "
    "KiB, and by bandwidth alone otherwise; the depth of the queue does not stretch it",
    "disk: minimum times of the profiles that come with the program",
    "disk: a reservation command, and a refusal, takes as long as a read of 4 KiB",
    "disk: what a device tells about reservations arrives at once, also by a path that is cut; the "
    "255 oldest of it are kept, none beyond a reset of any of the host's links",
    "disk: a reset of a controller takes 1 s, and is given up after 60 s; a host notices a lost "
    "link after 5 s",
    "disk: a garbage collection stops all commands, and happens when writes use half of their "
    "bandwidth",
    "disk: a read beside writes takes longer by a part of the median, whatever it takes alone",
});

}  // namespace drydock::sim
