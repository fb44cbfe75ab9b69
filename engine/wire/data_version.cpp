#include "engine/wire/data_version.hpp"

#include <nlohmann/json.hpp>

#include "engine/wire/json_text.hpp"

namespace drydock {

namespace {

constexpr const char* kMember = "dataVersion";

}  // namespace

void write_data_version(JsonWriter& writer, const DataVersion& version) {
  writer.begin_object();
  writer.key("counter").number(version.counter);
  writer.key("stateVersion").number(version.state_version);
  writer.key("timestamp").number(version.timestamp_ms);
  writer.end_object();
}

DataVersion read_data_version(const nlohmann::json& object) {
  return {.state_version = integer_member(object, "stateVersion", 0),
          .counter = integer_member(object, "counter", 0),
          .timestamp_ms = integer_member(object, "timestamp", 0)};
}

void write_data_version_member(JsonWriter& writer, const DataVersion& version) {
  writer.key(kMember);
  write_data_version(writer, version);
}

std::optional<DataVersion> read_data_version_member(const nlohmann::json& object) {
  const nlohmann::json* const version = object_member(object, kMember);
  if (version == nullptr) return std::nullopt;
  return read_data_version(*version);
}

}  // namespace drydock
