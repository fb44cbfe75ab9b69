#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <vector>

#include "reports/expect/expect.hpp"
#include "reports/render/json.hpp"
#include "reports/render/repro.hpp"
#include "scenarios/loader/json_at.hpp"
#include "scenarios/loader/loader.hpp"
#include "scenarios/world_sim/modelled.hpp"
#include "scenarios/world_sim/pool_of_broker.hpp"
#include "scenarios/world_sim/runner.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/input_file.hpp"
#include "tools/cli/progress.hpp"
#include "tools/cli/runs.hpp"
#include "tools/cli/worker_pool.hpp"

namespace drydock::cli {
namespace {

using scenarios::InputError;

reports::Repro read_repro(const std::string& file) {
  const std::string text = read_file(file, kWrittenInputBytesMax);
  (void)scenarios::parse_json({file, text});  // It says where the text is no JSON.
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

int replay(const ReplayOptions& options) {
  const std::string& file = options.file;
  const reports::Repro repro = read_repro(file);
  scenarios::Drill drill = scenarios::parse_drill(file + "#/scenario", repro.scenario);
  scenarios::check_simulated(drill);
  scenarios::Experiment experiment = scenarios::make_experiment(std::move(drill), {}, {});
  scenarios::check_pools(experiment);
  experiment.perturb = repro.perturb;
  for (const reports::ReproRun& run : repro.runs) (void)cell_named(experiment, run.cell, file);
  const Duration limit = limit_of(options.limit, experiment.drill.phases);

  std::vector<reports::RunResult> again(repro.runs.size());
  WorkerPool pool(default_jobs(), limit,
                  [&](std::uint64_t number, const WorkerPool::NextParts& next) {
                    const reports::ReproRun& run = repro.runs[number];
                    return reports::run_to_json(
                        scenarios::run_one(experiment, cell_named(experiment, run.cell, file),
                                           run.seed, scenarios::Verification::none, next));
                  });
  {
    Progress progress(again.size());
    const bool finished = pool.run(again.size(), [&](std::uint64_t number, const Answer& answer) {
      again[number] = run_of(answer, repro.runs[number].seed);
      progress.step();
    });
    if (!finished) return kInterrupted;
  }
  std::vector<reports::CellResult> cells;  // Each run as one of its own.
  for (std::size_t i = 0; i < again.size(); ++i) {
    const reports::ReproRun& recorded = repro.runs[i];
    cells.emplace_back().verdict = again[i].verdict;
    std::printf("--seed %llu, %s: %s\n", static_cast<unsigned long long>(recorded.seed),
                reports::text_of(recorded.cell).c_str(),
                reports::compare(recorded, again[i]).c_str());
  }
  return reports::exit_status(cells);
}

}  // namespace drydock::cli
