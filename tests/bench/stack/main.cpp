// bench-stack: the contestants `stack` (until the last send has ended) and `stack-judged` (the
// judge and all checkers too). Its one workload is whole_stack.json; see workloads/harness.hpp for
// the command line.
#include <algorithm>

#include "scenarios/world_sim/sim_run.hpp"
#include "tests/bench/workloads/harness.hpp"
#include "tests/drills/drill_file.hpp"

int main(int argc, char** argv) {
  using namespace drydock;
  const bench::Options options = bench::parse_options(argc, argv);
  const bool judged = options.contestant == "stack-judged";
  if (options.workload != "whole-stack" || (!judged && options.contestant != "stack")) {
    return bench::unknown_workload("bench-stack", options);
  }
  const scenarios::Experiment experiment = drills::load("tests/bench/stack/whole_stack.json", "");
  bench::Record record;
  bench::Stopwatch watch;
  scenarios::SimRun run(experiment, experiment.cells.at(0), 1);
  watch.started();
  while (!run.judging() && run.advance()) {
  }
  if (!judged) watch.finish(record);
  while (run.advance()) {
  }
  const reports::RunResult result = run.result();
  if (judged) watch.finish(record);
  // Sent, flushed, acknowledged, dispatched, pulled: a message counts once it is through.
  record.messages =
      static_cast<std::uint64_t>(std::min(result.loss.acked, result.deliveries.delivered));
  record.virtual_s = static_cast<double>(result.virtual_ns) * 1e-9;
  record.events = result.events;
  record.fingerprint = result.fingerprint;
  record.version = "g++ " __VERSION__;
  bench::print_record(options, record);
  return 0;
}
