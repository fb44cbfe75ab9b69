// The program of a consumer process: reads every queue of its topic from the beginning, as messages
// come, in a group of its own, until the process is asked to terminate.
#pragma once

#include "engine/runtime/context.hpp"
#include "scenarios/drill/drill.hpp"
#include "scenarios/workload/destination.hpp"
#include "scenarios/workload/recorder.hpp"

namespace drydock::scenarios {

// A life of its own goes on where the group has come to. `spec` and `recorder` outlive the process.
Task<void> run_consumer(Context& context, const ConsumerSpec& spec, Destination destination,
                        Recorder& recorder);

}  // namespace drydock::scenarios
