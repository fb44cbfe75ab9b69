// Which disk a host of a drill gets.
#pragma once

#include <string>

#include "scenarios/drill/drill.hpp"
#include "sim/disk/sim_disk.hpp"
#include "sim/fs/options.hpp"

namespace drydock::scenarios {

// Throws InputError if there is no such profile, or no disk of that size of it. The host has a
// disk.
void check_disk(const Drill& drill, const HostSpec& host);

// Throws InputError if a fault of a disk could have no effect. The disks have been checked.
void check_disk_faults(const Drill& drill);

// What its profile and its throttle say of a disk; of a checked one.
void put_profile(const DiskSpec& spec, sim::DiskOptions& disk);

// How the file system of a host's disk is made and mounted, and what its page cache does. Of a
// checked host.
sim::FileSystemOptions files_of(const HostSpec& host);

// read_ahead_kb in bytes, as the profile says it, or Linux's default. Of a checked one.
std::int64_t read_ahead_of(const DiskSpec& spec);

// Its profile, and which of the values in use are assumed. Of a checked one.
std::string assumptions_of(const DiskSpec& spec);

}  // namespace drydock::scenarios
