// What reports say about this folder: see sim/disk/limits.hpp.
#pragma once

#include <array>
#include <string_view>

namespace drydock::sim {

inline constexpr auto kProfilesAssumed = std::to_array<std::string_view>({
    "disk profiles: times between two quantiles lie on a straight line",
});

}  // namespace drydock::sim
