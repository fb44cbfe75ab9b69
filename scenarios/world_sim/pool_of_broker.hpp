// The transient pool of a broker's broker.conf as memory of its host: Java's direct memory, taken
// and locked when the broker starts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/drill/cells.hpp"

namespace drydock::scenarios {

// 0: its store has no pool.
std::int64_t pool_bytes_of(const BrokerConfiguration& configuration);

// Throws InputError if a broker of some cell cannot have its pool, or if the scenario speaks of
// direct memory of which nothing takes.
void check_pools(const Experiment& experiment);

// What reports say of it.
std::vector<std::string> pool_assumptions(const Experiment& experiment);

}  // namespace drydock::scenarios
