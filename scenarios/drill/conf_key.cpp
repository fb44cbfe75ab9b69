#include "scenarios/drill/conf_key.hpp"

#include "engine/broker/configuration.hpp"
#include "engine/broker/configuration_keys.hpp"

namespace drydock::scenarios {

std::string why_unknown(std::string_view key) {
  if (state_of(key) != KeyState::unknown) return "";
  BrokerConfiguration unused;
  std::vector<ConfigurationNote> notes;
  set_broker_property(unused, key, "", 0, notes);
  return notes.front().text;
}

}  // namespace drydock::scenarios
