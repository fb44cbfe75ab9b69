// The mechanism behind the losses of a cell, in words, from the recorded facts of its runs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "reports/record/run_result.hpp"

namespace drydock::reports {

// What the runs of a cell that lost something have in common. Runs in which the simulator itself
// failed tell nothing.
struct LossMechanism {
  std::int64_t runs_with_loss = 0;
  // Runs whose final store nobody could read: what they lost is not known. What follows is of the
  // others.
  std::int64_t unread_runs = 0;
  std::int64_t acked_unread = 0;
  std::int64_t read_runs = 0;
  std::int64_t acked = 0;        // Over all of them.
  std::int64_t at_risk = 0;      // Likewise: acknowledged, and not covered when the fault came.
  std::int64_t lost = 0;         // Each of them is counted in exactly one of the following.
  std::int64_t lost_in_log = 0;  // The log has them, their queues do not lead to them.
  // A broker still has them, by its name: one that readers do not have, or, of `kept_broken`, the
  // very one, but not whole. Of the traced ones.
  std::map<std::string, std::int64_t> kept_on;
  std::map<std::string, std::int64_t> kept_broken;
  std::int64_t lost_behind_last_flush = 0;  // In the master's log, and no flush had covered them.
  std::int64_t lost_in_pool = 0;            // In the transient pool of the master, in no file.
  std::int64_t lost_covered = 0;            // There, and a flush had covered them.
  std::int64_t lost_not_there = 0;          // The master's log had not got them.
  std::int64_t lost_sent_later = 0;         // Sent after the fault.
  std::int64_t lost_untold = 0;             // Nothing is known of them.
  std::string first_in_log;                 // The first of `lost_in_log`, in words.
  // Age of the last completed flush at the fault, over the runs with a loss in which one was seen.
  std::int64_t flush_age_min_ns = 0;
  std::int64_t flush_age_median_ns = 0;
  std::int64_t flush_age_max_ns = 0;
  std::int64_t runs_with_flush_age = 0;
  // The one that counts, in the first run in which one took effect; empty: in none.
  std::string fault;        // Its kind.
  std::string what;         // Its kind, and what of its target it concerns.
  std::string target;       // A host or a process.
  std::string detail;       // What of its target it concerns.
  std::string file_system;  // On its target, if it is a disk's.
  std::string stopped;      // File systems that stopped themselves, in words; of all runs.
  // The brokers that were the target or on it.
  std::vector<std::string> hit;
  bool hit_master = false;
  bool planned = false;         // There was to be one.
  bool several_faults = false;  // More than one took effect.
  // How the last copy went of those that no broker has any more, as "gone with host.power-loss on
  // h".
  std::map<std::string, std::int64_t> lost_with;
  // What had become of the lost messages in each broker's log, those that are in the log left out;
  // empty if there is one broker only.
  struct Copies {
    std::string broker;
    std::int64_t of_fate[static_cast<std::size_t>(CopyFate::count_)] = {};
  };
  std::vector<Copies> copies;
  // Of all runs: completed takeovers of a shared disk, and the blocks that broke the rules of
  // ownership.
  std::int64_t takeovers = 0;
  OwnershipReport ownership;
  std::string example;  // What became of the copies of the first lost message that was traced.
};
LossMechanism mechanism_of(const std::vector<RunResult>& runs);

// One sentence; says so if nothing was lost, and why not.
std::string explain(const LossMechanism& mechanism);

}  // namespace drydock::reports
