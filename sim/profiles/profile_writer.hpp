// A profile as the text of a file: what profile_reader reads as the same profile.
#pragma once

#include <string>

#include "sim/profiles/profile.hpp"

namespace drydock::sim {

std::string write_profile(const Profile& profile);

}  // namespace drydock::sim
