// A8: two writers without a pace share the disk evenly; beside one of 1 MB/s, the light one is not
// made to wait.
#include "tools/fidelity/all.hpp"
#include "tools/fidelity/throttled_run.hpp"

namespace drydock::fidelity {

std::vector<Row> two_writers(const CalibrationData& measured) {
  const auto run = [](std::int64_t second_bytes_per_s) {
    return run_throttled({.background_bytes = 32 * kMiB,
                          .dirty_bytes = 64 * kMiB,
                          .bytes_per_s = {0, second_bytes_per_s},
                          .length = Duration::s(8)});
  };
  const auto share = [](const WriterResult& one, const WriterResult& other) {
    return 100 * one.steady_mib_per_s / (one.steady_mib_per_s + other.steady_mib_per_s);
  };
  const ThrottledResult heavy = run(0);
  const ThrottledResult light = run(1'000'000);
  const WriterResult real_a = measured_writer(measured, "two_heavy_a");
  const WriterResult real_b = measured_writer(measured, "two_heavy_b");
  const WriterResult real_light = measured_writer(measured, "heavy_light_b");
  return {
      in_range({"two alike: share of the first", "%", share(heavy.writers[0], heavy.writers[1]),
                share(real_a, real_b)},
               45, 55),
      at_most({"beside a heavy one: longest stall of the light one", "ms",
               ms(longest(light.writers[1].stalls).length), ms(longest(real_light.stalls).length)},
              5),
  };
}

}  // namespace drydock::fidelity
