#include "reports/evidence/send_times.hpp"

#include <vector>

#include "reports/record/numbers.hpp"

namespace drydock::reports {

SendTimes measure_sends(const History& history, std::int64_t begin_ns, std::int64_t end_ns) {
  SendTimes times;
  std::vector<std::int64_t> lengths;
  for (const SendRecord& send : history.sends) {
    if (send.invoked_ns < begin_ns || send.invoked_ns >= end_ns || send.completed_ns < 0) continue;
    lengths.push_back(send.completed_ns - send.invoked_ns);
    if (send.outcome == SendOutcome::acked) ++times.acked;
  }
  times.sends = static_cast<std::int64_t>(lengths.size());
  times.p50_ns = quantile(lengths, 50);
  times.p99_ns = quantile(lengths, 99);
  times.longest_ns = quantile(std::move(lengths), 100);
  return times;
}

}  // namespace drydock::reports
