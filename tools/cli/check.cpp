#include <cstdio>

#include "tools/cli/commands.hpp"

namespace drydock::cli {

int check(const ExperimentOptions& options) {
  const scenarios::Experiment experiment = experiment_of(options);
  std::fputs(experiment.effective.c_str(), stdout);
  for (const std::string& warning : experiment.facts.warnings) {
    std::fprintf(stderr, "drydock: warning: %s\n", warning.c_str());
  }
  std::fprintf(stderr, "drydock: %s: %zu cells, %llu seeds, digest %s\n", options.scenario.c_str(),
               experiment.cells.size(),
               static_cast<unsigned long long>(experiment.drill.seeds.count()),
               experiment.facts.scenario_digest.c_str());
  return 0;
}

}  // namespace drydock::cli
