// The profiles that the program knows by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/profiles/profile.hpp"

namespace drydock::sim {

std::vector<std::string> builtin_profile_names();
// Null if there is none of that name. They are read once and live as long as the program: worlds
// are built by the thousand.
const Profile* builtin_profile(std::string_view name);

}  // namespace drydock::sim
