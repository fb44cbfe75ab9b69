// One place in a JSON file: a value, and its path for refusals. What profile files and fio's
// results are read with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace drydock::sim {

using OrderedJson = nlohmann::ordered_json;

// Never leaves this folder: readers catch it and return its text.
class JsonRefusal : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class JsonPlace {
 public:
  JsonPlace(std::string_view file, const OrderedJson& value) : file_(file), value_(&value) {}

  // Throws JsonRefusal: "FILE: PATH: WHY".
  [[noreturn]] void refuse(const std::string& why) const;

  bool has(std::string_view key) const;
  JsonPlace at(std::string_view key) const;  // Refused if it is missing.
  std::vector<JsonPlace> items() const;      // Of an array.
  std::vector<std::string> keys() const;     // Of an object.
  // As an object whose members are all among `known`: others are refused, with the nearest one.
  void allow_only(const std::vector<std::string_view>& known) const;

  std::string text() const;  // Not empty, one line.
  bool boolean() const;
  std::int64_t integer(std::int64_t low, std::int64_t high) const;
  double number(double low, double high) const;

  const OrderedJson& json() const { return *value_; }

 private:
  JsonPlace(std::string_view file, const OrderedJson& value, std::string path)
      : file_(file), value_(&value), path_(std::move(path)) {}

  std::string_view file_;  // Of who reads it.
  const OrderedJson* value_;
  std::string path_;
};

// What stands in `text` from `begin` on. Throws JsonRefusal if it is no JSON (comments are allowed;
// it says the line and column), or a key occurs twice in an object.
OrderedJson parse_json_file(std::string_view file, std::string_view text, std::size_t begin = 0);

}  // namespace drydock::sim
