// A7: 80 MB/s on a disk of 52.4 MB/s, for 6 s: free of the throttle at first, then at the disk's
// rate.
#include "tools/fidelity/all.hpp"
#include "tools/fidelity/throttled_run.hpp"

namespace drydock::fidelity {

std::vector<Row> paced_above_device(const CalibrationData& measured) {
  const ThrottledResult model = run_throttled({.background_bytes = 32 * kMiB,
                                               .dirty_bytes = 64 * kMiB,
                                               .bytes_per_s = {80'000'000},
                                               .length = Duration::s(6),
                                               .initial_bandwidth_bytes = 70 * kMiB});
  const WriterResult& writer = model.writers.front();
  const WriterResult real = measured_writer(measured, "p4k_32_64_80");
  return {
      within_percent({"mean rate", "MB/s", writer.mean_mb_per_s, real.mean_mb_per_s}, 6),
      within({"first stall of 10 ms", "s", seconds(writer.first_long_stall().at),
              seconds(real.first_long_stall().at)},
             0.3),
  };
}

}  // namespace drydock::fidelity
