// A4: such a writer under a dirty limit of 8 MiB, two chunks of the flusher.
#include "tools/fidelity/all.hpp"
#include "tools/fidelity/statistics.hpp"
#include "tools/fidelity/throttled_run.hpp"

namespace drydock::fidelity {

std::vector<Row> tiny_limit(const CalibrationData& measured) {
  // The recorded run began with the estimate of a fresh boot.
  const ThrottledResult model = run_throttled({.background_bytes = 4 * kMiB,
                                               .dirty_bytes = 8 * kMiB,
                                               .length = Duration::s(7),
                                               .large_folios = true,
                                               .initial_bandwidth_bytes = 100 * kMiB});
  const WriterResult& writer = model.writers.front();
  const WriterResult real = measured_writer(measured, "lim4_8");
  std::vector<Row> rows;
  rows.push_back(
      within_percent({"steady rate", "MiB/s", writer.steady_mib_per_s, real.steady_mib_per_s}, 30));
  if (writer.stalls.empty()) {
    rows.push_back(not_modelled("stalls"));
  } else {
    rows.push_back(within_factor(
        {"median stall", "ms", median(writer.stall_lengths()), median(real.stall_lengths())}, 2));
  }
  rows.push_back(within(
      {"D+W over limit", "", model.dirty_ratio, measured_dirty_ratio(measured, "lim4_8")}, 0.04));
  return rows;
}

}  // namespace drydock::fidelity
