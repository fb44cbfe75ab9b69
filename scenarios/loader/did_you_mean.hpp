// What somebody may have meant by a name that doesn't exist, for the end of a refusal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/types/nearest_name.hpp"

namespace drydock::scenarios {

// "; did you mean 'x'?", or nothing if no name is near.
inline std::string did_you_mean(std::string_view written,
                                const std::vector<std::string_view>& known) {
  NearestName nearest(written);
  for (const std::string_view name : known) nearest.consider(name);
  // Two single letters have nothing in common.
  if (nearest.name().size() <= 1) return "";
  return "; did you mean '" + std::string(nearest.name()) + "'?";
}

using Names = std::vector<std::string_view>;
inline void append(Names& names, const Names& more) {
  names.insert(names.end(), more.begin(), more.end());
}

// Of the names of a dense enumeration that ends with `count_`.
template <class Enum>
std::string did_you_mean(std::string_view written) {
  std::vector<std::string_view> known;
  for (int i = 0; i < static_cast<int>(Enum::count_); ++i) {
    known.push_back(name_of(static_cast<Enum>(i)));
  }
  return did_you_mean(written, known);
}

// Of the names of things of the topology.
template <class Specs>
std::vector<std::string_view> names_of(const Specs& specs) {
  std::vector<std::string_view> names;
  for (const auto& spec : specs) names.push_back(spec.name);
  return names;
}

// Of the keys of a map.
template <class Map>
std::vector<std::string_view> keys_of(const Map& map) {
  std::vector<std::string_view> keys;
  for (const auto& [key, value] : map) keys.push_back(key);
  return keys;
}

}  // namespace drydock::scenarios
