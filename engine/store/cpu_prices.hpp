// What a broker's work costs in time of a core, where computing takes time (Compute::priced).
// Fitted to benchmarks on Linux: see sim/profiles/cpu_profile.hpp.
#pragma once

#include <cstdint>

#include "engine/types/time.hpp"

namespace drydock {

// Of one kind of work: the same for every message, and more for a longer one.
struct CpuPrice {
  Duration each;
  Duration per_kib;  // Of the message's body.

  Duration of(std::int64_t bytes) const {
    constexpr std::int64_t kKib = 1024;
    return each + Duration::ns(per_kib.count_ns() * bytes / kKib);
  }
};

struct CpuPrices {
  CpuPrice send;      // From the bytes of the request to those of the answer, by a send thread.
  CpuPrice dispatch;  // Into the consume queue and the index, by ReputMessageService.
};

}  // namespace drydock
