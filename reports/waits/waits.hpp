// reports/waits says in words and figures where threads were stuck inside the kernel. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "reports/record/run_result.hpp"

namespace drydock::reports {

// The waits at one place of all that have a disk.
struct PlaceWaits {
  std::int64_t count = 0;
  std::int64_t total_ns = 0;
  std::int64_t longest_ns = 0;

  friend bool operator==(const PlaceWaits&, const PlaceWaits&) = default;
};
using WaitsByPlace = std::array<PlaceWaits, kWaitPlaces>;

// Of one run, of one process or (empty) of all. `WaitPlace::none` has none.
WaitsByPlace waits_of(const RunResult& run, const std::string& process = "");

// What a place is, for people: "the commit of a journal transaction".
std::string describe(WaitPlace place);

// The longest wait of each thread over all runs, if it lasted a second or longer: "w (writer)
// waited 5.13 s, from 4.86 s after the fault, for the commit of a journal transaction". And what
// each process waited for many times, if that came to a second: "w waited 10.9 s in all, up to 112
// ms at a time, for the dirty-page throttle". Empty if there is neither.
std::string describe_longest(const std::vector<RunResult>& runs);

// "in 3 runs memory ran out, and the OOM killer ended w 1.20 s after the fault (seed 1)". Empty if
// it never did.
std::string describe_oom_kills(const std::vector<RunResult>& runs);

// "in 3 runs broker-a had as many files and sockets open as it may (open_files), and 12 calls that
// needed one more failed". Empty if nobody had.
std::string describe_refused_opens(const std::vector<RunResult>& runs);

}  // namespace drydock::reports
