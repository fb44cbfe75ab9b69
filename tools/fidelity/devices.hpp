// The disks that the measurements were made on.
#pragma once

#include "sim/disk/disk_profile.hpp"

namespace drydock::fidelity {

// 50 MiB/s, the limit of the throttled loop device.
inline constexpr std::int64_t kThrottledBytesPerS = 50 << 20;

// The virtual machine's own disk: the profile this-vm.
sim::DiskProfile native_disk();
// A loop device on a file on that disk, written with direct I/O at `bytes_per_s`. Its times are
// those of the quiet machine: a 4 KiB fdatasync of a written block took 0.39 ms, a command and a
// flush (fsync_entangle_idle_writeback.csv, b_state none).
sim::DiskProfile loop_disk(std::int64_t bytes_per_s);
// One that writes 50 MiB/s by itself, evenly: what the loop device behind the kernel's block
// throttle is to whoever writes for longer than a slice of it.
sim::DiskProfile throttled_loop_disk();
// What the loop device does without the throttle in front of it: about 1 GB/s.
sim::DiskProfile fast_loop_disk();

}  // namespace drydock::fidelity
