#include "scenarios/loader/json_at.hpp"

#include <algorithm>
#include <set>

#include "engine/types/nearest_name.hpp"
#include "scenarios/drill/json_position.hpp"
#include "scenarios/drill/units.hpp"

namespace drydock::scenarios {

void JsonAt::refuse(const std::string& why) const { throw InputError(place() + ": " + why); }

void JsonAt::demand(bool right, const char* kind) const {
  if (!right) refuse(std::string("must be ") + kind);
}

void JsonAt::allow_only(std::initializer_list<const char*> known) const {
  demand(value_.is_object(), "an object");
  for (const auto& [key, value] : value_.items()) {
    const bool found = std::any_of(known.begin(), known.end(),
                                   [&key = key](const char* name) { return key == name; });
    if (found) continue;
    NearestName nearest(key);
    std::string names;
    for (const char* name : known) {
      nearest.consider(name);
      names += (names.empty() ? "" : ", ") + std::string(name);
    }
    std::string why = "not supported; ";
    if (!nearest.name().empty()) why += "did you mean '" + std::string(nearest.name()) + "'? ";
    JsonAt(source_, value, path_ + "/" + key).refuse(why + "known here: " + names);
  }
}

void JsonAt::refuse_unbuilt(const char* key, const char* why) const {
  if (value_.is_object() && has(key)) at(key).refuse(why);
}

bool JsonAt::has(const char* key) const { return value_.contains(key); }

JsonAt JsonAt::at(const char* key) const {
  demand(value_.is_object(), "an object");
  const auto found = value_.find(key);
  if (found == value_.end()) refuse("'" + std::string(key) + "' is missing");
  return JsonAt(source_, *found, path_ + "/" + key);
}

std::vector<std::string> JsonAt::keys() const {
  demand(value_.is_object(), "an object");
  std::vector<std::string> keys;
  for (const auto& [key, value] : value_.items()) keys.push_back(key);
  return keys;
}

std::vector<JsonAt> JsonAt::items() const {
  demand(value_.is_array(), "an array");
  std::vector<JsonAt> items;
  for (std::size_t i = 0; i < value_.size(); ++i) {
    items.push_back(JsonAt(source_, value_[i], path_ + "/" + std::to_string(i)));
  }
  return items;
}

std::string JsonAt::text() const {
  demand(value_.is_string() && !value_.get_ref<const std::string&>().empty(), "a text");
  return value_.get<std::string>();
}

std::string JsonAt::name() const {
  const std::string name = text();
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  });
  demand(plain, "a name of letters, digits, - and _");
  return name;
}

bool JsonAt::boolean() const {
  demand(value_.is_boolean(), "true or false");
  return value_.get<bool>();
}

std::int64_t JsonAt::count(std::int64_t low, std::int64_t high) const {
  const bool fits = value_.is_number_integer() &&
                    (!value_.is_number_unsigned() ||
                     value_.get<std::uint64_t>() <= static_cast<std::uint64_t>(high)) &&
                    value_.get<std::int64_t>() >= low && value_.get<std::int64_t>() <= high;
  if (!fits) {
    refuse("must be an integer from " + std::to_string(low) + " to " + std::to_string(high));
  }
  return value_.get<std::int64_t>();
}

Duration JsonAt::duration() const {
  const auto duration =
      value_.is_string() ? parse_duration(value_.get<std::string>()) : std::nullopt;
  if (!duration) refuse("must be a duration: " + std::string(kDurationForm));
  if (*duration > kDurationMax) refuse("must be at most " + text_of(kDurationMax));
  return *duration;
}

std::int64_t JsonAt::size() const {
  const auto size = value_.is_string() ? parse_size(value_.get<std::string>()) : std::nullopt;
  if (!size) refuse("must be a size: " + std::string(kSizeForm));
  if (*size > kSizeMax) refuse("must be at most " + std::string(kSizeMaxText));
  return *size;
}

std::int64_t JsonAt::rate_per_second() const {
  const auto rate =
      value_.is_string() ? parse_rate_per_second(value_.get<std::string>()) : std::nullopt;
  if (!rate || *rate == 0) refuse("must be a rate: " + std::string(kRateForm));
  if (*rate > kRateMax) refuse("must be at most " + std::to_string(kRateMax) + "/s");
  return *rate;
}

std::int64_t JsonAt::bytes_per_second() const {
  const auto rate =
      value_.is_string() ? parse_bytes_per_second(value_.get<std::string>()) : std::nullopt;
  if (!rate || *rate == 0) refuse("must be a rate: " + std::string(kByteRateForm));
  if (*rate > kSizeMax) refuse("must be at most " + std::string(kSizeMaxText) + "/s");
  return *rate;
}

std::int64_t JsonAt::percent() const {
  const auto percent = value_.is_string() ? parse_percent(value_.get<std::string>()) : std::nullopt;
  if (!percent) refuse("must be a fraction: " + std::string(kPercentForm));
  return *percent;
}

std::string JsonAt::scalar() const {
  demand(value_.is_string() || value_.is_number_integer() || value_.is_boolean(),
         "a text, an integer, true or false");
  return value_.is_string() ? value_.get<std::string>() : value_.dump();
}

std::string JsonAt::any_text() const {
  return value_.is_string() ? value_.get<std::string>() : value_.dump();
}

namespace {

// Where a parser stops: its exceptions don't always say. Counts bytes from 1; 0: it didn't.
class FirstError : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    at = position;
    return false;
  }
  std::size_t at = 0;
};

std::string place_of_error(const Source& source) {
  FirstError first;
  Json::sax_parse(source.text, &first, Json::input_format_t::json, true, true);
  const TextPosition position = position_at(source.text, first.at == 0 ? 0 : first.at - 1);
  return source.file + ":" + std::to_string(position.line) + ":" + std::to_string(position.column);
}

// "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error ...", without
// what says where.
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

Json parse_json(const Source& source) {
  struct Object {
    std::set<std::string> keys;
    std::string last;
  };
  std::vector<Object> open;
  std::string twice;  // The path of such a key.
  const auto watch = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key) {
      open.back().last = parsed.get<std::string>();
      const bool fresh = open.back().keys.insert(open.back().last).second;
      if (fresh || !twice.empty()) return true;
      for (const Object& object : open) twice += "/" + object.last;
    }
    return true;
  };
  try {
    Json json = Json::parse(source.text, watch, true, true);
    if (!twice.empty()) throw InputError(source.at(twice) + ": occurs twice in one object");
    return json;
  } catch (const nlohmann::json::exception& error) {
    throw InputError(place_of_error(source) + ": no JSON: " + reason_of(error));
  }
}

}  // namespace drydock::scenarios
