// What this version does with the keys of broker.conf that RocketMQ 5.3.3 knows (property_table).
// To honour one more key, add it to the list of honoured keys, and take it out of the refused ones.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "engine/broker/configuration.hpp"
#include "engine/broker/property_table.hpp"

namespace drydock {

enum class KeyState : std::uint8_t {
  honoured,                 // Its value has the effect that it has in RocketMQ.
  accepted_without_effect,  // RocketMQ knows it; here nothing reads it.
  refused,                  // Only one value runs here.
  unknown,                  // RocketMQ doesn't read it from broker.conf.
};

// A key whose value has an effect here.
struct HonouredKey {
  std::string_view name;
  std::string_view allowed;  // Which values it takes, for messages.
  // Stores the value; false if it is not allowed.
  bool (*set)(BrokerConfiguration& configuration, std::string_view value);
};

// A key that would change what an answer is worth, and that this version can't follow.
struct RefusedKey {
  std::string_view name;
  std::string_view runs;  // The only value that runs: RocketMQ's default.
  std::string_view why;   // What another value would mean.
};

// A spelling that older versions read and RocketMQ 5.3.3 ignores in silence.
struct OldSpelling {
  std::string_view old_name;
  std::string_view name;
  std::string_view default_value;
};

// Sorted by name.
std::span<const HonouredKey> honoured_keys();
std::span<const RefusedKey> refused_keys();
std::span<const OldSpelling> old_spellings();

// nullptr if the name is not in the list.
const HonouredKey* find_honoured(std::string_view name);
const RefusedKey* find_refused(std::string_view name);
const OldSpelling* find_old_spelling(std::string_view name);

KeyState state_of(std::string_view name);

// The property that broker.conf can set with the smallest edit distance to `key`, or an empty view
// if none is near: more than a quarter of the letters would have to change.
std::string_view nearest_key(std::string_view key);

}  // namespace drydock
