// The throttle law against a real kernel (experiment A1 of the Linux I/O model): every recorded
// decision is made again from its recorded inputs, with the bandwidth of the estimate before it.
#include <gtest/gtest.h>

#include <map>

#include "sim/pagecache/bandwidth_estimate.hpp"
#include "sim/pagecache/throttle_law.hpp"
#include "tests/support/throttle_trace.hpp"

namespace drydock::test {
namespace {

constexpr std::int64_t kHz = 250;

std::map<std::string, std::vector<TraceRow>> all_traces() {
  std::map<std::string, std::vector<TraceRow>> traces;
  const std::filesystem::path folder(DRYDOCK_SOURCE_ROOT "/sim/profiles/calibration");
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("throttle_trace_")) traces[name] = read_throttle_trace(entry.path());
  }
  return traces;
}
bool is_strict(const std::string& trace) { return trace.contains("strict"); }

// A trace names the limit, the set points and the dirty counts; the rest of the state follows. The
// thresholds of the byte form are limit and half of it; the run with a strict limit used ratios of
// 20 and 10 % of an amount of memory that changed, and the limit followed.
sim::DirtyState state_of(const TraceRow& row, bool strict) {
  const std::int64_t free_run = 2 * row.set_point - row.limit;
  const std::int64_t threshold = strict ? free_run * 4 / 3 : row.limit;
  // The recorded set point of the device was rounded down.
  const std::int64_t share =
      (row.device_set_point * (threshold + 1) + row.set_point - 1) / row.set_point;
  return {.threshold = threshold,
          .background = 2 * free_run - threshold,
          .limit = row.limit,
          .dirty = row.dirty,
          .device_threshold = share,
          .device_background = share / 2,
          .device_dirty = row.device_dirty,
          .strict = strict};
}

// A decision, and the device's average bandwidth that the trace tells of: as the estimate before it
// recorded it, and as it was in effect. (An estimate's record holds the average before its own
// step, so what is in effect is in the next record.)
struct Decision {
  TraceRow row;
  std::int64_t bandwidth_before = 0;
  std::int64_t bandwidth = 0;
};
std::vector<Decision> decisions_of(const std::vector<TraceRow>& rows) {
  std::vector<Decision> decisions;
  std::int64_t before = 0;
  std::size_t open = 0;
  for (const TraceRow& row : rows) {
    if (!row.is_decision) {
      before = row.average_bandwidth;
      for (; open < decisions.size(); ++open) decisions[open].bandwidth = before;
    } else if (before > 0) {
      decisions.push_back({row, before, before});
    }
  }
  return decisions;
}
sim::ThrottleDecision decide(const Decision& recorded) {
  constexpr sim::Jiffies kNow = 1'000'000;
  const TraceRow& row = recorded.row;
  // A single jiffy: it began between the decision and its record.
  const std::int64_t ticked = row.slept == 1 ? 1 : 0;
  const sim::TaskThrottle task{.dirtied = row.dirtied,
                               .dirtied_pause = row.dirtied_pause,
                               .paused_when = kNow - (row.think - ticked)};
  return sim::ThrottleLaw(kHz).decide(
      row.task_rate, {.average_bandwidth = recorded.bandwidth, .base_rate = row.base_rate},
      row.device_dirty, task, kNow);
}

// Errors in millionths.
struct Errors {
  std::vector<std::int64_t> all;
  void add(std::int64_t predicted, std::int64_t recorded) {
    if (recorded == 0) return all.push_back(predicted == 0 ? 0 : 1'000'000);
    all.push_back(std::abs(predicted - recorded) * 1'000'000 / recorded);
  }
  void add(const Errors& more) { all.insert(all.end(), more.all.begin(), more.all.end()); }
  std::int64_t quantile(std::size_t per_mille) {
    std::ranges::sort(all);
    return all[(all.size() - 1) * per_mille / 1000];
  }
};

Errors task_rate_errors(const std::vector<TraceRow>& rows, bool strict) {
  Errors errors;
  for (const Decision& decision : decisions_of(rows)) {
    const TraceRow& row = decision.row;
    const std::int64_t ratio =
        sim::position_ratio(state_of(row, strict), decision.bandwidth_before);
    errors.add(sim::ThrottleLaw::task_rate(row.base_rate, ratio), row.task_rate);
  }
  return errors;
}

