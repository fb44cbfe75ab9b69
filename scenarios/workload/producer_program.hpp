// The program of a producer process: keyed messages with known bodies, at a rate or as fast as they
// are answered, all through one Producer, until the process is asked to terminate.
#pragma once

#include "engine/client/producer.hpp"
#include "engine/runtime/context.hpp"
#include "scenarios/drill/drill.hpp"
#include "scenarios/workload/destination.hpp"
#include "scenarios/workload/recorder.hpp"

namespace drydock::scenarios {

// In a closed loop a client that is refused at once would try again in the same moment, for ever. A
// failed send waits this long; in an open loop the rate does that.
inline constexpr Duration kPauseAfterFailure = Duration::ms(10);

// Returns after `context.terminate` was set and every open send has ended. `spec` and `recorder`
// outlive the process.
Task<void> run_producer(Context& context, const ProducerSpec& spec, Destination destination,
                        Recorder& recorder);

}  // namespace drydock::scenarios
