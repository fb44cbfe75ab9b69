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

// FILE, or NAME=FILE for the broker or role of that name. A file whose own name has a '=' is
// written with its folder: ./a=b.conf.
scenarios::UserConfiguration configuration_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  scenarios::UserConfiguration user;
  if (equals != std::string::npos && text.find('/') > equals) user.target = text.substr(0, equals);
  user.file = user.target.empty() ? text : text.substr(equals + 1);
  if (user.file.empty()) throw InputError("--conf: names no file");
  user.text = read_file(user.file);
  return user;
}

scenarios::UserConfigurations configurations_of(const ExperimentOptions& options) {
  scenarios::UserConfigurations users;
  for (const std::string& text : options.conf) {
    users.push_back(configuration_of(text));
    for (std::size_t i = 0; i + 1 < users.size(); ++i) {
      if (users[i].target != users.back().target) continue;
      const std::string whom = users[i].target.empty() ? "all brokers" : users[i].target;
      throw InputError("--conf: two files for " + whom);
    }
  }
  return users;
}

}  // namespace

scenarios::Experiment experiment_of(const ExperimentOptions& options) {
  scenarios::Drill drill = scenarios::parse_drill(options.scenario, read_file(options.scenario));
  scenarios::check_simulated(drill);
  const scenarios::UserConfigurations users = configurations_of(options);
  auto experiment = scenarios::make_experiment(std::move(drill), users, settings_of(options));
  experiment.facts.version = kVersion;
  experiment.facts.assumed = scenarios::assumptions_of(experiment.drill);
  experiment.facts.not_modelled = scenarios::not_modelled();
  return experiment;
}

}  // namespace drydock::cli
