// bench-queues: candidates of an event queue on the common workloads. See workloads/harness.hpp for
// the command line and queue_worlds.hpp for what a candidate offers.
#include "tests/bench/queues/indexed_heap.hpp"
#include "tests/bench/queues/kernel_queue.hpp"
#include "tests/bench/queues/queue_worlds.hpp"
#include "tests/bench/queues/stale_heap.hpp"
#include "tests/bench/queues/timing_wheel.hpp"

int main(int argc, char** argv) {
  using namespace drydock::bench;
  const Options options = parse_options(argc, argv);
  Record record;
  bool known = false;
  if (options.contestant == "queue-stale-heap") {
    known = run_on_queue<StaleHeapQueue>(options, record);
  } else if (options.contestant == "queue-indexed-heap") {
    known = run_on_queue<IndexedHeapQueue>(options, record);
  } else if (options.contestant == "queue-wheel") {
    known = run_on_queue<TimingWheelQueue>(options, record);
  } else if (options.contestant == "queue-kernel") {
    known = run_on_queue<KernelQueue>(options, record);
  }
  if (!known) return unknown_workload("bench-queues", options);
  record.version = "g++ " __VERSION__;
  print_record(options, record);
  return 0;
}