TEST(ThrottleLaw, PredictsTheRecordedTaskRates) {
  Errors all;
  const auto traces = all_traces();
  ASSERT_EQ(traces.size(), 16u);
  for (const auto& [name, rows] : traces) {
    Errors errors = task_rate_errors(rows, is_strict(name));
    EXPECT_LE(errors.quantile(500), is_strict(name) ? 20'000 : 5'000) << name;
    if (!is_strict(name)) all.add(errors);
  }
  EXPECT_GT(all.all.size(), 6'500u);
  EXPECT_LE(all.quantile(500), 5'000);
  EXPECT_LE(all.quantile(990), 20'000);
}

TEST(ThrottleLaw, RepeatsTheRecordedPeriodsAndPauses) {
  int sleeps = 0, caps = 0, disagreements = 0;
  for (const auto& [name, rows] : all_traces()) {
    for (const Decision& recorded : decisions_of(rows)) {
      const TraceRow& row = recorded.row;
      const sim::ThrottleDecision decision = decide(recorded);
      if (row.task_rate > 0) {
        EXPECT_EQ(decision.period, row.period) << name;
      }
      // A pause that is too short to sleep is recorded as 0, a credit as it is.
      if (row.pause > 0) {
        ++sleeps;
        if (decision.sleep == 0) ++disagreements;
        const bool capped = decision.pause > decision.max_pause;
        if (capped) ++caps;
        EXPECT_NEAR(decision.sleep, row.pause, capped || row.slept > 1 ? 1 : 0) << name;
      } else {
        if (decision.sleep > 0) ++disagreements;
        EXPECT_EQ(std::min<std::int64_t>(decision.pause, 0), row.pause) << name;
      }
    }
  }
  EXPECT_GT(sleeps, 3'800);
  EXPECT_GE(caps, 98);
  EXPECT_EQ(disagreements, 0);
}

TEST(ThrottleLaw, RepeatsTheRecordedCapOfABlockedTask) {
  int blocked = 0;
  for (const auto& [name, rows] : all_traces()) {
    for (const Decision& recorded : decisions_of(rows)) {
      if (recorded.row.task_rate > 0) continue;
      ++blocked;
      EXPECT_NEAR(decide(recorded).sleep, recorded.row.pause, 1) << name;
    }
  }
  EXPECT_GT(blocked, 300);
}

// A decision that led to a sleep installs the next interval, recorded with the task's next
// decision.
TEST(ThrottleLaw, InstallsTheRecordedIntervals) {
  Errors errors;
  for (const auto& [name, rows] : all_traces()) {
    std::map<int, sim::ThrottleDecision> last;
    for (const Decision& recorded : decisions_of(rows)) {
      const auto before = last.find(recorded.row.task);
      const bool same_call = recorded.row.slept > 1;  // A blocked task's next round.
      if (before != last.end() && before->second.sleep > 0 && !same_call) {
        errors.add(before->second.next_pages, recorded.row.dirtied_pause);
      }
      last[recorded.row.task] = decide(recorded);
    }
  }
  EXPECT_GT(errors.all.size(), 2'500u);
  EXPECT_EQ(errors.quantile(950), 0);  // The others ran free in between.
}

// Every estimate was recorded with what it was made of; the decision that made it follows.
TEST(BandwidthEstimate, RepeatsTheRecordedStepsOfTheBaseRate) {
  Errors errors;
  for (const auto& [name, rows] : all_traces()) {
    sim::BaseRate rate;
    for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
      const TraceRow& row = rows[i];
      if (row.is_decision || !rows[i + 1].is_decision) continue;
      const sim::DirtyState state = state_of(rows[i + 1], is_strict(name));
      const sim::BaseRate next = sim::step_base_rate(rate, row.task_rate - 1, row.dirty_rate,
                                                     row.average_bandwidth, state);
      if (rate.rate > 1) errors.add(next.rate, row.base_rate);
      rate = {.rate = row.base_rate, .balanced = next.balanced};
    }
  }
  EXPECT_GT(errors.all.size(), 400u);
  EXPECT_EQ(errors.quantile(990), 0);
}

}  // namespace
}  // namespace drydock::test
