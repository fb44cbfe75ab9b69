// rto.steady: from the fault until the cluster takes as many messages as before it. Pure.
//
// What counts: a SEND_OK within the time-out of the send, at the moment of its completion, whenever
// it was invoked.
// Baseline: those of the last five seconds of the phase `warm` (of all of it, if it is shorter; of
// less than a second there is no baseline), as a number per second. Where sends can't succeed from
// the start (a SYNC_MASTER that waits for its slave), `warm` must be long enough for that.
// Window: five seconds, and each of them has at least 99 % of the baseline's number, rounded down
// to whole messages. Each one by itself: a client that catches up sends in one second what it owes
// for many, and a mean over the window would hide the seconds without any.
// From when: windows begin at the fault, or at one of the completions that count and come later.
// The figure is the time from the fault to the beginning of the first window that holds: 0 if the
// rate never sank. The five seconds themselves are not part of it. A window has to end before the
// load does.
#pragma once

#include "reports/record/history.hpp"
#include "reports/record/run_result.hpp"
#include "reports/rto/rto.hpp"

namespace drydock::reports {

inline constexpr std::int64_t kSteadySlotNs = 1'000'000'000;
inline constexpr std::int64_t kSteadySlots = 5;

// Sets `steady` and `steady_ns` of the report.
void measure_steady(const History& history, const BaselineReport& baseline, const RtoWindow& window,
                    RtoReport& report);

}  // namespace drydock::reports
