// A5: what a writer may dirty before its first stall of 10 ms is what is free of the throttle.
#include "tools/fidelity/all.hpp"
#include "tools/fidelity/throttled_run.hpp"

namespace drydock::fidelity {

std::vector<Row> start_up(const CalibrationData& measured) {
  std::vector<Row> rows;
  for (const std::int64_t limit_mib : {32, 64, 128, 256}) {
    const std::int64_t background_mib = limit_mib / 2;
    const ThrottledResult model = run_throttled({.background_bytes = background_mib * kMiB,
                                                 .dirty_bytes = limit_mib * kMiB,
                                                 .length = Duration::s(4),
                                                 .large_folios = true});
    const std::string run =
        "lim" + std::to_string(background_mib) + "_" + std::to_string(limit_mib);
    const auto mib = [](const Stall& stall) {
      return static_cast<double>(stall.offset) / static_cast<double>(kMiB);
    };
    rows.push_back(within_percent({"limit " + std::to_string(limit_mib) + " MiB", "MiB",
                                   mib(model.writers.front().first_long_stall()),
                                   mib(measured_writer(measured, run).first_long_stall())},
                                  10));
  }
  return rows;
}

}  // namespace drydock::fidelity
