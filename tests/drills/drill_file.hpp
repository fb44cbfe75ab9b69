// A drill of the repository, possibly changed, ready to be run in this process.
#pragma once

#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "reports/expect/expect.hpp"
#include "scenarios/drill/cells.hpp"
#include "scenarios/loader/loader.hpp"
#include "scenarios/world_sim/modelled.hpp"
#include "scenarios/world_sim/runner.hpp"

namespace drydock::drills {

using Json = nlohmann::ordered_json;

// `path` from the top of the repository, which the build names.
inline std::string read(const std::string& path) {
  std::ifstream file(std::string(DRYDOCK_SOURCE_ROOT) + "/" + path);
  if (!file) throw std::runtime_error(path + " cannot be read");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline scenarios::Experiment load(const std::string& drill, const std::string& conf,
                                  const std::function<void(Json&)>& change = {}) {
  Json json = Json::parse(read(drill), nullptr, true, true);
  if (change) change(json);
  auto parsed = scenarios::parse_drill(drill, json.dump());
  scenarios::check_simulated(parsed);
  return scenarios::make_experiment(std::move(parsed), {{"broker.conf", conf, ""}}, {});
}

// One cell over seeds 1 to `seeds`, judged.
inline reports::CellResult run_cell(const scenarios::Experiment& experiment,
                                    const reports::CellId& id, std::uint64_t seeds) {
  for (const scenarios::Cell& cell : experiment.cells) {
    if (cell.id != id) continue;
    reports::CellResult result;
    result.id = cell.id;
    result.changes = cell.changes;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      result.runs.push_back(
          scenarios::run_one(experiment, cell, seed, scenarios::Verification::none));
    }
    reports::judge_cell(result, cell.expectations);
    return result;
  }
  throw std::runtime_error("no such cell: " + reports::text_of(id));
}

}  // namespace drydock::drills
