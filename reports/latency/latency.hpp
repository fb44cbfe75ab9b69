// reports/latency says how long sends took while faults were at work. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reports/record/history.hpp"
#include "reports/record/run_result.hpp"

namespace drydock::reports {

// The sends that were invoked in [begin_ns, end_ns), `end_ns` being the end of the load: of all
// producers together, under an empty name, and then of each, in the order of the history. Empty if
// there is no producer.
//
// A send takes from its invocation to its end, whatever became of it, retries included. One that
// never ended counts as ended when the load did. In an open loop a send that found all others of
// its producer waiting was invoked late; what it waited before that is not part of it.
std::vector<SendsReport> measure_sends(const History& history, std::int64_t begin_ns,
                                       std::int64_t end_ns);

// Of one producer or (empty) of all; an empty report if there is none of that name.
SendsReport sends_of(const RunResult& run, const std::string& producer);

}  // namespace drydock::reports
