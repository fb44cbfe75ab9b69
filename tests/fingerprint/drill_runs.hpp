// Whole runs of a drill: what `drydock run` computes, with broker, producer, store and faults.
#pragma once

#include <memory>
#include <string>

#include "scenarios/drill/cells.hpp"
#include "sim/kernel/verify.hpp"

namespace drydock::fingerprint {

// The drills of scenarios/ with docs/examples/broker.conf.
struct DrillFile {
  const char* name;
  std::uint64_t seeds;  // Of each cell.
};
inline constexpr DrillFile kDrillFiles[] = {{"power-loss", 3}, {"ack-matrix", 1}};

scenarios::Experiment load_drill(const DrillFile& drill);

// The experiment outlives the run. Once that is over, `summary_of` tells what the report would:
// figures that its events alone do not show.
std::unique_ptr<sim::Verifiable> make_drill_run(const scenarios::Experiment& experiment,
                                                std::size_t cell, std::uint64_t seed);
std::string summary_of(sim::Verifiable& over);

}  // namespace drydock::fingerprint
