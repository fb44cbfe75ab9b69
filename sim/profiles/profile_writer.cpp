#include "sim/profiles/profile_writer.hpp"

#include <nlohmann/json.hpp>

#include "sim/profiles/quantity.hpp"

namespace drydock::sim {
namespace {

using Form = ProfileValue::Form;
using Json = nlohmann::ordered_json;

// On one line; objects with blanks after their colons and commas.
std::string line_of(const Json& json) {
  if (!json.is_object()) return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string line;
  for (const auto& [key, value] : json.items()) {
    line += (line.empty() ? "" : ", ") + line_of(key) + ": " + line_of(value);
  }
  return "{" + line + "}";
}

Json quantity(ProfileUnit unit, std::int64_t value) {
  if (unit == ProfileUnit::count) return value;
  if (unit == ProfileUnit::flag) return value != 0;
  return text_of(unit, value);
}

Json json_of(const ProfileValue& value, ProfileUnit unit) {
  Json json = Json::object();
  switch (value.form) {
    case Form::single: json["value"] = quantity(unit, value.low); break;
    case Form::word: json["value"] = value.word; break;
    case Form::range:
      json["from"] = quantity(unit, value.low);
      json["to"] = quantity(unit, value.high);
      break;
    case Form::growing:
      json["base"] = quantity(unit, value.low);
      json["per_gib"] = quantity(unit, value.per_gib);
      json["at_most"] = quantity(unit, value.high);
      break;
    case Form::points: break;
  }
  json[name_of(value.stamp.evidence)] = value.stamp.citation;
  return json;
}

// A line per point.
std::string text_of_points(const std::vector<LatencyPoint>& points) {
  std::string text = "[";
  for (const LatencyPoint& point : points) {
    Json json = Json::object();
    json["at"] = quantity(ProfileUnit::fraction, point.per_million);
    json["time"] = quantity(ProfileUnit::time, point.ns);
    json[name_of(point.stamp.evidence)] = point.stamp.citation;
    text += (&point == &points.front() ? "\n      " : ",\n      ") + line_of(json);
  }
  return text + "\n    ]";
}

}  // namespace

std::string write_profile(const Profile& profile) {
  std::string text = "{\n  \"profile\": " + line_of(profile.name) +
                     ",\n  \"title\": " + line_of(profile.title) + ",\n  \"disk\": {";
  bool first = true;
  for (const KeyRule& rule : key_rules()) {
    const std::optional<ProfileValue>& value = profile[rule.key];
    if (!value) continue;
    text += std::string(first ? "" : ",") + "\n    " + line_of(rule.name) + ": ";
    text += value->form == Form::points ? text_of_points(value->points)
                                        : line_of(json_of(*value, rule.unit));
    first = false;
  }
  return text + "\n  }\n}\n";
}

}  // namespace drydock::sim
