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
  // What the device below does with its own load is in these times already.
  disk.read_submission = Duration();
  disk.write_submission = Duration();
  disk.read_factor_at_full_write = 1000;
  disk.servers_per_doubling = 0;
  disk.shared_servers = false;
  disk.queue_requests = 128;
  disk.wbt_target = Duration();
  return disk;
}

sim::DiskProfile throttled_loop_disk() { return loop_disk(kThrottledBytesPerS); }

sim::DiskProfile fast_loop_disk() { return loop_disk(1'000'000'000); }

}  // namespace drydock::fidelity
