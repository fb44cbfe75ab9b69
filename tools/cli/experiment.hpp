// From what the command line names to an experiment.
#pragma once

#include <string>
#include <vector>

#include "scenarios/drill/cells.hpp"

namespace drydock::cli {

// What `run` and `check` have in common.
struct ExperimentOptions {
  std::string scenario;
  std::vector<std::string> conf;  // FILE or BROKER=FILE; none: RocketMQ's defaults.
  std::vector<std::string> set;   // KEY=VALUE or PATH=VALUE
};

// Throws scenarios::InputError.
scenarios::Experiment experiment_of(const ExperimentOptions& options);

}  // namespace drydock::cli
