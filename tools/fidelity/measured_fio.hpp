// fio's results among the measurements.
#pragma once

#include <string>
#include <vector>

#include "sim/profiles/fio_file.hpp"
#include "tools/fidelity/calibration_data.hpp"

namespace drydock::fidelity {

// The jobs of "fio_NAME.json". Throws scenarios::InputError.
std::vector<sim::FioJob> fio_jobs(const CalibrationData& data, const std::string& name);
// The direction that it used; of a mix, the reads.
const sim::FioDirection& direction_of(const sim::FioJob& job);
// Of completion times, ms. Throws scenarios::InputError if fio did not write that percentile.
double percentile_ms(const sim::FioJob& job, std::int64_t per_million);

}  // namespace drydock::fidelity
