// What a broker's work costs in time of a core, as files say it:
//
//   {
//     "profile": "cpu-drydock",
//     "title": "what it is",
//     "cpu": {
//       "send": {"value": "15 us", "measured": "how"},
//       "send_per_kib": {"value": "1 us", "measured": "how"},
//       "dispatch": {"value": "3 us", "assumed": "why"},
//       "dispatch_per_kib": {"value": "0 ns", "assumed": "why"}
//     }
//   }
//
// A send is all of a request but its dispatch; both cost a part that is the same for every message
// and one by the KiB of its body. Each value has exactly one of measured, source and assumed. The
// project's own are fitted to `tools/bench rocketmq` with bodies of two sizes.
#pragma once

#include <array>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "engine/types/time.hpp"
#include "sim/profiles/profile.hpp"

namespace drydock::sim {

struct CpuCost {
  std::string_view name;  // As files have it.
  Duration time;
  Stamp stamp;
};

struct CpuProfile {
  std::string name;
  std::string title;
  CpuCost send;
  CpuCost send_per_kib;
  CpuCost dispatch;
  CpuCost dispatch_per_kib;

  std::array<const CpuCost*, 4> costs() const {
    return {&send, &send_per_kib, &dispatch, &dispatch_per_kib};
  }
};

// `file` is the name for messages. The error is one line: file, path in the JSON, what is wrong,
// what is expected.
std::expected<CpuProfile, std::string> read_cpu_profile(const std::string& file,
                                                        std::string_view text);

// Those that the program knows by name; null if there is none of that name.
std::vector<std::string> builtin_cpu_profile_names();
const CpuProfile* builtin_cpu_profile(std::string_view name);

}  // namespace drydock::sim
