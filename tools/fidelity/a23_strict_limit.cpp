// A23: a device with a limit of 64 MiB on its own dirty pages, far below that of the host.
#include "tools/fidelity/all.hpp"
#include "tools/fidelity/csv_table.hpp"
#include "tools/fidelity/statistics.hpp"
#include "tools/fidelity/throttled_run.hpp"

namespace drydock::fidelity {
namespace {

// The samples count the dirty pages of the whole machine; the trace says, at each decision, how
// many of them were not the device's. MiB.
double measured_own_dirty(const CalibrationData& data) {
  constexpr double kPagesPerMib = 256;
  const CsvTable trace(data, "throttle_trace_strict64_def_max.csv");
  std::vector<double> of_others;
  for (const CsvTable::Row* row : trace.rows_with("event", "decision")) {
    of_others.push_back((row->number("dirty_pages") - row->number("wb_dirty_pages")) /
                        kPagesPerMib);
  }
  return measured_dirty_mib(data, "strict64_def_max") - median(of_others);
}

}  // namespace

std::vector<Row> strict_limit(const CalibrationData& measured) {
  const sim::PageCacheOptions host = default_dirty_limits().page_cache;
  const ThrottledResult model = run_throttled({.background_bytes = host.dirty_background_bytes,
                                               .dirty_bytes = host.dirty_bytes,
                                               .length = Duration::s(7),
                                               .strict_limit_bytes = 64 * kMiB});
  const WriterResult real = measured_writer(measured, "strict64_def_max");
  const double own_dirty = 64 * model.dirty_ratio;
  return {
      within_percent(
          {"steady rate", "MiB/s", model.writers.front().steady_mib_per_s, real.steady_mib_per_s},
          6),
      // Linux I/O model, section 11: about 60 MiB.
      re_read(
          within_percent({"own dirty pages", "MiB", own_dirty, measured_own_dirty(measured)}, 6),
          within_percent({"", "MiB", own_dirty, 60}, 6)),
  };
}

}  // namespace drydock::fidelity
