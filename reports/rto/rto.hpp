// reports/rto answers "for how long could nothing be written" from the history and the moment at
// which the first fault took effect.
//
// Of the figures of design section 0 this computes `rto.fault` and `rto.client`. `rto.steady` and
// the stages (detect, decide, ...) are not computed yet; nothing prints them as 0 meanwhile.
#pragma once

#include "reports/record/history.hpp"
#include "reports/record/run_result.hpp"

namespace drydock::reports {

// `fault_ns`: when the fault took effect. `end_ns`: when the run ended, for sends that were still
// open.
RtoReport measure_rto(const History& history, std::int64_t fault_ns, std::int64_t end_ns);

// Latency of the acknowledged sends that were invoked and completed in [begin_ns, end_ns).
BaselineReport measure_baseline(const History& history, std::int64_t begin_ns, std::int64_t end_ns);

}  // namespace drydock::reports
