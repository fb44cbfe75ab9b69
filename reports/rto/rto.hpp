// reports/rto answers "for how long could nothing be written, and where did that time go" from the
// history and the moment at which the fault took effect.
//
//   rto      rto.fault and rto.client, and the baseline before the fault
//   steady   rto.steady: until it was as good as before
//   stages   the parts of rto.fault
//
// This file: the figures of design section 0 that need nothing but the history.
#pragma once

#include "reports/record/history.hpp"
#include "reports/record/run_result.hpp"

namespace drydock::reports {

// What a run knows of its own times; ns since its start.
struct RtoWindow {
  std::int64_t fault_ns = -1;     // When the fault took effect.
  std::int64_t load_end_ns = -1;  // From then on no send was invoked.
};

// `rto.fault`, its stages, `rto.client`, `rto.steady`. Sends that are still open count as ended
// when the load did. `ends`: the moments at which stages were over (stages.hpp).
RtoReport measure_rto(const History& history, const BaselineReport& baseline,
                      const RtoWindow& window, const StageTimes& ends);

// Acknowledged, and within its time-out.
bool acked_in_time(const History& history, const SendRecord& send);
// Completion of the first acknowledged send that was invoked after `after_ns`; none if there is
// none.
std::optional<std::int64_t> first_ack_invoked_after(const History& history, std::int64_t after_ns);

// The acknowledged sends that were invoked and completed in [begin_ns, end_ns).
BaselineReport measure_baseline(const History& history, std::int64_t begin_ns, std::int64_t end_ns);

}  // namespace drydock::reports
