// The version of a broker's topics, and of what it keeps below config/. Pure.
#pragma once

#include <compare>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>

namespace drydock {

class JsonWriter;

// Versions are ordered as RocketMQ compares them: by state version, then counter, then time.
struct DataVersion {
  std::int64_t state_version = 0;  // The master's epoch under a controller, else 0.
  std::int64_t counter = 0;        // Changes since the broker started.
  std::int64_t timestamp_ms = 0;   // Wall time of the last change.
  friend auto operator<=>(const DataVersion&, const DataVersion&) = default;
};

// {"counter":1,"stateVersion":0,"timestamp":1700000000000}: members in the order of their names, as
// RocketMQ writes them.
void write_data_version(JsonWriter& writer, const DataVersion& version);
// Members that are missing are 0.
DataVersion read_data_version(const nlohmann::json& object);

// The same as the member "dataVersion" of an object; none if there is no such member.
void write_data_version_member(JsonWriter& writer, const DataVersion& version);
std::optional<DataVersion> read_data_version_member(const nlohmann::json& object);

}  // namespace drydock
