#include "tools/fidelity/devices.hpp"

#include "sim/disk/compiled_profile.hpp"
#include "sim/profiles/builtin_profiles.hpp"

namespace drydock::fidelity {

sim::DiskProfile native_disk() {
  const sim::Profile* const profile = sim::builtin_profile("this-vm");
  ENSURE(profile != nullptr);
  return sim::compiled_profile(*profile, std::int64_t{4} << 30);
}

sim::DiskProfile loop_disk(std::int64_t bytes_per_s) {
  sim::DiskProfile disk = native_disk();
  disk.name = "loop";
  disk.write = sim::QuantileTable::constant(Duration::us(200));
  disk.flush = sim::QuantileTable::constant(Duration::us(190));
  disk.write_bytes_per_s = bytes_per_s;
  // Its requests are asynchronous: as many as it has tags.
  disk.read_servers = 128;
  disk.write_servers = 128;
  disk.write_iops = 0;
  // What load does to the disk below is in these times already.
  disk.read_submission = Duration();
  disk.write_submission = Duration();
  disk.servers_per_doubling = 0;
  return disk;
}

sim::DiskProfile throttled_loop_disk() { return loop_disk(kThrottledBytesPerS); }

sim::BlockThrottle throttle_of_writes() {
  return {.reads{}, .writes = {.bytes_per_s = kThrottledBytesPerS}};
}

sim::BlockThrottle throttle_of_reads() { return {.reads = {.commands_per_s = 2000}, .writes{}}; }

}  // namespace drydock::fidelity
