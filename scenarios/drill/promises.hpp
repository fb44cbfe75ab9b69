// What a broker's settings promise to whoever gets SEND_OK, in words.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/broker/configuration.hpp"
#include "scenarios/drill/drill.hpp"

namespace drydock::scenarios {

// The keys that decide how durable an acknowledged message is, with their effective values.
std::map<std::string, std::string> durability_settings(const BrokerConfiguration& configuration);
// Of a master, alone or with slaves: about replicas it says nothing if there are none.
std::vector<std::string> promises_of(const BrokerConfiguration& configuration, bool has_slaves);

// What a bare writer acknowledges, and so what should survive.
std::string promise_of(const WriterSpec& writer);

}  // namespace drydock::scenarios
