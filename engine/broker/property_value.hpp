// Pure: is a text a value of a property's type, as the Java classes read it?
//
// RocketMQ swallows what its parsers throw: a number or a name that can't be parsed leaves the
// default in place, and a boolean is true for "true" in any case of letters and false for anything
// else (MixAll.properties2Object). Here such a line is an error, since its author wants something
// else than what would happen.
#pragma once

#include <string>
#include <string_view>

#include "engine/broker/property_table.hpp"

namespace drydock {

// Blanks at the end count as in Java: a text is trimmed, a number or boolean is not.
bool is_value_of(const ConfigurationProperty& property, std::string_view value);

// Which values a property's type takes, for messages: "a whole number from …".
std::string allowed_values(const ConfigurationProperty& property);

// What RocketMQ makes of a value that is not allowed, for messages.
std::string_view effect_of_bad_value(const ConfigurationProperty& property);

// Without characters up to the blank at both ends, as Java's String.trim.
std::string_view trimmed(std::string_view value);

// The same letters, capital or not. ASCII only.
bool equal_ignoring_case(std::string_view a, std::string_view b);

}  // namespace drydock
