#include "tests/fingerprint/drill_runs.hpp"

#include "scenarios/world_sim/sim_run.hpp"
#include "tests/drills/drill_file.hpp"

namespace drydock::fingerprint {

scenarios::Experiment load_drill(const DrillFile& drill) {
  return drills::load("scenarios/" + std::string(drill.name) + ".json",
                      drills::read("docs/examples/broker.conf"));
}

std::unique_ptr<sim::Verifiable> make_drill_run(const scenarios::Experiment& experiment,
                                                std::size_t cell, std::uint64_t seed) {
  return std::make_unique<scenarios::SimRun>(experiment, experiment.cells.at(cell), seed);
}

std::string summary_of(sim::Verifiable& over) {
  const reports::RunResult result = static_cast<scenarios::SimRun&>(over).result();
  ENSURE(result.loss.acked > 0);
  return "acked=" + std::to_string(result.loss.acked) +
         " lost=" + std::to_string(result.loss.lost.size()) +
         " rto.fault=" + std::to_string(result.rto.fault_ns.value_or(-1)) +
         " p99=" + std::to_string(result.baseline.latency_p99_ns);
}

}  // namespace drydock::fingerprint
