#include "sim/profiles/profile_reader.hpp"

#include <algorithm>

#include "sim/kernel/quantile_table.hpp"
#include "sim/profiles/json_place.hpp"
#include "sim/profiles/quantity.hpp"

namespace drydock::sim {
namespace {

using Form = ProfileValue::Form;

constexpr std::array kEvidence{Evidence::measured, Evidence::source, Evidence::assumed};

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

void allow_only(const JsonPlace& place, std::vector<std::string_view> known) {
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

LatencyPoint read_point(const JsonPlace& place, const KeyRule& rule) {
  allow_only(place, {"at", "time"});
  LatencyPoint point;
  point.per_million =
      read_quantity(place.at("at"), ProfileUnit::fraction, 0, QuantileTable::kMillion);
  point.ns = read_quantity(place.at("time"), ProfileUnit::time, rule.low, rule.high);
  point.stamp = read_stamp(place);
  return point;
}

// A table: quantiles rise, times do not fall.
ProfileValue read_points(const JsonPlace& place, const KeyRule& rule) {
  ProfileValue value;
  value.form = Form::points;
  for (const JsonPlace& item : place.items()) {
    LatencyPoint point = read_point(item, rule);
    if (!value.points.empty()) {
      const LatencyPoint& last = value.points.back();
      if (point.per_million <= last.per_million) {
        item.at("at").refuse("quantiles are out of order: must be more than " +
                             text_of(ProfileUnit::fraction, last.per_million));
      }
      if (point.ns < last.ns) {
        item.at("time").refuse("is less than at a lower quantile: must be at least " +
                               text_of(ProfileUnit::time, last.ns));
      }
    }
    value.points.push_back(std::move(point));
  }
  if (value.points.empty()) place.refuse("must have a point");
  return value;
}

// One of the rule's words; nothing if the place is no text among them.
std::string_view find_word(const JsonPlace& place, const KeyRule& rule) {
  if (!place.json().is_string()) return {};
  for (const std::string_view word : rule.words) {
    if (!word.empty() && place.text() == word) return word;
  }
  return {};
}

std::string words_of(const KeyRule& rule) {
  std::string words;
  for (const std::string_view word : rule.words) {
    if (!word.empty()) words += (words.empty() ? "" : ", ") + std::string(word);
  }
  return words;
}

ProfileValue read_single(const JsonPlace& place, const KeyRule& rule) {
  ProfileValue value;
  const JsonPlace single = place.at("value");
  value.word = find_word(single, rule);
  if (!value.word.empty()) {
    value.form = Form::word;
  } else if (rule.unit == ProfileUnit::word) {
    single.refuse("must be one of " + words_of(rule));
  } else {
    value.low = read_quantity(single, rule.unit, rule.low, rule.high);
  }
  return value;
}

ProfileValue read_value(const JsonPlace& place, const KeyRule& rule) {
  if (rule.unit == ProfileUnit::latency) return read_points(place, rule);
  ProfileValue value;
  if (rule.may_grow && place.has("base")) {
    allow_only(place, {"base", "per_gib", "at_most"});
    value.form = Form::growing;
    value.low = read_quantity(place.at("base"), rule.unit, rule.low, rule.high);
    value.per_gib = read_quantity(place.at("per_gib"), rule.unit, 0, rule.high);
    value.high = read_quantity(place.at("at_most"), rule.unit, value.low, rule.high);
  } else if (rule.may_range && place.has("from")) {
    allow_only(place, {"from", "to"});
    value.form = Form::range;
    value.low = read_quantity(place.at("from"), rule.unit, rule.low, rule.high);
    value.high = read_quantity(place.at("to"), rule.unit, value.low, rule.high);
  } else {
    allow_only(place, {"value"});
    value = read_single(place, rule);
  }
  value.stamp = read_stamp(place);
  return value;
}

std::string read_name(const JsonPlace& place) {
  const std::string name = place.text();
  const bool plain = std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  });
  if (!plain) place.refuse("must be a name of letters, digits, - and _");
  return name;
}

// What the model of a disk relies on beyond the range of each value.
void check_together(const JsonPlace& disk, const Profile& profile) {
  for (const ProfileKey key : {ProfileKey::logical_block, ProfileKey::atomic_write}) {
    const std::int64_t bytes = profile.get(key).low;
    if (bytes != 512 && bytes != 4'096) {
      disk.at(rule_of(key).name).at("value").refuse("must be 512 B or 4 KiB");
    }
  }
  if (profile.get(ProfileKey::atomic_write).low < profile.get(ProfileKey::logical_block).low) {
    disk.at("atomic_write").at("value").refuse("is less than a logical block");
  }
  if (profile[ProfileKey::gc_pause].has_value() != profile[ProfileKey::gc_period].has_value()) {
    disk.refuse("must have both of gc_pause and gc_period, or neither");
  }
  for (const ProfileKey key : {ProfileKey::quota_slice, ProfileKey::quota_burst}) {
    if (!profile[key] || profile.get(ProfileKey::shared_limits).low != 0) continue;
    disk.at(rule_of(key).name)
        .refuse("is of a quota that reads and writes share: shared_limits must be true");
  }
  if (profile[ProfileKey::quota_burst] && !profile[ProfileKey::quota_slice]) {
    disk.at("quota_burst").refuse("is what quota_slice adds up to, which is missing");
  }
  if (const auto& pause = profile[ProfileKey::gc_pause]) {
    if (pause->high >= profile.get(ProfileKey::gc_period).low) {
      disk.at("gc_pause").refuse("must be less than gc_period");
    }
  }
}

Profile read(const JsonPlace& root) {
  root.allow_only({"profile", "title", "disk"});
  Profile profile;
  profile.name = read_name(root.at("profile"));
  profile.title = root.at("title").text();
  const JsonPlace disk = root.at("disk");
  std::vector<std::string_view> names;
  for (const KeyRule& rule : key_rules()) names.push_back(rule.name);
  disk.allow_only(names);
  for (const KeyRule& rule : key_rules()) {
    if (rule.required || disk.has(rule.name)) {
      profile[rule.key] = read_value(disk.at(rule.name), rule);
    }
  }
  check_together(disk, profile);
  return profile;
}

}  // namespace

std::expected<Profile, std::string> read_profile(const std::string& file, std::string_view text) {
  try {
    const OrderedJson json = parse_json_file(file, text);
    return read(JsonPlace(file, json));
  } catch (const JsonRefusal& refusal) {
    return std::unexpected(std::string(refusal.what()));
  }
}

}  // namespace drydock::sim
