// File systems that stopped themselves, in words.
#pragma once

#include <string>
#include <vector>

#include "reports/record/run_result.hpp"

namespace drydock::reports {

// "in 3 runs the ext4 of h stopped 1.20 s after the fault (seed 1): the kernel panicked
// (errors=panic)", each host and way once. Of runs in which the simulator did not fail; empty if
// none stopped.
std::string describe_stopped_files(const std::vector<RunResult>& runs);

}  // namespace drydock::reports
