// The reservation keys of the hosts of a shared disk; design, section 5: cluster 16 bits, node 8,
// incarnation 32, flags 8.
#pragma once

#include <optional>

#include "engine/types/reservations.hpp"

namespace drydock::scenarios {

// `node`: 1 to 255. The same for all lives of a host; no flags.
constexpr ReservationKey node_key(std::uint64_t node) {
  constexpr std::uint64_t kCluster = 1;
  constexpr std::uint64_t kIncarnation = 1;
  return {kCluster << 48 | node << 40 | kIncarnation << 8};
}

// Key of the holder; none if nothing is held. Of the types with one holder.
constexpr std::optional<ReservationKey> holder_of(const ReservationReport& report) {
  if (report.type == ReservationType::none) return std::nullopt;
  for (const Registrant& registrant : report.registrants) {
    if (registrant.holds) return registrant.key;
  }
  return std::nullopt;
}

}  // namespace drydock::scenarios
