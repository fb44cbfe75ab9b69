// The recorded decisions of a kernel's dirty throttling: throttle_trace_*.csv.
#pragma once

#include <string>
#include <vector>

#include "sim/pagecache/throttle_law.hpp"
#include "tools/fidelity/calibration_data.hpp"

namespace drydock::fidelity {

// What a decision was made of and what it was. Rates in pages per second, times in jiffies.
struct RecordedDecision {
  sim::DirtyState state;
  // Of the device: by the estimate before it, and as it was in effect. (An estimate's record holds
  // the average before its own step, so what is in effect is in the next one.)
  std::int64_t bandwidth_before = 0;
  std::int64_t bandwidth = 0;
  std::int64_t base_rate = 0;
  std::int64_t task_rate = 0;
  std::int64_t dirtied = 0;
  std::int64_t dirtied_pause = 0;
  sim::Jiffies slept = 0;
  sim::Jiffies pause = 0;
  sim::Jiffies period = 0;
  sim::Jiffies think = 0;
};

struct ThrottleTrace {
  std::string run;  // "lim32_64"
  bool strict = false;
  std::vector<RecordedDecision> decisions;
};

// HZ of the recorded kernel.
inline constexpr std::int64_t kTraceHz = 250;

// All 16 runs. Throws scenarios::InputError.
std::vector<ThrottleTrace> throttle_traces(const CalibrationData& data);

}  // namespace drydock::fidelity
