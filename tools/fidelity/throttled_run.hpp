// Record writers on the throttled loop device, and what they got: for the experiments of the dirty
// throttle.
#pragma once

#include <string>
#include <vector>

#include "tools/fidelity/set_up.hpp"

namespace drydock::fidelity {

struct ThrottledRunOptions {
  std::int64_t background_bytes = 0;
  std::int64_t dirty_bytes = 0;
  // Of each writer; 0: as fast as it can.
  std::vector<std::int64_t> bytes_per_s = {0};
  Duration length;
  // Files in folios of 1 MiB, as those that were filled a MiB at a time on the recorded kernel: a
  // store dirties all of one. Otherwise in single pages.
  bool large_folios = false;
  // What the runs before had left of the kernel's estimate of the device: throttle_trace_*.csv.
  std::int64_t initial_bandwidth_bytes = 60 * kMiB;
  // Under writeback before the flusher has to wait.
  std::int64_t queue_bytes = INT64_MAX;
  // The recorded kernel lets the journal pass its throttle; here its log waits behind the data, so
  // it stays out of the way unless it is what is looked at.
  Duration commit_interval = Duration::s(600);
  std::int64_t strict_limit_bytes = 0;  // Of the device; 0: none.
};

struct WriterResult {
  std::vector<Stall> stalls;
  std::int64_t written_bytes = 0;
  double mean_mb_per_s = 0;
  double steady_mib_per_s = 0;  // From 2 s on.
  double stalled_percent = 0;   // Of the whole run.
  // Of the model's writers: how often the throttle made them sleep, and what they waited for a
  // commit of the journal.
  std::int64_t throttle_sleeps = 0;
  WaitTotals journal;

  // Of stalls, ms.
  std::vector<double> stall_lengths() const;
  // The first stall of 10 ms or more; of no length if there is none.
  Stall first_long_stall() const;
};

struct ThrottledResult {
  std::vector<WriterResult> writers;
  double dirty_ratio = 0;  // D + W over the limit, median of samples from 2 s on.
};

ThrottledResult run_throttled(const ThrottledRunOptions& options);

// The same of a recorded run, from mmap_writer_*.csv. Throws scenarios::InputError.
WriterResult measured_writer(const CalibrationData& data, const std::string& run);
double measured_dirty_ratio(const CalibrationData& data, const std::string& run);
// D + W of the whole machine, median of samples from 2 s on.
double measured_dirty_mib(const CalibrationData& data, const std::string& run);

}  // namespace drydock::fidelity
