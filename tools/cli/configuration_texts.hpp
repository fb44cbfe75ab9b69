// What the keys of broker.conf mean, for people.
#pragma once

#include <string_view>

#include "engine/broker/property_table.hpp"

namespace drydock::cli {

// Of a key that is honoured. ENSUREs that there is a text.
std::string_view meaning_of(std::string_view honoured);

// Of a key that is accepted and has no effect: which part of RocketMQ it belongs to that is not
// here.
std::string_view why_without_effect(const ConfigurationProperty& property);

}  // namespace drydock::cli
