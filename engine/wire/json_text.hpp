// JSON as RocketMQ reads and writes it: fastjson's dialect, in which the integer keys of a map have
// no quotes ({0:"10.0.0.2:10911"}). Pure. Strict readers fail on such keys; this one takes both.
//
// What is read came from somebody else: its size, its depth and the number of its values are
// limited, so that reading takes memory in proportion to the limits and never more.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace drydock {

struct JsonLimits {
  std::size_t bytes = 16 * 1024 * 1024;  // A frame holds no more.
  std::size_t values = 1'000'000;        // Members and elements, over all depths.
  std::size_t depth = 32;
};

// The value of `text`; none if it is no JSON or exceeds a limit. Of equal keys the last one counts.
std::optional<nlohmann::json> read_json(std::string_view text, const JsonLimits& limits = {});
// The same, with the members of objects in the order in which they stand. Takes time with the
// square of their number.
std::optional<nlohmann::ordered_json> read_ordered_json(std::string_view text,
                                                        const JsonLimits& limits);

// Members of an object. Missing, null, of another kind, or not in an object at all: the fallback.
// Numbers and truth values may be written as text, as fastjson takes them.
std::string text_member(const nlohmann::json& object, const char* name);
std::int64_t integer_member(const nlohmann::json& object, const char* name, std::int64_t fallback);
bool bool_member(const nlohmann::json& object, const char* name, bool fallback);
// A member that is an object or an array; nullptr if there is none.
const nlohmann::json* object_member(const nlohmann::json& object, const char* name);
const nlohmann::json* array_member(const nlohmann::json& object, const char* name);

// How integer keys are written: as fastjson does by default, or as standard JSON demands.
enum class JsonKeys : std::uint8_t { integers_bare, all_quoted };

// Compact JSON with a member or element per line, indented with tabs, for files that people read.
std::string indented(std::string_view json);

// Writes JSON from the front, compact. Callers open, name and close in the right order; members are
// written in the order of the calls.
class JsonWriter {
 public:
  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  // The name of the next member.
  JsonWriter& key(std::string_view name);
  JsonWriter& key(std::int64_t number, JsonKeys keys);
  // Bytes that are no UTF-8 become U+FFFD.
  JsonWriter& text(std::string_view value);
  JsonWriter& number(std::int64_t value);
  JsonWriter& boolean(bool value) { return raw(value ? "true" : "false"); }
  // A value that is JSON already.
  JsonWriter& raw(std::string_view json);

  const std::string& view() const { return out_; }
  std::string take() { return std::move(out_); }

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  void separate() {
    if (comma_) out_ += ',';
    comma_ = true;
  }
  std::string out_;
  bool comma_ = false;  // Something stands in front at this depth.
};

}  // namespace drydock
