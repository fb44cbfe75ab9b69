// bench-bare-heap: the contestant without a kernel. See workloads/harness.hpp for the command line.
#include "tests/bench/bare_heap/workloads.hpp"
#include "tests/bench/workloads/bulk_link.hpp"
#include "tests/bench/workloads/pp_timers.hpp"

namespace drydock::bench {
namespace {

// What can be worked out is checked here; the other contestants are then held against this one.
bool as_expected(const Options& options, const Record& record) {
  if (options.workload == "pp-timers") {
    const PingPong load(options.n, options.messages);
    return record.messages == load.expected_messages() &&
           record.timeouts == load.expected_timeouts();
  }
  if (options.workload == "bulk-link") {
    const std::int64_t messages = BulkLink::messages_per_link(options.messages);
    return record.transfer_fast_ns == BulkLink::fast(messages).transfer_ns() &&
           record.transfer_slow_ns == BulkLink::slow(messages).transfer_ns();
  }
  return true;
}

}  // namespace
}  // namespace drydock::bench

int main(int argc, char** argv) {
  using namespace drydock::bench;
  const Options options = parse_options(argc, argv);
  if (options.contestant != kHandHeap && options.contestant != kStdHeap) {
    return unknown_workload("bench-bare-heap", options);
  }
  Record record;
  if (options.workload == "pp-timers") {
    record = bare_heap_pp_timers(options);
  } else if (options.workload == "raft-hb") {
    record = bare_heap_raft_hb(options);
  } else if (options.workload == "timers-only") {
    record = bare_heap_timers_only(options);
  } else if (options.workload == "bulk-link") {
    record = bare_heap_bulk_link(options);
  } else {
    return unknown_workload("bench-bare-heap", options);
  }
  if (!as_expected(options, record)) {
    std::fprintf(stderr, "bench-bare-heap: counts or times are not those of the workload\n");
    return 1;
  }
  record.version = "g++ " __VERSION__;
  print_record(options, record);
  return 0;
}
