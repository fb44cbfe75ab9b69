// The words of NVMe reservations: types, keys, and what a report says.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace drydock {

// RTYPE. Drydock's own fencing uses write_exclusive. Values as on the wire.
enum class ReservationType : std::uint8_t {
  none = 0,
  write_exclusive = 1,
  exclusive_access = 2,
  write_exclusive_registrants = 3,
  exclusive_access_registrants = 4,
  write_exclusive_all = 5,
  exclusive_access_all = 6,
};

// CPTPL of a register command: what happens to "persist through power loss".
enum class PersistThroughPowerLoss : std::uint8_t { keep = 0, clear = 2, set = 3 };

struct ReservationKey {
  std::uint64_t value = 0;  // 0 is never used: in a preempt it means "everybody".
  friend constexpr bool operator==(ReservationKey, ReservationKey) = default;
};

// 128 bits, as on the wire. All zero: not the same host as anybody.
using HostIdentifier = std::array<std::uint8_t, 16>;

struct Registrant {
  HostIdentifier host_identifier{};
  ReservationKey key;
  bool holds = false;
  friend bool operator==(const Registrant&, const Registrant&) = default;
};

struct ReservationReport {
  std::uint32_t generation = 0;  // Something changed if it differs; not how often (wraps).
  ReservationType type = ReservationType::none;
  bool persists_through_power_loss = false;
  std::vector<Registrant> registrants;
  friend bool operator==(const ReservationReport&, const ReservationReport&) = default;
};

// What a device tells a host that it did not ask. Values as in log page 80h.
enum class ReservationNotice : std::uint8_t {
  registration_preempted = 1,  // Another host has removed this one's registration.
  reservation_released = 2,    // Or its type was changed: whoever is registered may take it.
  reservation_preempted = 3,   // Cleared, with all registrations.
};
// The n-th that a controller told since its reset, from 1: a gap says how many were lost.
struct CountedNotice {
  std::uint64_t count = 0;
  ReservationNotice kind = ReservationNotice::registration_preempted;
  friend bool operator==(const CountedNotice&, const CountedNotice&) = default;
};
// Those that the device keeps to itself: Feature 82h.
struct ReservationNoticeMask {
  bool registration_preempted = false;
  bool reservation_released = false;
  bool reservation_preempted = false;
};

}  // namespace drydock
