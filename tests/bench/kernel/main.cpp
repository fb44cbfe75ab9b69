// bench-kernel: the contestant of this repository. See workloads/harness.hpp for the command line.
#include "tests/bench/kernel/workloads.hpp"

int main(int argc, char** argv) {
  using namespace drydock::bench;
  const Options options = parse_options(argc, argv);
  const bool plain = options.contestant == kKernel || options.contestant == kKernelNoFingerprint;
  Record record;
  if (options.contestant == kKernelStream && options.workload == "raft-hb") {
    record = stream_raft_hb(options);
  } else if (!plain) {
    return unknown_workload("bench-kernel", options);
  } else if (options.workload == "pp-timers") {
    record = kernel_pp_timers(options);
  } else if (options.workload == "raft-hb") {
    record = kernel_raft_hb(options);
  } else if (options.workload == "timers-only") {
    record = kernel_timers_only(options);
  } else if (options.workload == "bulk-link") {
    record = kernel_bulk_link(options);
  } else {
    return unknown_workload("bench-kernel", options);
  }
  record.version = "g++ " __VERSION__;
  print_record(options, record);
  return 0;
}
