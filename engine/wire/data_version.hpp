// The version of a broker's topics. Pure.
#pragma once

#include <compare>
#include <cstdint>

namespace drydock {

// Versions are ordered as RocketMQ compares them: by state version, then counter, then time.
struct DataVersion {
  std::int64_t state_version = 0;  // The master's epoch under a controller, else 0.
  std::int64_t counter = 0;        // Changes since the broker started.
  std::int64_t timestamp_ms = 0;   // Wall time of the last change.
  friend auto operator<=>(const DataVersion&, const DataVersion&) = default;
};

}  // namespace drydock
