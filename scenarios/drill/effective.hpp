// What is really run: the scenario with the user's broker.conf and the command line folded in.
#pragma once

#include <string>

#include "scenarios/drill/cells.hpp"

namespace drydock::scenarios {

// A scenario again, without comments, keys sorted: run without --conf and --set it has the same
// cells. Each broker's `conf` holds what file, scenario and settings say, the later one counting,
// without the lines of the file that RocketMQ ignores.
std::string effective_scenario(const Drill& drill, const UserConfigurations& users,
                               const Settings& settings);

}  // namespace drydock::scenarios
