#include "sim/profiles/profile_reader.hpp"

#include "sim/kernel/quantile_table.hpp"
#include "sim/profiles/json_place.hpp"
#include "sim/profiles/quantity.hpp"
#include "sim/profiles/stamped.hpp"

namespace drydock::sim {
namespace {

using Form = ProfileValue::Form;

LatencyPoint read_point(const JsonPlace& place, const KeyRule& rule) {
  allow_with_stamp(place, {"at", "time"});
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
    allow_with_stamp(place, {"base", "per_gib", "at_most"});
    value.form = Form::growing;
    value.low = read_quantity(place.at("base"), rule.unit, rule.low, rule.high);
    value.per_gib = read_quantity(place.at("per_gib"), rule.unit, 0, rule.high);
    value.high = read_quantity(place.at("at_most"), rule.unit, value.low, rule.high);
  } else if (rule.may_range && place.has("from")) {
    allow_with_stamp(place, {"from", "to"});
    value.form = Form::range;
    value.low = read_quantity(place.at("from"), rule.unit, rule.low, rule.high);
    value.high = read_quantity(place.at("to"), rule.unit, value.low, rule.high);
  } else {
    allow_with_stamp(place, {"value"});
    value = read_single(place, rule);
  }
  value.stamp = read_stamp(place);
  return value;
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
  profile.name = read_profile_name(root.at("profile"));
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
