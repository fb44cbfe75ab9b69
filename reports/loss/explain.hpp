// The mechanism behind the losses of a cell, in words, from the recorded facts of its runs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "reports/record/run_result.hpp"

namespace drydock::reports {

// What the runs of a cell that lost something have in common.
struct LossMechanism {
  std::int64_t runs_with_loss = 0;
  std::int64_t lost = 0;
  // Of those that are not in the log: no flush had covered them when the fault came.
  std::int64_t lost_behind_last_flush = 0;
  std::int64_t at_risk = 0;      // Over all runs: acknowledged, and not covered then.
  std::int64_t lost_in_log = 0;  // The log has them, their queues do not lead to them.
  std::string first_in_log;      // The first of these, in words.
  // Age of the last completed flush at the fault, over the runs with a loss in which one was seen.
  std::int64_t flush_age_min_ns = 0;
  std::int64_t flush_age_median_ns = 0;
  std::int64_t flush_age_max_ns = 0;
  std::int64_t runs_with_flush_age = 0;
  std::string fault;  // The kind of the fault, or of several the first one's; empty: none.
  // With several faults: which of them took the last copy of how many of the traced messages, as
  // "host.power-loss on h".
  std::map<std::string, std::int64_t> lost_with;
  bool several_faults = false;
  // What had become of the lost messages in each broker's log, those that are in the log left out;
  // empty if there is one broker only.
  struct Copies {
    std::string broker;
    std::int64_t of_fate[static_cast<std::size_t>(CopyFate::count_)] = {};
  };
  std::vector<Copies> copies;
  std::string example;  // What became of the copies of the first lost message that was traced.
};
LossMechanism mechanism_of(const std::vector<RunResult>& runs);

// One sentence; says so if nothing was lost, and why not.
std::string explain(const LossMechanism& mechanism);

}  // namespace drydock::reports
