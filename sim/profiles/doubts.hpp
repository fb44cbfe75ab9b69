// What makes measurements doubtful whatever is fitted to them.
#pragma once

#include <string>
#include <vector>

#include "sim/profiles/measurements.hpp"

namespace drydock::sim {

// A line for each doubt: runs that were short, and bytes that came faster than large blocks.
std::vector<std::string> doubts_of(const std::vector<FioJob>& jobs, const Measurements& measured);

}  // namespace drydock::sim
