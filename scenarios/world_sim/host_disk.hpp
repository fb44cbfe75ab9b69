// Which disk a host of a drill gets.
#pragma once

#include <string>

#include "scenarios/drill/drill.hpp"
#include "sim/disk/sim_disk.hpp"
#include "sim/fs/options.hpp"

namespace drydock::scenarios {

// Throws InputError if the disk of that host has no known profile, cannot have its size, or is too
// small for the files of the load.
void check_own_disk(const Drill& drill, const HostSpec& host);
// The same of one that several hosts attach: it keeps its power when one of them loses its own.
void check_shared_disk(const Drill& drill, const SharedDiskSpec& shared);

// Throws InputError if a fault of a disk could have no effect. The disks have been checked.
void check_disk_faults(const Drill& drill);

// What its profile and its throttle say of a disk; of a checked one.
void put_profile(const DiskSpec& spec, sim::DiskOptions& disk);

// How the file system of a disk is made and mounted by a host, and what the host's page cache does.
// Of checked ones.
sim::FileSystemOptions files_of(const HostSpec& host, const DiskSpec& disk);
// Which file system is on the disk of that host: "ext4", "ext4, data=journal", "xfs". Empty: none
// has a disk of that host.
std::string file_system_of(const Drill& drill, const std::string& host);

// read_ahead_kb in bytes, as the profile says it, or Linux's default. Of a checked one.
std::int64_t read_ahead_of(const DiskSpec& spec);

// Its profile, and which of the values in use are assumed. Of a checked one.
std::string assumptions_of(const DiskSpec& spec);

}  // namespace drydock::scenarios
