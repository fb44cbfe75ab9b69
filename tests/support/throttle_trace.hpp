// The recorded decisions and estimates of a real kernel's dirty throttling, one file per
// experiment.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "engine/types/ensure.hpp"

namespace drydock::test {

// A row of throttle_trace_*.csv. Rates in pages per second, pauses in jiffies of 4 ms (HZ = 250).
// Fields that the row does not have are 0.
struct TraceRow {
  bool is_decision = false;
  int task = 0;
  std::int64_t limit = 0, set_point = 0, dirty = 0;
  std::int64_t device_set_point = 0, device_dirty = 0;
  std::int64_t base_rate = 0, task_rate = 0;
  std::int64_t dirtied = 0, dirtied_pause = 0;
  std::int64_t slept = 0, pause = 0, period = 0, think = 0;
  std::int64_t average_bandwidth = 0, dirty_rate = 0;
};

inline std::int64_t trace_number(const std::string& text) {
  std::int64_t value = 0;
  if (text.empty()) return value;
  const auto end = text.data() + text.size();
  const auto [parsed_to, error] = std::from_chars(text.data(), end, value);
  ENSURE(error == std::errc());
  ENSURE(parsed_to == end);
  return value;
}

inline std::vector<TraceRow> read_throttle_trace(const std::filesystem::path& path) {
  constexpr std::int64_t kPageKiB = 4;
  constexpr std::int64_t kJiffyMs = 4;
  std::ifstream file(path);
  ENSURE(file.good());
  std::string line;
  std::getline(file, line);  // Names of the columns.
  std::vector<TraceRow> rows;
  while (std::getline(file, line)) {
    if (line.ends_with('\r')) line.pop_back();
    std::vector<std::string> fields{""};
    for (const char c : line) {
      if (c == ',') {
        fields.emplace_back();
      } else {
        fields.back() += c;
      }
    }
    ENSURE(fields.size() == 19);
    const bool is_decision = fields[0] == "decision";
    std::array<std::int64_t, 19> value{};
    for (std::size_t i = 2; i < fields.size(); ++i) value[i] = trace_number(fields[i]);
    rows.push_back({.is_decision = is_decision,
                    .task = static_cast<int>(value[2]),
                    .limit = value[3],
                    .set_point = value[4],
                    .dirty = value[5],
                    .device_set_point = value[6],
                    .device_dirty = value[7],
                    .base_rate = value[8] / kPageKiB,
                    .task_rate = value[9] / kPageKiB,
                    .dirtied = value[10],
                    .dirtied_pause = value[11],
                    .slept = value[12] / kJiffyMs,
                    .pause = value[13] / kJiffyMs,
                    .period = value[14] / kJiffyMs,
                    .think = value[15] / kJiffyMs,
                    .average_bandwidth = value[17] / kPageKiB,
                    .dirty_rate = value[18] / kPageKiB});
  }
  return rows;
}

}  // namespace drydock::test
