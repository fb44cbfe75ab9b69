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

// Replaces the profile of a disk, which stands at `path` in the scenario, by `text`, JSON with
// comments, also in the drill's canonical text: what is run, printed and repeated does not depend
// on the file.
void put_disk_profile(Drill& drill, const std::string& path, DiskSpec& disk,
                      const std::string& text);

// The same for every disk with a file; `read` gives the text of one, and is told where the scenario
// names it: "FILE:LINE:COLUMN: PATH".
template <class Read>
void read_disk_profiles(Drill& drill, Read read) {
  const auto read_one = [&drill, &read](const std::string& path, DiskSpec& disk) {
    if (!is_profile_file(disk.profile)) return;
    const std::string text = read(drill.source.at(path + "/profile"), disk.profile);
    put_disk_profile(drill, path, disk, text);
  };
  for (HostSpec& host : drill.hosts) {
    if (host.disk) read_one("/topology/hosts/" + host.name + "/disk", *host.disk);
  }
  for (SharedDiskSpec& shared : drill.shared_disks) {
    read_one("/topology/disks/" + shared.name, shared.disk);
  }
}

}  // namespace drydock::scenarios
