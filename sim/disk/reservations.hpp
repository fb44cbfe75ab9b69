// Pure: the reservations of one namespace, as a state machine.
//
// State: the registrants in the order of their registration, each with its key; a type, `none`
// while nothing is held; a generation; and whether all this persists through a power loss.
//
// Invariants:
//   - A type other than `none` has exactly one registrant marked `owner`; `none` has none. Under
//     types 1 to 4 the owner is the holder. Under 5 and 6 every registrant is a holder, and the
//     owner is the one that acquired, or the eldest of those that are left.
//   - A host is registered at most once.
//   - A refused command changes nothing.
//
// Who is a host: the host identifier of the controller by which a command comes, so a host's
// controllers share one registration. Controllers without an identifier are a host each.
//
// Registrations outlive resets, disconnects and crashes of hosts: there is no event for any of
// them. A notification is an output, once per host: see NoticeLog for what becomes of it. Not
// modelled: 64-bit and 128-bit host identifiers side by side, dispersed namespaces.
//
// Source: reference on reservations, sections 2 to 12; where devices differ: reservation_options.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "engine/types/reservations.hpp"
#include "sim/disk/nvme_status.hpp"
#include "sim/disk/reservation_access.hpp"
#include "sim/disk/reservation_options.hpp"

namespace drydock::sim {

// By which controller of which host a command comes.
struct ReservationHost {
  HostIdentifier identifier{};
  std::uint32_t controller = 0;
  // Whether it is the same host, perhaps by another controller.
  bool is(const ReservationHost& other) const {
    if (identifier != other.identifier) return false;
    return has_identifier() || controller == other.controller;
  }
  bool has_identifier() const { return identifier != HostIdentifier{}; }
};

// The commands' fields. Values as on the wire; other values of an action are reserved ones.
enum class ReportFormat : std::uint8_t { regular = 0, extended = 1 };  // EDS.
enum class RegisterAction : std::uint8_t { add = 0, unregister = 1, replace = 2 };
enum class AcquireAction : std::uint8_t { acquire = 0, preempt = 1, preempt_and_abort = 2 };
enum class ReleaseAction : std::uint8_t { release = 0, clear = 1 };
enum class ExistingKey : std::uint8_t { compare = 0, ignore = 1 };  // IEKEY.

struct RegisterRequest {
  RegisterAction action = RegisterAction::add;
  ReservationKey current;  // CRKEY.
  ReservationKey next;     // NRKEY.
  ExistingKey existing_key = ExistingKey::compare;
  PersistThroughPowerLoss persist = PersistThroughPowerLoss::keep;
};
struct AcquireRequest {
  AcquireAction action = AcquireAction::acquire;
  ReservationKey current;  // CRKEY.
  ReservationKey victim;   // PRKEY.
  ReservationType type = ReservationType::none;
  ExistingKey existing_key = ExistingKey::compare;
};
struct ReleaseRequest {
  ReleaseAction action = ReleaseAction::release;
  ReservationKey current;  // CRKEY.
  ReservationType type = ReservationType::none;
  ExistingKey existing_key = ExistingKey::compare;
};

// What a controller can be sent: one of the four commands.
struct ReportRequest {
  ReportFormat format = ReportFormat::extended;
  std::size_t length = 4096;  // Of the buffer, in bytes: a multiple of 4.
};
using ReservationCommand =
    std::variant<RegisterRequest, AcquireRequest, ReleaseRequest, ReportRequest>;

struct ReservationNoticeTo {
  ReservationHost to;
  ReservationNotice kind = ReservationNotice::registration_preempted;
};

struct ReservationOutcome {
  NvmeStatus status = NvmeStatus::success;
  // Hosts that a preempt has removed, but for its issuer: preempt-and-abort completes when none of
  // their commands is left.
  std::vector<ReservationHost> preempted;
  std::vector<ReservationNoticeTo> notices;
};

class NamespaceReservations {
 public:
  explicit NamespaceReservations(ReservationOptions options) : options_(options) {}

  const ReservationOptions& options() const { return options_; }
  // RESCAP: bit 0 persistence, bits 6:1 types, bit 7 ignore-existing-key as of NVMe 1.3.
  std::uint8_t capabilities() const;

  ReservationOutcome add_or_remove(const ReservationHost& host, const RegisterRequest& request);
  ReservationOutcome acquire(const ReservationHost& host, const AcquireRequest& request);
  ReservationOutcome release(const ReservationHost& host, const ReleaseRequest& request);
  ReservationReport report() const;

  // Under types 5 and 6 the owner: see the invariants.
  std::optional<ReservationHost> holder() const;
  ReservationRole role_of(const ReservationHost& host) const;
  // Whether the device starts the command: asked once, when it does.
  NvmeStatus check(const ReservationHost& host, NvmeCommand command) const;

  // The device loses its power. Without persistence everything is forgotten.
  void lose_power();

 private:
  struct Registration {
    ReservationHost host;
    ReservationKey key;
    bool owner = false;
  };

  Registration* find(const ReservationHost& host);
  const Registration* find(const ReservationHost& host) const;
  // Null while nothing is held.
  const Registration* owner() const;
  // For acquire and release; see AllRegistrantsHolders.
  bool holds(const Registration& registration) const;

  NvmeStatus add(const ReservationHost& host, const RegisterRequest& request);
  NvmeStatus replace(const ReservationHost& host, const RegisterRequest& request);
  ReservationOutcome unregister(const ReservationHost& host, const RegisterRequest& request);
  void insert(const ReservationHost& host, ReservationKey key);
  void persist(PersistThroughPowerLoss persist);

  NvmeStatus take(Registration& registration, ReservationType type);
  ReservationOutcome preempt(const ReservationHost& host, const AcquireRequest& request);
  ReservationOutcome preempt_all_others(const ReservationHost& host, ReservationType type);
  ReservationOutcome preempt_holder(const ReservationHost& host, const AcquireRequest& request);
  ReservationOutcome preempt_key(const ReservationHost& host, ReservationKey victim);
  void own(const ReservationHost& host, ReservationType type);

  ReservationOutcome give_up(const ReservationHost& host, ReservationType type);
  ReservationOutcome clear(const ReservationHost& host);

  // Removes those for which `chosen(registration)` holds, and what goes with them: see the
  // invariants. The hosts removed, in the order of their registration.
  template <class Chosen>
  std::vector<ReservationHost> remove(Chosen chosen);
  ReservationOutcome removed_by(const ReservationHost& host,
                                const std::vector<ReservationHost>& removed);
  void tell_others(ReservationOutcome& outcome, const ReservationHost& issuer,
                   ReservationNotice kind) const;
  // A successful command that counts, and the registrants that it added or removed.
  void count(std::size_t registrants);

  ReservationOptions options_;
  std::vector<Registration> registrations_;
  ReservationType type_ = ReservationType::none;
  ReservationKey acquired_with_;
  std::uint32_t generation_ = 0;
  bool persists_ = false;
};

}  // namespace drydock::sim
