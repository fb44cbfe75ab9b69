#include "reports/rto/rto.hpp"

#include <algorithm>

#include "reports/record/numbers.hpp"

namespace drydock::reports {
namespace {

// Completion of the first acknowledged send that was invoked after `after_ns`; none if there is
// none.
std::optional<std::int64_t> first_ack_invoked_after(const History& history, std::int64_t after_ns) {
  std::optional<std::int64_t> first;
  for (const SendRecord& send : history.sends) {
    if (send.outcome != SendOutcome::acked || send.invoked_ns <= after_ns) continue;
    if (!first || send.completed_ns < *first) first = send.completed_ns;
  }
  return first;
}

bool acked_in_time(const SendRecord& send, std::int64_t timeout_ns) {
  return send.outcome == SendOutcome::acked && send.completed_ns - send.invoked_ns <= timeout_ns;
}

}  // namespace

RtoReport measure_rto(const History& history, std::int64_t fault_ns, std::int64_t end_ns) {
  RtoReport report;
  if (const auto ack = first_ack_invoked_after(history, fault_ns)) {
    report.fault_ns = *ack - fault_ns;
  }
  std::optional<std::int64_t> first_failed;
  for (const SendRecord& send : history.sends) {
    const std::int64_t completed = send.completed_ns < 0 ? end_ns : send.completed_ns;
    if (completed > fault_ns) {
      report.longest_stall_ns = std::max(report.longest_stall_ns, completed - send.invoked_ns);
    }
    if (send.invoked_ns <= fault_ns || acked_in_time(send, history.timeout_ns)) continue;
    if (!first_failed || send.invoked_ns < *first_failed) first_failed = send.invoked_ns;
  }
  if (!first_failed) {
    report.client_ns = 0;
  } else if (const auto ack = first_ack_invoked_after(history, *first_failed)) {
    report.client_ns = *ack - *first_failed;
  }
  return report;
}

BaselineReport measure_baseline(const History& history, std::int64_t begin_ns,
                                std::int64_t end_ns) {
  std::vector<std::int64_t> latencies;
  for (const SendRecord& send : history.sends) {
    const bool inside = send.invoked_ns >= begin_ns && send.completed_ns < end_ns;
    if (send.outcome != SendOutcome::acked || !inside) continue;
    latencies.push_back(send.completed_ns - send.invoked_ns);
  }
  BaselineReport report;
  report.acked = static_cast<std::int64_t>(latencies.size());
  report.latency_p50_ns = quantile(latencies, 50);
  report.latency_p99_ns = quantile(latencies, 99);
  return report;
}

}  // namespace drydock::reports
