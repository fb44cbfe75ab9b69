#include "sim/profiles/json_place.hpp"

#include <algorithm>
#include <set>

#include "engine/types/nearest_name.hpp"

namespace drydock::sim {
namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

// Keys and names of files may hold anything; a refusal is one line.
std::string one_line(std::string text) {
  std::ranges::replace_if(text, is_control, '?');
  return text;
}

}  // namespace

void JsonPlace::refuse(const std::string& why) const {
  throw JsonRefusal(
      one_line(std::string(file_) + ": " + (path_.empty() ? "" : path_ + ": ") + why));
}

bool JsonPlace::has(std::string_view key) const {
  return value_->is_object() && value_->contains(key);
}

JsonPlace JsonPlace::at(std::string_view key) const {
  if (!value_->is_object()) refuse("must be an object");
  const auto found = value_->find(key);
  if (found == value_->end()) refuse("'" + std::string(key) + "' is missing");
  return JsonPlace(file_, *found, path_ + "/" + std::string(key));
}

std::vector<JsonPlace> JsonPlace::items() const {
  if (!value_->is_array()) refuse("must be an array");
  std::vector<JsonPlace> places;
  for (std::size_t i = 0; i < value_->size(); ++i) {
    places.push_back(JsonPlace(file_, (*value_)[i], path_ + "/" + std::to_string(i)));
  }
  return places;
}

std::vector<std::string> JsonPlace::keys() const {
  if (!value_->is_object()) refuse("must be an object");
  std::vector<std::string> keys;
  for (const auto& [key, value] : value_->items()) keys.push_back(key);
  return keys;
}

void JsonPlace::allow_only(const std::vector<std::string_view>& known) const {
  for (const std::string& key : keys()) {
    if (std::ranges::find(known, std::string_view(key)) != known.end()) continue;
    NearestName nearest(key);
    std::string names;
    for (const std::string_view name : known) {
      nearest.consider(name);
      names += (names.empty() ? "" : ", ") + std::string(name);
    }
    std::string why = "is not known; ";
    if (!nearest.name().empty()) why += "did you mean '" + std::string(nearest.name()) + "'? ";
    at(key).refuse(why + "known here: " + names);
  }
}

std::string JsonPlace::text() const {
  if (!value_->is_string()) refuse("must be a text");
  std::string text = value_->get<std::string>();
  if (text.empty() || std::ranges::any_of(text, is_control)) refuse("must be a text of one line");
  return text;
}

bool JsonPlace::boolean() const {
  if (!value_->is_boolean()) refuse("must be true or false");
  return value_->get<bool>();
}

std::int64_t JsonPlace::integer(std::int64_t low, std::int64_t high) const {
  const bool fits = value_->is_number_integer() &&
                    (!value_->is_number_unsigned() ||
                     value_->get<std::uint64_t>() <= static_cast<std::uint64_t>(high)) &&
                    value_->get<std::int64_t>() >= low && value_->get<std::int64_t>() <= high;
  if (!fits) {
    refuse("must be an integer from " + std::to_string(low) + " to " + std::to_string(high));
  }
  return value_->get<std::int64_t>();
}

double JsonPlace::number(double low, double high) const {
  const double value = value_->is_number() ? value_->get<double>() : low - 1;
  if (!(value >= low && value <= high)) {
    refuse("must be a number from " + nlohmann::json(low).dump() + " to " +
           nlohmann::json(high).dump());
  }
  return value;
}

namespace {

// "FILE:LINE:COLUMN" of a byte, which the parser counts from 1; 0: it doesn't know.
std::string place_of(std::string_view file, std::string_view text, std::size_t byte) {
  if (byte == 0) return std::string(file);
  const std::string_view before = text.substr(0, std::min(byte - 1, text.size()));
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::size_t column = before.size() - (before.rfind('\n') + 1) + 1;
  return std::string(file) + ":" + std::to_string(line) + ":" + std::to_string(column);
}

// "[json.exception.parse_error.101] parse error at line 1, column 2: ...", without what says where.
std::string reason_of(const nlohmann::json::exception& error) {
  std::string_view what = error.what();
  if (const std::size_t bracket = what.find("] "); bracket != what.npos) {
    what.remove_prefix(bracket + 2);
  }
  const std::size_t colon = what.find(": ");
  if (what.starts_with("parse error at ") && colon != what.npos) what.remove_prefix(colon + 2);
  return std::string(what);
}

}  // namespace

OrderedJson parse_json_file(std::string_view file, std::string_view text, std::size_t begin) {
  std::vector<std::set<std::string>> open;  // The keys so far of each object that is open.
  std::string twice;
  const auto watch = [&](int, OrderedJson::parse_event_t event, OrderedJson& parsed) {
    if (event == OrderedJson::parse_event_t::object_start) open.emplace_back();
    if (event == OrderedJson::parse_event_t::object_end) open.pop_back();
    if (event == OrderedJson::parse_event_t::key) {
      const std::string key = parsed.get<std::string>();
      if (!open.back().insert(key).second && twice.empty()) twice = key;
    }
    return true;
  };
  try {
    OrderedJson json = OrderedJson::parse(text.substr(begin), watch, true, true);
    if (twice.empty()) return json;
  } catch (const nlohmann::json::parse_error& error) {
    const std::size_t byte = error.byte == 0 ? 0 : begin + error.byte;
    throw JsonRefusal(one_line(place_of(file, text, byte) + ": no JSON: " + reason_of(error)));
  } catch (const nlohmann::json::exception& error) {
    throw JsonRefusal(one_line(std::string(file) + ": no JSON: " + reason_of(error)));
  }
  throw JsonRefusal(one_line(std::string(file) + ": '" + twice + "' occurs twice in one object"));
}

}  // namespace drydock::sim
