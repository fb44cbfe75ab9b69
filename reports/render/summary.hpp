// reports/render turns results into something to read: the text on the terminal, and result.json.
//
//   summary   figures of a cell over its runs
//   answer    the five lines: promised, lost, why, cheapest change, how sure
//   text      everything that the terminal shows
//   json      result.json (schema: reports/result.schema.json), and one run's result there and back
//   junit     junit.xml
//   markdown  summary.md
//   repro     repro.json: what is needed to see a run again
//
// What it does not do: decide anything. Verdicts and figures come from the folders beside it.
//
// This file: figures of a cell.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "reports/record/drill_result.hpp"

namespace drydock::reports {

struct Spread {
  std::int64_t min = 0;
  std::int64_t median = 0;
  std::int64_t max = 0;
};

// Over the runs that have figures: those with verdict `harness` have none.
struct CellSummary {
  std::int64_t runs = 0;
  std::int64_t harness_runs = 0;
  std::int64_t unread_runs = 0;  // Of `runs`: what they lost is not known.
  std::int64_t open_runs = 0;    // Of `runs`: inconclusive, or not read.
  std::int64_t acked = 0;
  std::int64_t acked_unread = 0;  // Of them, those in runs that were not read.
  // Of the runs that were read:
  std::int64_t lost = 0;
  std::int64_t lost_in_log = 0;  // Of the lost ones: in the log, but not in their queues.
  std::int64_t runs_with_loss = 0;
  std::int64_t corrupt = 0;
  std::int64_t phantoms = 0;
  std::int64_t duplicates = 0;
  std::int64_t order_violations = 0;
  DeliveryReport deliveries;
  std::int64_t unknown_stored = 0;
  std::int64_t unknown_absent = 0;
  std::int64_t failed = 0;
  std::int64_t failed_stored = 0;
  std::int64_t expired = 0;
  std::int64_t index_missed = 0;
  std::int64_t index_endless = 0;
  Spread lost_per_run;
  std::int64_t runs_without_fault = 0;  // No fault took effect: they had no outage.
  // Over the runs with a fault in which a send succeeded again; the others are counted in `never`.
  Spread rto_fault;
  Spread rto_client;
  Spread rto_steady;
  std::int64_t rto_fault_never = 0;
  std::int64_t rto_client_never = 0;
  std::int64_t rto_steady_never = 0;
  std::array<std::int64_t, static_cast<std::size_t>(Steady::count_)> steady{};  // Runs of each.
  std::array<Spread, kStages> stages;  // Each by itself: their medians need not add up.
  // Of shared disks: of the sum over the runs, and of the takeovers that were completed.
  OwnershipReport ownership;
  std::int64_t takeovers = 0;
  std::array<Spread, kTakeoverSteps> takeover_steps;
  Spread latency_p50;  // Over the runs: of each run's own median in the phase `warm`.
  // Of the sends after the faults had been armed, of all producers together.
  std::int64_t sends_busy = 0;
  Spread sends_acked;
  Spread sends_p50;
  Spread sends_p99;
  Spread sends_longest;

  bool lost_is_known() const { return unread_runs < runs || runs == 0; }
  std::int64_t acked_read() const { return acked - acked_unread; }
  std::int64_t runs_with_fault() const { return runs - runs_without_fault; }
};

CellSummary summarise(const CellResult& cell);

}  // namespace drydock::reports
