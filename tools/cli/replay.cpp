#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <vector>

#include "reports/expect/expect.hpp"
#include "reports/render/repro.hpp"
#include "scenarios/loader/loader.hpp"
#include "scenarios/world_sim/runner.hpp"
#include "scenarios/world_sim/sim_world.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/input_file.hpp"

namespace drydock::cli {
namespace {

using scenarios::InputError;

reports::Repro read_repro(const std::string& file) {
  const std::string text = read_file(file, kWrittenInputBytesMax);
  try {
    return reports::parse_repro(text);
  } catch (const std::runtime_error& error) {
    throw InputError(file + ": " + error.what());
  }
}

const scenarios::Cell& cell_named(const scenarios::Experiment& experiment,
                                  const reports::CellId& id, const std::string& file) {
  const auto found = std::ranges::find(experiment.cells, id, &scenarios::Cell::id);
  if (found == experiment.cells.end()) {
    throw InputError(file + ": its scenario has no cell " + reports::text_of(id));
  }
  return *found;
}

}  // namespace

int replay(const std::string& file) {
  const reports::Repro repro = read_repro(file);
  scenarios::Drill drill = scenarios::parse_drill(file + "#/scenario", repro.scenario);
  scenarios::check_simulated(drill);
  scenarios::Experiment experiment = scenarios::make_experiment(std::move(drill), {}, {});
  experiment.perturb = repro.perturb;
  std::vector<reports::CellResult> cells;  // Each run as one of its own.
  for (const reports::ReproRun& recorded : repro.runs) {
    const scenarios::Cell& cell = cell_named(experiment, recorded.cell, file);
    const reports::RunResult again =
        scenarios::run_one(experiment, cell, recorded.seed, scenarios::Verification::none);
    cells.emplace_back().verdict = again.verdict;
    std::printf("--seed %llu, %s: %s\n", static_cast<unsigned long long>(recorded.seed),
                reports::text_of(recorded.cell).c_str(), reports::compare(recorded, again).c_str());
  }
  return reports::exit_status(cells);
}

}  // namespace drydock::cli
