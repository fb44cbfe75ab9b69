// The Java virtual machine of a program of a drill.
#pragma once

#include <string>
#include <vector>

#include "engine/types/behaviour.hpp"
#include "scenarios/drill/drill.hpp"
#include "sim/host/jvm.hpp"

namespace drydock::scenarios {

sim::JvmOptions jvm_options(const JvmSpec& spec, const Behaviour& behaviour);

// What reports say of those of a drill.
std::vector<std::string> jvm_assumptions(const Drill& drill);

}  // namespace drydock::scenarios
