#include "tools/cli/experiment.hpp"

#include "scenarios/loader/loader.hpp"
#include "scenarios/world_sim/sim_world.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/input_file.hpp"

namespace drydock::cli {
namespace {

using scenarios::InputError;

scenarios::Settings settings_of(const ExperimentOptions& options) {
  scenarios::Settings settings;
  for (const std::string& text : options.set) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos) {
      throw InputError("--set: '" + text + "' is not KEY=VALUE");
    }
    settings.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return settings;
}

}  // namespace

scenarios::Experiment experiment_of(const ExperimentOptions& options) {
  scenarios::Drill drill = scenarios::parse_drill(options.scenario, read_file(options.scenario));
  scenarios::check_simulated(drill);
  scenarios::UserConfiguration user;
  if (options.conf) {
    if (options.conf->empty()) throw InputError("--conf: names no file");
    user.file = *options.conf;
    user.text = read_file(*options.conf);
  }
  auto experiment = scenarios::make_experiment(std::move(drill), user, settings_of(options));
  experiment.facts.version = kVersion;
  experiment.facts.assumed = scenarios::assumptions_of(experiment.drill);
  experiment.facts.not_modelled = scenarios::not_modelled();
  return experiment;
}

}  // namespace drydock::cli
