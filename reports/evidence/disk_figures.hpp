// The figures of iostat from what a host has counted. Pure.
//
// Source: iostat(1) of sysstat 10, which RHEL and CentOS 7 have. r_await is what completed reads
// took on average, avgqu-sz how many commands were at the disk on average, %util for how much of
// the time there was one; svctm is that time per command, and tells nothing of a disk that serves
// many at once. The hit ratio is that of cachestat: pages that were read by programs without being
// read from the disk; read-ahead that nobody needs counts against it.
#pragma once

#include "reports/record/operations.hpp"

namespace drydock::reports {

// Rounded to the nearest.
std::int64_t reads_per_second(const DiskUse& use);
std::int64_t read_bytes_per_second(const DiskUse& use);
std::int64_t read_await_ns(const DiskUse& use);
std::int64_t queue_hundredths(const DiskUse& use);
std::int64_t busy_percent(const DiskUse& use);
// From 0 to 100; 0 if nothing was read.
std::int64_t hit_percent(const DiskUse& use);
std::int64_t hit_per_mille(const DiskUse& use);

// The two lines of `iostat -dx 1`; the second with the name of the device.
std::string iostat_head();
std::string iostat_line(const std::string& device, const DiskUse& use);

}  // namespace drydock::reports
