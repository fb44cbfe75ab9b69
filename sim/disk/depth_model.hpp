// The rate of a disk whose queue is kept at one depth, as fio keeps it: what a fit compares with.
#pragma once

#include "sim/profiles/parallelism_fit.hpp"

namespace drydock::sim {

// A DepthModel: lets a disk of that profile serve some 50,000 commands. What fio's depths do not
// show takes no part: limits that both directions share, quotas, garbage collection, and what the
// host does with its own queue.
std::int64_t command_ns_at_depth(const Profile& profile, CommandDirection direction, int depth);

}  // namespace drydock::sim
