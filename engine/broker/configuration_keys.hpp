// What RocketMQ 5.3.3 knows as keys of broker.conf, and what this version does with them.
#pragma once

#include <span>
#include <string_view>

#include "engine/broker/configuration.hpp"

namespace drydock {

// A key whose value has an effect here.
struct HonouredKey {
  std::string_view name;
  std::string_view allowed;  // Which values it takes, for messages.
  // Stores the value; false if it is not allowed.
  bool (*set)(BrokerConfiguration& configuration, std::string_view value);
};

// A spelling that older versions read and RocketMQ 5.3.3 ignores in silence.
struct OldSpelling {
  std::string_view old_name;
  std::string_view name;
  std::string_view default_value;
};

// Sorted by name.
std::span<const HonouredKey> honoured_keys();
// Keys that RocketMQ 5.3.3 reads and that have no effect in this version. Sorted.
std::span<const std::string_view> keys_without_effect();
std::span<const OldSpelling> old_spellings();

// The known key (of all three lists) with the smallest edit distance to `key`, or an empty view if
// none is near: more than a third of the letters would have to change.
std::string_view nearest_key(std::string_view key);

}  // namespace drydock
