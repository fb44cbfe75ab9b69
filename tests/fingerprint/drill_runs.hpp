// Whole runs of a drill: what `drydock run` computes, with broker, producer, store and faults.
#pragma once

#include <memory>
#include <string>

#include "scenarios/drill/cells.hpp"
#include "sim/kernel/verify.hpp"

namespace drydock::fingerprint {

// scenarios/power-loss.json with docs/examples/broker.conf: kill or power loss, one of the two
// flush types.
inline constexpr std::size_t kDrillCells = 4;
inline constexpr std::uint64_t kDrillSeeds = 3;

scenarios::Experiment load_power_loss();

// The experiment outlives the run. Once that is over, `summary_of` tells what the report would:
// figures that its events alone do not show.
std::unique_ptr<sim::Verifiable> make_drill_run(const scenarios::Experiment& experiment,
                                                std::size_t cell, std::uint64_t seed);
std::string summary_of(sim::Verifiable& over);

}  // namespace drydock::fingerprint
