// From a profile file to what the model of a disk uses of it.
#pragma once

#include "sim/disk/disk_profile.hpp"
#include "sim/profiles/profile.hpp"

namespace drydock::sim {

// For a disk of that size: some limits grow with it.
DiskProfile compiled_profile(const Profile& profile, std::int64_t capacity_bytes);

}  // namespace drydock::sim
