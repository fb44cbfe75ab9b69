// One place in a scenario file: a value, and its path for messages.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "scenarios/drill/drill.hpp"

namespace drydock::scenarios {

// Objects keep the order of the file: the topology has one.
using Json = nlohmann::ordered_json;

// Every refusal names file, place and path: "scenarios/x.json:12:5: /load/rate: ...".
class JsonAt {
 public:
  JsonAt(const Source& source, const Json& value) : source_(source), value_(value) {}

  // "FILE:LINE:COLUMN: PATH".
  std::string place() const { return source_.at(path_); }
  [[noreturn]] void refuse(const std::string& why) const;

  // As an object. Members that are not among `known` are refused, with the nearest known name.
  void allow_only(std::initializer_list<const char*> known) const;
  // Refuses a member that scenarios may have one day, with what is missing for it.
  void refuse_unbuilt(const char* key, const char* why) const;
  bool has(const char* key) const;
  JsonAt at(const char* key) const;  // Refused if it is missing.
  JsonAt at(const std::string& key) const { return at(key.c_str()); }
  std::vector<std::string> keys() const;

  // As an array.
  std::vector<JsonAt> items() const;

  std::string text() const;  // Not empty.
  std::string name() const;  // Letters, digits, - and _: usable in cell ids and paths.
  bool boolean() const;
  std::int64_t count(std::int64_t low, std::int64_t high) const;
  Duration duration() const;
  std::int64_t size() const;
  std::int64_t rate_per_second() const;
  std::int64_t bytes_per_second() const;
  std::int64_t percent() const;  // 0 to 100.
  // A string, number or boolean, as broker.conf spells it.
  std::string scalar() const;
  // Any value, as --set takes it: a string as it is, the rest as JSON.
  std::string any_text() const;

  bool is_text() const { return value_.is_string(); }
  bool is_object() const { return value_.is_object(); }
  std::string dump() const { return value_.dump(); }  // As JSON, on one line.
  bool is_array() const { return value_.is_array(); }

 private:
  JsonAt(const Source& source, const Json& value, std::string path)
      : source_(source), value_(value), path_(std::move(path)) {}
  void demand(bool right, const char* kind) const;

  const Source& source_;
  const Json& value_;
  std::string path_;
};

// Parses JSON with comments. Refuses what is no JSON, and keys that occur twice in an object.
Json parse_json(const Source& source);

}  // namespace drydock::scenarios
