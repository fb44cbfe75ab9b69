// What reports say about this folder: what it does not model, and what it assumes. Whoever changes
// the model changes the lines.
#pragma once

#include <array>
#include <string_view>

#include "sim/host/host.hpp"

namespace drydock::sim {

inline constexpr auto kHostNotModelled = std::to_array<std::string_view>({
    "host: a heap of Java (collections come at the pace of a constant rate of allocation, and each "
    "takes the same time; full collections do not come); the device time of swapping; limits of "
    "descriptors beyond one process",
    "host: vm.swappiness (files are reclaimed first, then anonymous memory is swapped out; without "
    "swap there is nothing to choose), and vm.zone_reclaim_mode: a host has one node",
    "host: the wake-up latency of a scheduler, crash dumps",
});

static_assert(HostOptions().cores == 8);
static_assert(!HostOptions().cpu_priced);
static_assert(HostOptions().memory.bytes == 0);
inline constexpr auto kHostAssumed = std::to_array<std::string_view>({
    "host: 8 cores, clocks without drift; code between two waits takes no time",
    "host: threads of Java that run stop for a safepoint at once; one without a collection takes "
    "400 us (apache/rocketmq#8752), with one it writes 2 KiB of log",
    "host: memory never runs out where the scenario gives it no size",
});

}  // namespace drydock::sim
