// What the simulation can do for a drill: what it lacks, what it takes for granted, and what it
// leaves out.
#pragma once

#include <string>
#include <vector>

#include "scenarios/drill/drill.hpp"

namespace drydock::scenarios {

// Throws InputError if the simulation lacks something that the drill asks for.
void check_simulated(const Drill& drill);
// What of the simulation drives the results of this drill, and what it leaves out; for the reports.
std::vector<std::string> assumptions_of(const Drill& drill);
std::vector<std::string> not_modelled();

}  // namespace drydock::scenarios
