#include "reports/rto/rto.hpp"

#include <algorithm>

#include "reports/record/numbers.hpp"
#include "reports/rto/stages.hpp"
#include "reports/rto/steady.hpp"

namespace drydock::reports {

std::optional<std::int64_t> first_ack_invoked_after(const History& history, std::int64_t after_ns) {
  std::optional<std::int64_t> first;
  for (const SendRecord& send : history.sends) {
    if (send.outcome != SendOutcome::acked || send.invoked_ns <= after_ns) continue;
    if (!first || send.completed_ns < *first) first = send.completed_ns;
  }
  return first;
}

bool acked_in_time(const History& history, const SendRecord& send) {
  return send.outcome == SendOutcome::acked &&
         send.completed_ns - send.invoked_ns <= history.timeout_ns(send);
}

RtoReport measure_rto(const History& history, const BaselineReport& baseline,
                      const RtoWindow& window, const StageTimes& ends) {
  const std::int64_t fault_ns = window.fault_ns;
  RtoReport report;
  if (const auto ack = first_ack_invoked_after(history, fault_ns)) {
    report.fault_ns = *ack - fault_ns;
    report.stages_ns = split_stages(fault_ns, *ack, ends);
  }
  std::optional<std::int64_t> first_failed;
  for (const SendRecord& send : history.sends) {
    const std::int64_t completed = send.completed_ns < 0 ? window.load_end_ns : send.completed_ns;
    if (completed > fault_ns) {
      report.longest_stall_ns = std::max(report.longest_stall_ns, completed - send.invoked_ns);
    }
    if (send.invoked_ns <= fault_ns || acked_in_time(history, send)) continue;
    if (!first_failed || send.invoked_ns < *first_failed) first_failed = send.invoked_ns;
  }
  if (!first_failed) {
    report.client_ns = 0;
  } else if (const auto ack = first_ack_invoked_after(history, *first_failed)) {
    report.client_ns = *ack - *first_failed;
  }
  measure_steady(history, baseline, window, report);
  return report;
}

BaselineReport measure_baseline(const History& history, std::int64_t begin_ns,
                                std::int64_t end_ns) {
  BaselineReport report;
  report.window_ns = std::clamp<std::int64_t>(end_ns - begin_ns, 0, kSteadySlots * kSteadySlotNs);
  std::vector<std::int64_t> latencies;
  for (const SendRecord& send : history.sends) {
    const bool inside = send.invoked_ns >= begin_ns && send.completed_ns < end_ns;
    if (send.outcome != SendOutcome::acked || !inside) continue;
    latencies.push_back(send.completed_ns - send.invoked_ns);
    report.window_acked +=
        send.completed_ns >= end_ns - report.window_ns && acked_in_time(history, send);
  }
  report.acked = static_cast<std::int64_t>(latencies.size());
  report.latency_p50_ns = quantile(latencies, 50);
  report.latency_p99_ns = quantile(latencies, 99);
  return report;
}

}  // namespace drydock::reports
