// From what the command line names to an experiment.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenarios/drill/cells.hpp"

namespace drydock::cli {

// What `run` and `check` have in common.
struct ExperimentOptions {
  std::string scenario;
  std::optional<std::string> conf;  // None: RocketMQ's defaults.
  std::vector<std::string> set;     // KEY=VALUE
};

// Throws scenarios::InputError.
scenarios::Experiment experiment_of(const ExperimentOptions& options);

}  // namespace drydock::cli
