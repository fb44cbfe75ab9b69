#include "reports/rto/steady.hpp"

#include <algorithm>
#include <vector>

namespace drydock::reports {
namespace {

// Completions that count, from the fault on, in the order of time.
std::vector<std::int64_t> completions(const History& history, const RtoWindow& window) {
  std::vector<std::int64_t> times;
  for (const SendRecord& send : history.sends) {
    if (!acked_in_time(history, send)) continue;
    if (send.completed_ns > window.fault_ns) times.push_back(send.completed_ns);
  }
  std::sort(times.begin(), times.end());
  return times;
}

// 99 % of the baseline's number in one slot, rounded down; at least one.
std::int64_t needed_per_slot(const BaselineReport& baseline) {
  // Messages times ns of one slot: far below 2^63 for any run that a machine can hold.
  const std::int64_t needed =
      baseline.window_acked * (kSteadySlotNs / 1'000) * 99 / (baseline.window_ns / 1'000) / 100;
  return std::max<std::int64_t>(needed, 1);
}

bool holds_from(std::int64_t begin, const std::vector<std::int64_t>& times, std::int64_t needed) {
  auto at = std::lower_bound(times.begin(), times.end(), begin);
  for (std::int64_t slot = 1; slot <= kSteadySlots; ++slot) {
    const auto end = std::lower_bound(at, times.end(), begin + slot * kSteadySlotNs);
    if (end - at < needed) return false;
    at = end;
  }
  return true;
}

}  // namespace

void measure_steady(const History& history, const BaselineReport& baseline, const RtoWindow& window,
                    RtoReport& report) {
  constexpr std::int64_t kWindowNs = kSteadySlots * kSteadySlotNs;
  if (baseline.window_acked == 0 || baseline.window_ns < kSteadySlotNs) {
    report.steady = Steady::no_baseline;
    return;
  }
  const std::int64_t needed = needed_per_slot(baseline);
  const std::vector<std::int64_t> times = completions(history, window);
  std::vector<std::int64_t> begins = times;
  begins.insert(begins.begin(), window.fault_ns);
  for (const std::int64_t begin : begins) {
    if (begin + kWindowNs > window.load_end_ns) break;
    if (!holds_from(begin, times, needed)) continue;
    report.steady = Steady::reached;
    report.steady_ns = begin - window.fault_ns;
    return;
  }
  const std::int64_t resumed = report.fault_ns ? window.fault_ns + *report.fault_ns : -1;
  const bool too_short = resumed < 0 ? false : resumed + kWindowNs > window.load_end_ns;
  report.steady = too_short ? Steady::load_too_short : Steady::not_reached;
}

}  // namespace drydock::reports
