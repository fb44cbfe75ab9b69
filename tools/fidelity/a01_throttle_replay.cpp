// A1: every recorded decision of the kernel's throttle again, from its recorded inputs.
#include <cmath>

#include "sim/pagecache/throttle_law.hpp"
#include "tools/fidelity/all.hpp"
#include "tools/fidelity/statistics.hpp"
#include "tools/fidelity/throttle_trace.hpp"

namespace drydock::fidelity {
namespace {

// In per cent of what was recorded.
double task_rate_error(const RecordedDecision& recorded) {
  const std::int64_t ratio = sim::position_ratio(recorded.state, recorded.bandwidth_before);
  const std::int64_t rate = sim::ThrottleLaw::task_rate(recorded.base_rate, ratio);
  if (recorded.task_rate == 0) return rate == 0 ? 0 : 100;
  return 100 * std::fabs(static_cast<double>(rate - recorded.task_rate)) /
         static_cast<double>(recorded.task_rate);
}

sim::ThrottleDecision decide(const RecordedDecision& recorded) {
  constexpr sim::Jiffies kNow = 1'000'000;
  // A single jiffy began between the decision and its record.
  const sim::Jiffies ticked = recorded.slept == 1 ? 1 : 0;
  const sim::TaskThrottle task{.dirtied = recorded.dirtied,
                               .dirtied_pause = recorded.dirtied_pause,
                               .paused_when = kNow - (recorded.think - ticked)};
  const sim::DeviceRates rates{.average_bandwidth = recorded.bandwidth,
                               .base_rate = recorded.base_rate};
  return sim::ThrottleLaw(kTraceHz).decide(recorded.task_rate, rates, recorded.state.device_dirty,
                                           task, kNow);
}

struct Replay {
  std::vector<double> errors;
  std::vector<double> strict_errors;
  double periods = 0;
  double same_periods = 0;
  double caps = 0;
  double same_caps = 0;  // Within one jiffy.

  void add(const RecordedDecision& recorded, bool strict) {
    (strict ? strict_errors : errors).push_back(task_rate_error(recorded));
    const sim::ThrottleDecision decision = decide(recorded);
    if (!decision.blocked()) {
      ++periods;
      if (decision.period == recorded.period) ++same_periods;
    }
    if (decision.blocked() || decision.pause > decision.max_pause) {
      ++caps;
      if (std::abs(decision.sleep - recorded.pause) <= 1) ++same_caps;
    }
  }
};

}  // namespace

std::vector<Row> throttle_replay(const CalibrationData& measured) {
  Replay replay;
  for (const ThrottleTrace& trace : throttle_traces(measured)) {
    for (const RecordedDecision& recorded : trace.decisions) replay.add(recorded, trace.strict);
  }
  // What was measured of these are the errors of the formulas: Linux I/O model, section 1.4.
  return {
      at_most({"task rate, median error", "%", median(replay.errors), 0.08}, 0.5),
      in_range({"task rate, within 2 %", "%", share_at_most(replay.errors, 2), 99.6}, 99, 100),
      at_most({"task rate, strict limit, median error", "%", median(replay.strict_errors), 0.5}, 2),
      within({"periods repeated", "", replay.same_periods, replay.periods}, 0),
      within({"longest pauses repeated, one jiffy up or down", "", replay.same_caps, replay.caps},
             0),
  };
}

}  // namespace drydock::fidelity
