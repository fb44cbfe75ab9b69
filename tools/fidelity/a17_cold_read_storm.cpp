// A17: cold reads push what a writer wrote out of 192 MiB of memory.
#include "tools/fidelity/all.hpp"

namespace drydock::fidelity {

std::vector<Row> cold_read_storm(const CalibrationData&) {
  return {not_modelled("reclaim of memory")};
}

}  // namespace drydock::fidelity
