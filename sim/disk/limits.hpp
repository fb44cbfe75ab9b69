// What reports say about this folder: what it does not model, and what it assumes. Whoever changes
// the model changes the lines.
#pragma once

#include <array>
#include <string_view>

namespace drydock::sim {

inline constexpr auto kDiskNotModelled = std::to_array<std::string_view>({
    "disk: aborts by a host, controller resets and the driver's time-outs",
    "disk: notifications of reservations; nvmet and SPDK hold other reservation commands back "
    "while "
    "a preempt-and-abort waits",
    "disk: quota bursts, garbage collection, tails beyond the 99.9th percentile",
    "disk: misdirected writes, bit rot, and what a write that failed leaves",
});

// Those of a profile depend on the scenario: the report names the profile of each disk.
inline constexpr auto kDiskAssumed = std::to_array<std::string_view>({
    "disk: minimum times of the profiles that come with the program",
    "disk: a reservation command, and a refusal, takes as long as a read of 4 KiB",
});

}  // namespace drydock::sim
