// A3: the stalls of such a writer: many short ones, none of a second.
#include "tools/fidelity/all.hpp"
#include "tools/fidelity/statistics.hpp"
#include "tools/fidelity/throttled_run.hpp"

namespace drydock::fidelity {

std::vector<Row> writer_stalls(const CalibrationData& measured) {
  struct Case {
    std::int64_t background_mib;
    std::int64_t limit_mib;
    const char* run;
  };
  std::vector<Row> rows;
  for (const Case& test : {Case{32, 64, "lim32_64"}, Case{64, 128, "lim64_128"}}) {
    constexpr Duration kLength = Duration::s(7);
    const ThrottledResult result = run_throttled({.background_bytes = test.background_mib * kMiB,
                                                  .dirty_bytes = test.limit_mib * kMiB,
                                                  .length = kLength,
                                                  .large_folios = true});
    const std::vector<double> model = result.writers.front().stall_lengths();
    const std::vector<double> real = measured_writer(measured, test.run).stall_lengths();
    const std::string name = "limit " + std::to_string(test.limit_mib) + " MiB: ";
    if (model.empty()) {
      rows.push_back(not_modelled(name + "stalls"));
      continue;
    }
    const auto per_second = [&](const std::vector<double>& stalls) {
      return static_cast<double>(stalls.size()) / seconds(kLength);
    };
    rows.push_back(
        within_percent({name + "stalls", "/s", per_second(model), per_second(real)}, 30));
    rows.push_back(within_percent({name + "median", "ms", median(model), median(real)}, 35));
    rows.push_back(within_percent(
        {name + "90 % take at most", "ms", quantile(model, 0.9), quantile(real, 0.9)}, 35));
    rows.push_back(within_factor({name + "longest", "ms", most(model), most(real)}, 2));
  }
  return rows;
}

}  // namespace drydock::fidelity
