#include "tools/cli/experiment.hpp"

#include <filesystem>
#include <set>

#include "scenarios/drill/disk_profile.hpp"
#include "scenarios/loader/loader.hpp"
#include "scenarios/world_sim/modelled.hpp"
#include "scenarios/world_sim/pool_of_broker.hpp"
#include "scenarios/world_sim/sim_world.hpp"
#include "sim/profiles/profile_reader.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/input_file.hpp"
#include "tools/cli/terminal.hpp"

namespace drydock::cli {
namespace {

using scenarios::InputError;

// What --set says: keys of broker.conf, and paths, which have a slash.
struct Given {
  scenarios::Settings keys;
  std::vector<scenarios::PathSetting> paths;
};

Given given_of(const ExperimentOptions& options) {
  Given given;
  std::set<std::string> seen;
  for (const std::string& text : options.set) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos) {
      throw InputError("--set: '" + text + "' is not KEY=VALUE or PATH=VALUE");
    }
    std::string name = text.substr(0, equals);
    const bool path = name.contains('/');
    if (name.starts_with('/')) name.erase(0, 1);
    if (!seen.insert((path ? "/" : "") + name).second) {
      throw InputError("--set " + name + ": is given twice");
    }
    if (path) {
      given.paths.push_back({name, text.substr(equals + 1)});
    } else {
      given.keys.emplace_back(name, text.substr(equals + 1));
    }
  }
  return given;
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

std::string read_profile_file(const std::string& place, const std::string& path) {
  try {
    return read_file(path);
  } catch (const InputError& error) {
    throw InputError(place + ": " + printable(error.what()));
  }
}

// The text of a disk profile whose file is named relative to the scenario, at that place. What is
// wrong with its content is said with its own name.
std::string profile_beside(const std::string& scenario, const std::string& place,
                           const std::string& file) {
  const std::string path = (std::filesystem::path(scenario).parent_path() / file).string();
  std::string text = read_profile_file(place, path);
  const auto profile = sim::read_profile(path, text);
  if (!profile) throw InputError(printable(profile.error()));
  return text;
}

}  // namespace

scenarios::Experiment experiment_of(const ExperimentOptions& options) {
  const Given given = given_of(options);
  scenarios::Drill drill =
      scenarios::parse_drill(options.scenario, read_file(options.scenario), given.paths);
  scenarios::read_disk_profiles(drill, [&](const std::string& place, const std::string& file) {
    return profile_beside(options.scenario, place, file);
  });
  scenarios::check_simulated(drill);
  const scenarios::UserConfigurations users = configurations_of(options);
  auto experiment = scenarios::make_experiment(std::move(drill), users, given.keys);
  scenarios::check_pools(experiment);
  experiment.facts.version = kVersion;
  experiment.facts.assumed = scenarios::assumptions_of(experiment.drill);
  for (std::string& line : scenarios::pool_assumptions(experiment)) {
    experiment.facts.assumed.push_back(std::move(line));
  }
  experiment.facts.not_modelled = scenarios::not_modelled();
  return experiment;
}

}  // namespace drydock::cli
