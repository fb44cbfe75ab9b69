// The cores of a drill's host, and what its broker's work costs on them.
#pragma once

#include <string>

#include "engine/store/cpu_prices.hpp"
#include "scenarios/drill/drill.hpp"
#include "sim/host/host.hpp"

namespace drydock::scenarios {

// Throws InputError if there is no such profile, or what stands in its place is none.
void check_cpu(const Drill& drill, const HostSpec& host);

// Of a checked one.
void set_cores(const CpuSpec& cpu, sim::HostOptions& options);
CpuPrices cpu_prices(const CpuSpec& cpu);

// What reports say of it.
std::string cpu_assumption(const CpuSpec& cpu);

}  // namespace drydock::scenarios
