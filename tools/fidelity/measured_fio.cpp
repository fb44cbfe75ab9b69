#include "tools/fidelity/measured_fio.hpp"

#include "scenarios/drill/drill.hpp"

namespace drydock::fidelity {

std::vector<sim::FioJob> fio_jobs(const CalibrationData& data, const std::string& name) {
  const std::string file = "fio_" + name + ".json";
  auto jobs = sim::read_fio(data.place(file), data.text(file));
  if (!jobs) throw scenarios::InputError(jobs.error());
  return std::move(*jobs);
}

const sim::FioDirection& direction_of(const sim::FioJob& job) {
  return job.read.commands > 0 ? job.read : job.write;
}

double percentile_ms(const sim::FioJob& job, std::int64_t per_million) {
  for (const sim::FioPercentile& percentile : direction_of(job).completion.percentiles) {
    if (percentile.per_million == per_million) return static_cast<double>(percentile.ns) / 1e6;
  }
  throw scenarios::InputError(job.place + ": has no percentile " + std::to_string(per_million) +
                              " of a million");
}

}  // namespace drydock::fidelity
