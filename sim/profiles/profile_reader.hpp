// From the text of a profile to a profile. JSON with comments:
//
//   {
//     "profile": "my-disk",
//     "title": "What it is",
//     "disk": {
//       "read_latency": [
//         {"at": "50%", "time": "80 us", "measured": "fio, 54,000 reads"},
//         {"at": "99%", "time": "150 us", "measured": "fio, 54,000 reads"}
//       ],
//       "read_servers": {"value": 64, "assumed": "as many as the queue is deep"},
//       "max_read_iops": {"base": "1800/s", "per_gib": "50/s", "at_most": "50000/s",
//                         "source": "the vendor's page"},
//       "gc_pause": {"from": "2 ms", "to": "8 ms", "assumed": "no data"}
//     }
//   }
//
// Which keys there are: profile_keys. Each value has exactly one of measured, source and assumed.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "sim/profiles/profile.hpp"

namespace drydock::sim {

// `file` is the name for messages. The error is one line: file, path in the JSON, what is wrong,
// what is expected.
std::expected<Profile, std::string> read_profile(const std::string& file, std::string_view text);

}  // namespace drydock::sim
