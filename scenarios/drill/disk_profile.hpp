// Disk profiles that a scenario takes from files of the user.
#pragma once

#include <string>
#include <string_view>

#include "scenarios/drill/drill.hpp"

namespace drydock::scenarios {

// The profile of a disk is one of three: a name; a file, relative to the scenario; or, once
// somebody has read that file, its text.
bool is_profile_file(std::string_view profile);
bool is_profile_text(std::string_view profile);

// Replaces the profile of a host's disk by `text`, JSON with comments, also in the drill's
// canonical text: what is run, printed and repeated does not depend on the file.
void put_disk_profile(Drill& drill, HostSpec& host, const std::string& text);

// The same for every disk with a file; `read` gives the text of one, and is told where the scenario
// names it: "FILE:LINE:COLUMN: PATH".
template <class Read>
void read_disk_profiles(Drill& drill, Read read) {
  for (HostSpec& host : drill.hosts) {
    if (!host.disk || !is_profile_file(host.disk->profile)) continue;
    const std::string place = drill.source.at("/topology/hosts/" + host.name + "/disk/profile");
    const std::string text = read(place, host.disk->profile);
    put_disk_profile(drill, host, text);
  }
}

}  // namespace drydock::scenarios
