#include "tools/fidelity/throttle_trace.hpp"

#include "tools/fidelity/csv_table.hpp"

namespace drydock::fidelity {
namespace {

constexpr std::string_view kRuns[] = {
    "falloc_32_64_max", "hang_32_64_20",    "heavy_light",   "lim128_256",
    "lim16_32",         "lim32_64",         "lim4_8",        "lim64_128",
    "p4k_16_32_max",    "p4k_32_64_80",     "p4k_32_64_max", "p4k_64_128_max",
    "sparse_32_64_max", "strict64_def_max", "two_heavy",     "write_32_64_max"};

// The traces have rates in KiB/s and times in ms.
constexpr std::int64_t kPageKiB = 4;
constexpr std::int64_t kJiffyMs = 1000 / kTraceHz;

std::int64_t whole(const CsvTable::Row& row, std::string_view column) {
  return static_cast<std::int64_t>(row.number(column));
}

// A trace names the limit, the set points and the dirty counts; the rest follows. The thresholds of
// the byte form are the limit and half of it; the run with a strict limit used ratios of 20 and
// 10 % of an amount of memory that changed, and the limit followed.
sim::DirtyState state_of(const CsvTable::Row& row, bool strict) {
  const std::int64_t limit = whole(row, "limit_pages");
  const std::int64_t set_point = whole(row, "setpoint_pages");
  if (set_point <= 0) return {};
  const std::int64_t free_run = 2 * set_point - limit;
  const std::int64_t threshold = strict ? free_run * 4 / 3 : limit;
  // The recorded set point of the device was rounded down.
  const std::int64_t share =
      (whole(row, "wb_setpoint_pages") * (threshold + 1) + set_point - 1) / set_point;
  return {.threshold = threshold,
          .background = 2 * free_run - threshold,
          .limit = limit,
          .dirty = whole(row, "dirty_pages"),
          .device_threshold = share,
          .device_background = share / 2,
          .device_dirty = whole(row, "wb_dirty_pages"),
          .strict = strict};
}

RecordedDecision decision_of(const CsvTable::Row& row, bool strict, std::int64_t bandwidth) {
  return {.state = state_of(row, strict),
          .bandwidth_before = bandwidth,
          .bandwidth = bandwidth,
          .base_rate = whole(row, "dirty_ratelimit_kBps") / kPageKiB,
          .task_rate = whole(row, "task_ratelimit_kBps") / kPageKiB,
          .dirtied = whole(row, "dirtied_pages"),
          .dirtied_pause = whole(row, "nr_dirtied_pause"),
          .slept = whole(row, "paused_ms") / kJiffyMs,
          .pause = whole(row, "pause_ms") / kJiffyMs,
          .period = whole(row, "period_ms") / kJiffyMs,
          .think = whole(row, "think_ms") / kJiffyMs};
}

}  // namespace

std::vector<ThrottleTrace> throttle_traces(const CalibrationData& data) {
  std::vector<ThrottleTrace> traces;
  for (const std::string_view run : kRuns) {
    ThrottleTrace trace{.run = std::string(run), .strict = run.starts_with("strict")};
    const CsvTable table(data, "throttle_trace_" + trace.run + ".csv");
    std::int64_t bandwidth = 0;
    std::size_t open = 0;
    for (const CsvTable::Row& row : table.rows()) {
      if (row.text("event") == "decision") {
        // Before the first estimate nothing is known of the device.
        if (bandwidth > 0) trace.decisions.push_back(decision_of(row, trace.strict, bandwidth));
        continue;
      }
      bandwidth = whole(row, "avg_write_bw_kBps") / kPageKiB;
      for (; open < trace.decisions.size(); ++open) trace.decisions[open].bandwidth = bandwidth;
    }
    traces.push_back(std::move(trace));
  }
  return traces;
}

}  // namespace drydock::fidelity
