// A18: how many faults touching a mapping takes, and how much they read.
#include "tools/fidelity/all.hpp"

namespace drydock::fidelity {

std::vector<Row> page_faults(const CalibrationData&) {
  return {not_modelled("read-around and fault-around")};
}

}  // namespace drydock::fidelity
