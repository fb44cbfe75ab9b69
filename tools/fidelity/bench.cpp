// bench-fidelity, a contestant of tools/bench: all experiments once, and one JSON record of it on
// stdout. In the record a message is an experiment, and an expiry is one that is inside.
#include <cstdio>
#include <ctime>

#include <sys/resource.h>

#include "tools/fidelity/experiment.hpp"

namespace {

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Of this program, or of the small one that started it: the largest set of resident pages, in KiB.
long peak_memory_kb() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return used.ru_maxrss;
}

}  // namespace

int main() {
  using namespace drydock::fidelity;
  const CalibrationData measured;
  const double begun = cpu_seconds();
  unsigned run = 0;
  unsigned inside_count = 0;
  for (const Experiment& experiment : experiments()) {
    ++run;
    if (inside(experiment.run(measured))) ++inside_count;
  }
  std::printf(
      "{\"workload\": \"a01-a24\", \"contestant\": \"fidelity\", \"cpu_s\": %f, \"setup_s\": %f, "
      "\"messages\": %u, \"timeouts\": %u, \"max_rss_kb\": %ld, \"version\": \"g++ %s\", "
      "\"fingerprint\": \"\"}\n",
      cpu_seconds() - begun, begun, run, inside_count, peak_memory_kb(), __VERSION__);
  return 0;
}
