// A23: a device with a dirty limit of its own.
#include "tools/fidelity/all.hpp"

namespace drydock::fidelity {

std::vector<Row> strict_limit(const CalibrationData&) { return {not_modelled("strict limits")}; }

}  // namespace drydock::fidelity
