// A2: a mapped writer without a pace on a disk of 50 MiB/s, under several dirty limits: it gets the
// disk's rate, D + W stays near the set point, and it is asleep for most of the time.
#include "tools/fidelity/all.hpp"
#include "tools/fidelity/throttled_run.hpp"

namespace drydock::fidelity {

std::vector<Row> writer_rates(const CalibrationData& measured) {
  struct Case {
    std::int64_t background_mib;
    std::int64_t limit_mib;
    const char* run;
    Duration length;
    bool large_folios = false;
  };
  const Case cases[] = {
      {16, 32, "p4k_16_32_max", Duration::s(7)},
      {32, 64, "p4k_32_64_max", Duration::s(7)},
      {64, 128, "p4k_64_128_max", Duration::s(8)},
      {128, 256, "lim128_256", Duration::s(8), true},
  };
  std::vector<Row> rows;
  for (const Case& test : cases) {
    const ThrottledResult model = run_throttled({.background_bytes = test.background_mib * kMiB,
                                                 .dirty_bytes = test.limit_mib * kMiB,
                                                 .length = test.length,
                                                 .large_folios = test.large_folios});
    const WriterResult real = measured_writer(measured, test.run);
    const std::string name = "limit " + std::to_string(test.limit_mib) + " MiB: ";
    const WriterResult& writer = model.writers.front();
    rows.push_back(within_percent(
        {name + "steady rate", "MiB/s", writer.steady_mib_per_s, real.steady_mib_per_s}, 5));
    rows.push_back(within(
        {name + "D+W over limit", "", model.dirty_ratio, measured_dirty_ratio(measured, test.run)},
        0.04));
    rows.push_back(
        within({name + "share stalled", "%", writer.stalled_percent, real.stalled_percent}, 10));
  }
  return rows;
}

}  // namespace drydock::fidelity
