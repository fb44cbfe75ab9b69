// Disk profiles that a scenario takes from files of the user.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "scenarios/drill/drill.hpp"

namespace drydock::scenarios {

// The profile of a disk is one of three: a name; a file, relative to the scenario; or, once
// somebody has read that file, its text.
bool is_profile_file(std::string_view profile);
bool is_profile_text(std::string_view profile);

// Gives the text of a profile file, JSON with comments. `place`: where the scenario names it,
// "FILE:LINE:COLUMN: PATH".
using ReadProfile = std::function<std::string(const std::string& place, const std::string& file)>;

// Replaces every profile that is a file by its text, also in the variants of the matrix and in the
// drill's canonical text: what is run, printed and repeated does not depend on the files. Throws
// InputError if the values of an axis are files themselves: a cell is called by its values.
void read_disk_profiles(Drill& drill, const ReadProfile& read);

}  // namespace drydock::scenarios
