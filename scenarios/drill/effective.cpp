#include "scenarios/drill/effective.hpp"

#include <nlohmann/json.hpp>

#include "engine/broker/properties_file.hpp"
#include "scenarios/drill/conf_key.hpp"

namespace drydock::scenarios {

std::string effective_scenario(const Drill& drill, const UserConfigurations& users,
                               const Settings& settings) {
  nlohmann::json json = nlohmann::json::parse(drill.canonical);
  for (const BrokerSpec& broker : drill.brokers) {
    nlohmann::json conf = nlohmann::json::object();
    const UserConfiguration user = configuration_for(users, broker);
    for (const PropertyLine& line : read_properties(user.text)) {
      if (why_unknown(line.key).empty()) conf[line.key] = line.value;
    }
    for (const auto& [key, value] : broker.set) conf[key] = value;
    for (const auto& [key, value] : settings) conf[key] = value;
    if (!conf.empty()) json["conf"][broker.name] = conf;
  }
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace drydock::scenarios
