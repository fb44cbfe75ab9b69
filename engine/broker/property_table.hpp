// Pure: every configuration property of RocketMQ 5.3.3, with its type and its default.
//
// The rows are what MixAll.properties2Object can set in the configuration classes, read by
// reflection (tools/conf_table). What this version does with a property is said in
// configuration_keys.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace drydock {

// The class that has the property. Several may have one of the same name; of their defaults the one
// of the first owner in this order is shown.
enum class PropertyOwner : std::uint8_t {
  netty_server,
  netty_client,
  message_store,
  broker,
  auth,
  broker_startup,  // Read by the start of the broker, without a class.
  name_server,     // From here on: filled from files of their own, never from broker.conf.
  controller,
};

constexpr bool is_of_broker_conf(PropertyOwner owner) { return owner < PropertyOwner::name_server; }

enum class PropertyType : std::uint8_t {
  int32,    // Java's int.
  int64,    // Java's long.
  real,     // Java's double.
  boolean,  // true or false.
  text,
  choice,  // A name out of a Java enumeration.
};

struct ConfigurationProperty {
  std::string_view name;
  PropertyOwner owner;
  PropertyType type;
  // As RocketMQ prints it; empty if there is none. "derived: …" if it depends on the machine or on
  // another property.
  std::string_view default_text;
  std::string_view choices;  // "A|B" for a choice, else empty.
};

// All of them, sorted by name, then by owner.
std::span<const ConfigurationProperty> property_table();

// The rows with exactly this name, at most a few; none if RocketMQ has no such property.
std::span<const ConfigurationProperty> find_properties(std::string_view name);

}  // namespace drydock
