// The expansion of a drill: its matrix into cells, a cell's faults into the plan of one seed.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/broker/configuration.hpp"
#include "faults/plan/fault.hpp"
#include "reports/record/drill_result.hpp"
#include "scenarios/drill/drill.hpp"

namespace drydock::scenarios {

// A broker.conf of the user's.
struct UserConfiguration {
  std::string file;
  std::string text;
  std::string target;  // A broker's name or a role; empty: every broker that has none of its own.
};
using UserConfigurations = std::vector<UserConfiguration>;
// That of a broker: the one for its name, else for its role, else for all. Without any of them
// RocketMQ's own defaults count: then the file's name is empty.
UserConfiguration configuration_for(const UserConfigurations& users, const BrokerSpec& broker);

// Keys given on the command line; they win over everything.
using Settings = std::vector<std::pair<std::string, std::string>>;

// More cells than this are a mistake, or a job for several scenarios.
inline constexpr std::size_t kCellsMax = 10'000;

struct Cell {
  reports::CellId id;
  std::map<std::string, std::string> changes;  // What of it differs from the user's file.
  std::vector<BrokerConfiguration> brokers;    // One per broker of the drill, in its order.
  std::vector<std::pair<std::string, std::string>> settings;  // Keys of broker.conf that it sets.
  std::vector<FaultSpec> faults;
  std::vector<reports::Expectation> expectations;
  std::shared_ptr<const Drill> variant;  // What places of the scenario are in it; null: as written.
};

// A drill with a user's configuration: everything that a run needs but its seed.
struct Experiment {
  Drill drill;
  std::vector<Cell> cells;
  reports::DrillFacts facts;
  std::string effective;  // The scenario with everything folded in; see effective.hpp.
  bool evidence = false;  // What operators would have looked at is kept second by second.
  bool perturb = false;   // Events of one instant come in an order that the seed draws.
};

// The drill as a cell has it.
inline const Drill& drill_of(const Experiment& experiment, const Cell& cell) {
  return cell.variant == nullptr ? experiment.drill : *cell.variant;
}

// The preset with what is set on top of it.
Behaviour behaviour_in(const Drill& drill);

// Throws InputError: a value that the broker refuses, a configuration for nobody, a matrix that
// makes no sense.
// Precedence: RocketMQ's defaults < broker.conf < scenario < cell < settings.
Experiment make_experiment(Drill drill, const UserConfigurations& users, const Settings& settings);

// The faults of one seed. Times are drawn from streams named by the fault's place, so the same seed
// gives the same times in every cell.
faults::Plan draw_plan(const Cell& cell, std::uint64_t seed);
// Canonical JSON: keys sorted, units spelled out.
std::string text_of(const faults::Plan& plan);

}  // namespace drydock::scenarios
