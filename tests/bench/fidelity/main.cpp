// bench-fidelity: the contestant `fidelity`. Its one workload, a01-a24, is all that `drydock
// fidelity` does, from the measurements to the comparison; see workloads/harness.hpp for the
// command line. In the record a message is an experiment, and an expiry is one that is inside.
#include "tests/bench/workloads/harness.hpp"
#include "tools/fidelity/calibration_data.hpp"
#include "tools/fidelity/experiment.hpp"

int main(int argc, char** argv) {
  using namespace drydock;
  const bench::Options options = bench::parse_options(argc, argv);
  if (options.workload != "a01-a24" || options.contestant != "fidelity") {
    return bench::unknown_workload("bench-fidelity", options);
  }
  bench::Record record;
  bench::Stopwatch watch;
  const fidelity::CalibrationData measured;
  watch.started();
  for (const fidelity::Experiment& experiment : fidelity::experiments()) {
    ++record.messages;
    if (fidelity::inside(experiment.run(measured))) ++record.timeouts;
  }
  watch.finish(record);
  record.version = "g++ " __VERSION__;
  bench::print_record(options, record);
  return 0;
}
