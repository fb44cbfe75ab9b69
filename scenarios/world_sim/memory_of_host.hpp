// How much memory a host of a drill has.
#pragma once

#include <string>
#include <vector>

#include "scenarios/drill/drill.hpp"
#include "sim/host/host_memory.hpp"

namespace drydock::scenarios {

// Throws InputError if the host has less than its programs and the kernel's reserve need.
void check_memory(const Drill& drill, const HostSpec& host);

// Of a checked one; of none, memory that never runs out.
sim::MemoryOptions memory_of(const HostSpec& host);

// What reports say of it.
std::vector<std::string> memory_assumptions(const Drill& drill, const HostSpec& host);

}  // namespace drydock::scenarios
