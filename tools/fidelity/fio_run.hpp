// Commands to a disk without a file system, as fio's jobs with direct I/O make them.
#pragma once

#include <vector>

#include "sim/disk/block_queue.hpp"
#include "sim/disk/disk_profile.hpp"

namespace drydock::fidelity {

struct FioRunJob {
  bool write = false;
  bool random = true;  // Otherwise in sequence.
  std::int64_t block_bytes = 4096;
  int depth = 1;
};

struct FioRunResult {
  double per_second = 0;  // Commands.
  double bytes_per_s = 0;
  std::vector<double> latency_ms;  // Of each, from the submission on.
};

// All jobs at the same time, on 1 GiB, for so long after one second that does not count.
std::vector<FioRunResult> run_fio(const sim::DiskProfile& disk, const sim::BlockThrottle& throttle,
                                  const std::vector<FioRunJob>& jobs, Duration length);

}  // namespace drydock::fidelity
