// What reports say about this folder: what it does not model, and what it assumes. Whoever changes
// the model changes the lines.
#pragma once

#include <array>
#include <string_view>

#include "sim/host/host.hpp"

namespace drydock::sim {

inline constexpr auto kHostNotModelled = std::to_array<std::string_view>({
    "host: memory of processes beyond what they take at their start; the device time of swapping; "
    "limits of descriptors beyond one process",
    "host: a scheduler (a core is never taken from work that runs), crash dumps",
});

static_assert(HostOptions().cores == 8);
static_assert(!HostOptions().cpu_priced);
static_assert(HostOptions().memory.bytes == 0);
inline constexpr auto kHostAssumed = std::to_array<std::string_view>({
    "host: 8 cores, clocks without drift; code between two waits takes no time",
    "host: memory never runs out where the scenario gives it no size",
});

}  // namespace drydock::sim
