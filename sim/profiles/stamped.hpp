// What files of profiles have in common: quantities that say how they are known.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/profiles/json_place.hpp"
#include "sim/profiles/profile.hpp"

namespace drydock::sim {

// How a value is known: it has exactly one of measured, source and assumed. All of these throw
// JsonRefusal.
Stamp read_stamp(const JsonPlace& place);

// As JsonPlace::allow_only, with those three among the known.
void allow_with_stamp(const JsonPlace& place, std::vector<std::string_view> known);

// A quantity of this unit from `low` to `high`.
std::int64_t read_quantity(const JsonPlace& place, ProfileUnit unit, std::int64_t low,
                           std::int64_t high);

// Of letters, digits, - and _.
std::string read_profile_name(const JsonPlace& place);

}  // namespace drydock::sim
