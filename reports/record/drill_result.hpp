// What an invocation has shown: the runs of all cells, and what was expected of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reports/record/run_result.hpp"

namespace drydock::reports {

// A quantity that expectations speak of.
enum class Metric : std::uint8_t {
  acked_loss,
  unknown_stored,
  unknown_absent,
  failed_stored,
  expired,
  duplicates,
  corruption,
  phantoms,
  index_missed,
  index_endless,
  order_violations,
  delivered,
  delivered_again,
  delivered_gone,
  delivery_skipped,
  undelivered,
  delivered_out_of_order,
  stale_reads,
  foreign_writes,
  rto_fault,
  rto_client,
  rto_steady,
  send_acked,  // These five of the sends after the faults had been armed.
  send_busy,
  send_p50,
  send_p99,
  send_longest,
  pull_missed,  // Of one broker, in all of its lives; the next one, too.
  registration_gap,
  delivery_first,    // Of one consumer.
  disk_reads_per_s,  // These six are of one host's disk, during `hold`.
  disk_read_bytes_per_s,
  disk_read_await,
  disk_queue_hundredths,
  disk_busy_percent,
  disk_hit_percent,
  wait_longest,  // These three at the place that goes with them: "wait.journal.longest".
  wait_total,
  wait_count,
  count_,
};
std::string_view name_of(Metric metric);
// Whether it is a time in ns, or else a count.
bool is_time(Metric metric);
// Whether it is the time of an outage: without a fault there is none.
bool is_outage(Metric metric);
// Whether the final store has to be read for it.
bool is_of_store(Metric metric);
// Whether it speaks of how sends went.
bool is_of_sends(Metric metric);
// Whether it speaks of waits at one place.
bool is_of_waits(Metric metric);
// Whether it speaks of what one broker has counted.
bool is_of_broker(Metric metric);
// Whether it speaks of one consumer.
bool is_of_consumer(Metric metric);
// Whether the judge has to read the index for it.
bool is_of_index(Metric metric);
// Whether it speaks of one host's disk.
bool is_of_disks(Metric metric);

enum class Comparison : std::uint8_t { equal, less_equal, less, greater_equal, greater };
std::string_view name_of(Comparison comparison);

enum class Over : std::uint8_t {
  every_run,  // Of each run by itself.
  total,      // Of the sum over a cell's runs. Counts only.
  p50,        // Of a quantile over a cell's runs, by nearest rank: the median,
  p90,        // the 90th
  p99,        // or the 99th percentile. A time that never came is longer than any other.
};
// "every_run", "total", "p50", "p90", "p99".
std::string_view name_of(Over over);
// 50, 90 or 99; none for what is no quantile.
std::optional<std::int64_t> percent_of(Over over);

using CellId = std::map<std::string, std::string>;  // Sorted `key=value`; design, section 0.
std::string text_of(const CellId& cell);

struct Expectation {
  CellId cells;  // Holds in every cell that has these values.
  Over over = Over::every_run;
  Metric metric = Metric::count_;
  Comparison comparison = Comparison::equal;
  std::optional<std::int64_t> bound = 0;  // None: never; of an outage, with `equal`.
  WaitPlace place = WaitPlace::none;      // Of the metrics of waits.
  // Of waits, and of sends: whose; empty: of all that have a disk, or of all producers. Of disks:
  // which host's.
  std::string process = {};
  // With fewer runs that gave an answer it is not evaluated. Of what speaks of several runs.
  std::int64_t seeds_at_least = 1;

  friend bool operator==(const Expectation&, const Expectation&) = default;
};
// The metric, with its place: "wait.journal.longest", "wait.journal.longest of broker-a".
std::string quantity_of(const Expectation& expectation);
// "acked_loss = 0 in every run".
std::string text_of(const Expectation& expectation);

// An expectation in one cell, with its answer.
struct ExpectationResult {
  Expectation expectation;
  bool holds = false;
  std::int64_t runs_for = 0;  // Runs in which it holds by itself.
  std::int64_t runs = 0;      // That gave an answer.

  // Otherwise it neither holds nor is broken.
  bool evaluated() const { return runs >= expectation.seeds_at_least; }
};
// "needs 10 runs that give an answer, and 1 did". Of one that was not evaluated.
std::string why_open(const ExpectationResult& result);

struct CellResult {
  CellId id;
  // What of the cell differs from the user's own configuration; empty in a cell as the file has it.
  std::map<std::string, std::string> changes;
  std::vector<RunResult> runs;  // By seed.
  std::vector<ExpectationResult> expectations;
  Verdict verdict = Verdict::inconclusive;
};

// What the reports need to know of the drill itself.
struct DrillFacts {
  std::string version;  // Of drydock.
  std::string id;
  std::string title;
  std::string scenario_file;
  std::string scenario_digest;  // Of the effective scenario: equal digests, equal experiments.
  std::string configuration_file;
  std::string behaviour;  // The preset, and the switches that differ from it.
  std::string replay;     // The command of this invocation without its seeds.
  std::map<std::string, std::string> configuration;  // The keys of it that decide durability.
  std::vector<std::string> promises;                 // What those settings promise, in words.
  std::vector<std::string> assumed;  // Parameters of the model that drove the result.
  std::vector<std::string> not_modelled;
  std::vector<std::string> warnings;
};

struct DrillResult {
  DrillFacts facts;
  std::vector<CellResult> cells;
};

}  // namespace drydock::reports
