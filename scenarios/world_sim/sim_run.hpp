// One (drill, cell, seed), phase by phase.
#pragma once

#include <optional>
#include <string>

#include "reports/record/final_store.hpp"
#include "reports/record/run_result.hpp"
#include "scenarios/world_sim/sim_world.hpp"
#include "sim/kernel/verify.hpp"

namespace drydock::scenarios {

// Phases: start (brokers come up), then those of the drill. The run is a function of its inputs; it
// can be advanced event by event beside another one.
class SimRun : public sim::Verifiable {
 public:
  // The experiment outlives the run. Provenance changes nothing in the run but what is kept of it.
  SimRun(const Experiment& experiment, const Cell& cell, std::uint64_t seed,
         Provenance provenance = Provenance::latest);

  sim::Kernel& kernel() override { return world_.kernel(); }
  bool advance() override;

  // Load and faults are over; what is left is to read everything back.
  bool judging() const { return phase_ == Phase::judge; }

  // Once `advance` has returned false: everything but the verdict. `store_read` tells whether the
  // judge could read the store.
  reports::RunResult result();
  bool store_read() const;
  // What the run has left, for whoever wants to look with their own eyes.
  SimWorld& world() { return world_; }

 private:
  enum class Phase { start, warm, inject, hold, heal, settle, judge, over };

  static Phase next(Phase phase) { return static_cast<Phase>(static_cast<int>(phase) + 1); }
  const PhaseSpec* spec_of(Phase phase) const;
  // Whether the phase ends before its time.
  bool ends_early();
  bool has_come(const PhaseSpec& phase);
  bool writes_resumed() const;
  void enter(Phase phase);
  // What each host has done to its disk since `before`.
  std::vector<reports::DiskUse> disks_since(const std::vector<reports::DiskUse>& before);
  // A second of evidence is over, if evidence was asked for.
  void take_evidence();
  void start_judge();
  void judge_writers();
  bool asks_for_index() const;
  // Files that nobody will ever read: all that was in them is lost, and that is an answer.
  void give_up_files();
  bool judging_still() const;
  const Drill& drill() const { return drill_of(experiment_, cell_); }
  std::vector<reports::FaultFact> fault_facts() const;
  void take_outages(reports::RunResult& run) const;
  // As of a moment; -1: at the end.
  std::vector<reports::ReplicaFacts> replica_facts(std::int64_t fault_ns) const;
  std::vector<reports::StoreTrace> store_traces() const;
  reports::RtoReport outage(const reports::BaselineReport& baseline, std::int64_t fault_ns) const;
  // Whether SEND_OK waits for a slave, by the master's configuration and what the client asks for.
  reports::Sends sends() const;

  const Experiment& experiment_;
  const Cell& cell_;
  Provenance provenance_;
  faults::Plan plan_;
  std::string note_;
  reports::FinalStore store_;
  std::vector<reports::FinalStore> files_;  // Of bare writers.
  SimWorld world_;
  std::vector<sim::SimProcess*> judges_;
  std::optional<std::size_t> judged_;  // The broker whose store it reads.
  Phase phase_ = Phase::start;
  std::int64_t phase_end_ns_ = 0;
  bool ending_early_ = false;
  std::uint64_t events_before_phase_ = 0;  // Of the kind that ends it.
  std::int64_t warm_begin_ns_ = 0;
  std::int64_t warm_end_ns_ = 0;
  std::int64_t load_end_ns_ = 0;
  std::vector<reports::DiskUse> disks_before_hold_;
  std::vector<reports::DiskUse> disks_in_hold_;
  reports::Evidence evidence_;
  std::vector<reports::DiskUse> disks_before_second_;
  // When a second of evidence is over; never, if none is taken.
  std::int64_t second_end_ns_ = std::numeric_limits<std::int64_t>::max();
};

}  // namespace drydock::scenarios
