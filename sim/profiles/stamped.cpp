#include "sim/profiles/stamped.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "sim/profiles/quantity.hpp"

namespace drydock::sim {
namespace {

constexpr std::array kEvidence{Evidence::measured, Evidence::source, Evidence::assumed};

}  // namespace

Stamp read_stamp(const JsonPlace& place) {
  std::optional<Stamp> stamp;
  for (const Evidence evidence : kEvidence) {
    if (!place.has(name_of(evidence))) continue;
    if (stamp) place.refuse("has two of measured, source, assumed; one says how it is known");
    stamp = Stamp{evidence, place.at(name_of(evidence)).text()};
  }
  if (!stamp) place.refuse("says not how it is known: one of measured, source, assumed is missing");
  return *stamp;
}

void allow_with_stamp(const JsonPlace& place, std::vector<std::string_view> known) {
  for (const Evidence evidence : kEvidence) known.push_back(name_of(evidence));
  place.allow_only(known);
}

std::int64_t read_quantity(const JsonPlace& place, ProfileUnit unit, std::int64_t low,
                           std::int64_t high) {
  if (unit == ProfileUnit::count) return place.integer(low, high);
  if (unit == ProfileUnit::flag) return place.boolean() ? 1 : 0;
  const std::string form = "write " + std::string(form_of(unit));
  if (place.json().is_number()) place.refuse(place.json().dump() + " has no unit; " + form);
  const std::string text = place.text();
  const auto value = parse_quantity(unit, text);
  if (!value) place.refuse("'" + text + "' " + std::string(value.error()) + "; " + form);
  if (*value < low || *value > high) {
    place.refuse("'" + text + "' is outside " + text_of(unit, low) + " to " + text_of(unit, high));
  }
  return *value;
}

std::string read_profile_name(const JsonPlace& place) {
  const std::string name = place.text();
  const bool plain = std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  });
  if (!plain) place.refuse("must be a name of letters, digits, - and _");
  return name;
}

}  // namespace drydock::sim
