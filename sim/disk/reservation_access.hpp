// Pure: which command a reservation refuses to whom.
#pragma once

#include <cstdint>

#include "engine/types/reservations.hpp"

namespace drydock::sim {

// What a command does to a namespace, as far as reservations care.
enum class NvmeCommand : std::uint8_t {
  read,
  compare,
  verify,
  security_receive,  // When it uses the namespace identifier.
  write,
  write_zeroes,
  write_uncorrectable,
  dataset_management,
  flush,
  format,
  sanitize,
  namespace_management,  // And attachment.
  capacity_management,
  security_send,  // When it uses the namespace identifier.
  copy,           // Reads its source and writes its destination, here in the same namespace.
  other,          // Identify, features, logs, register, report: never refused.
};

struct Access {
  bool reads = false;
  bool writes = false;
};

// Holder: of types 5 and 6 every registrant. Registrant: registered, not holder.
enum class ReservationRole : std::uint8_t { holder, registrant, stranger };

// Source: reference on reservations, section 4, second table.
constexpr Access access_of(NvmeCommand command) {
  switch (command) {
    case NvmeCommand::read:
    case NvmeCommand::compare:
    case NvmeCommand::verify:
    case NvmeCommand::security_receive: return {.reads = true};
    case NvmeCommand::write:
    case NvmeCommand::write_zeroes:
    case NvmeCommand::write_uncorrectable:
    case NvmeCommand::dataset_management:
    case NvmeCommand::flush:
    case NvmeCommand::format:
    case NvmeCommand::sanitize:
    case NvmeCommand::namespace_management:
    case NvmeCommand::capacity_management:
    case NvmeCommand::security_send: return {.writes = true};
    case NvmeCommand::copy: return {.reads = true, .writes = true};
    case NvmeCommand::other: break;
  }
  return {};
}

constexpr bool held_by_all_registrants(ReservationType type) {
  return type == ReservationType::write_exclusive_all ||
         type == ReservationType::exclusive_access_all;
}

// What the role may do while a reservation of the type is held.
// Source: reference on reservations, section 4, first table.
constexpr Access allowed_access(ReservationType type, ReservationRole role) {
  if (role == ReservationRole::holder) return {.reads = true, .writes = true};
  const bool registered = role == ReservationRole::registrant;
  switch (type) {
    case ReservationType::none: return {.reads = true, .writes = true};
    case ReservationType::write_exclusive: return {.reads = true, .writes = false};
    case ReservationType::exclusive_access: return {.reads = false, .writes = false};
    case ReservationType::write_exclusive_registrants:
    case ReservationType::write_exclusive_all: return {.reads = true, .writes = registered};
    case ReservationType::exclusive_access_registrants:
    case ReservationType::exclusive_access_all: return {.reads = registered, .writes = registered};
  }
  return {};
}

}  // namespace drydock::sim
