// A23: a device with a limit of 64 MiB on its own dirty pages, far below that of the host.
#include "tools/fidelity/all.hpp"
#include "tools/fidelity/throttled_run.hpp"

namespace drydock::fidelity {

std::vector<Row> strict_limit(const CalibrationData& measured) {
  const sim::PageCacheOptions host = default_dirty_limits().page_cache;
  const ThrottledResult model = run_throttled({.background_bytes = host.dirty_background_bytes,
                                               .dirty_bytes = host.dirty_bytes,
                                               .length = Duration::s(7),
                                               .strict_limit_bytes = 64 * kMiB});
  const WriterResult real = measured_writer(measured, "strict64_def_max");
  return {
      within_percent(
          {"steady rate", "MiB/s", model.writers.front().steady_mib_per_s, real.steady_mib_per_s},
          6),
      // Linux I/O model, sections 1.8 and 11: the device's own pages, about 60 MiB.
      within_percent({"dirty pages", "MiB", 64 * model.dirty_ratio, 60}, 6),
  };
}

}  // namespace drydock::fidelity
