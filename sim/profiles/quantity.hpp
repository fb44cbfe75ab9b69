// Integers with units, as profiles write them: "80 us", "3200 MB/s", "0.15%". Scenarios have
// units of their own (scenarios/drill/units.hpp), which code of the simulation can't include;
// profiles also need ratios, and fractions with decimals.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "sim/profiles/profile.hpp"

namespace drydock::sim {

// The integer that a text means in this unit: of the units in ProfileUnit all but latency, flag and
// word. Otherwise what is wrong with it ("has no unit", "is negative"), to be put after the text.
std::expected<std::int64_t, std::string_view> parse_quantity(ProfileUnit unit,
                                                             std::string_view text);

// The shortest text that means `value`: parse_quantity reads it as that.
std::string text_of(ProfileUnit unit, std::int64_t value);

// What to write: "an integer and one of ns us ms s, as 80 us".
std::string_view form_of(ProfileUnit unit);

}  // namespace drydock::sim
