// Pure: in which points devices that offer reservations differ, and three presets.
//
//   spec    the NVMe specification. Where it is silent: what nvmet does.
//   nvmet   the Linux kernel's target, 7.3.4, as seen on a real kernel.
//   spdk    SPDK's NVMe-oF target, as read in its code (lib/nvmf/subsystem.c, snapshot of 2026).
//
// Not modelled of SPDK: a refused register command that changes persistence all the same, acquiring
// type 0, the mark in reports that goes to the eldest registrant whenever anybody is removed.
//
// Sections are those of the reference on NVMe reservations; section 14 lists most of the points.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/types/time.hpp"
#include "sim/disk/nvme_status.hpp"

namespace drydock::sim {

// Who counts as a holder of types 5 and 6 when it acquires or releases. (For reads and writes every
// registrant does, everywhere.) Sections 6 and 7: spec and SPDK `every_registrant`, nvmet `one`.
enum class AllRegistrantsHolders : std::uint8_t { every_registrant, one };

// Which registrants a report marks under types 5 and 6. Section 8: spec and nvmet all of them, SPDK
// the one that acquired, or its heir.
enum class ReportedHolders : std::uint8_t { every_registrant, one };

// What the generation counts. Section 8: spec and nvmet successful commands, SPDK registrants added
// or removed.
enum class GenerationCounts : std::uint8_t { commands, registrants };

// CPTPL = set. Section 10: honoured (RESCAP bit 0), accepted without effect (nvmet), or Invalid
// Field (SPDK without a file to keep it in).
enum class PersistenceSupport : std::uint8_t { honoured, ignored, refused };

// Whose wrong release type is an error. Section 7: the holder's (spec, nvmet: another registrant's
// release is without effect, whatever it says); SPDK compares the type first (nvmf_ns_reservation_
// release).
enum class ReleaseTypeChecked : std::uint8_t { for_holder, for_every_registrant };

// The key by which a preempt finds the holder of types 1 to 4: the one that the holder has, or
// (SPDK, nvmf_ns_reservation_acquire: `crkey`) the one with which it took the reservation, although
// a replace has changed it since.
enum class HolderKey : std::uint8_t { present, acquired_with };

// What becomes of commands of preempted hosts that have started. Section 9: spec aborts what it can
// (0/1Bh); nvmet waits; SPDK waits for `wait_at_most` and then fails the preempting command with
// Command Interrupted, 0/21h (_nvmf_ns_reservation_update_done).
enum class StartedCommands : std::uint8_t { aborted, awaited };

struct ReservationOptions {
  // RESCAP bits 6:1, one per type. Section 1.
  std::uint8_t types = 0x7e;
  PersistenceSupport persistence = PersistenceSupport::honoured;
  // RHII: reservation commands of a host without identifier are refused. Section 2.
  bool needs_host_identifier = false;

  // Register. Section 5.
  bool zero_key_allowed = true;                            // SPDK: Invalid Field.
  NvmeStatus reserved_action = NvmeStatus::invalid_field;  // nvmet: Invalid Opcode.

  // Acquire and preempt. Section 6.
  AllRegistrantsHolders all_registrants_holders = AllRegistrantsHolders::every_registrant;
  // A key that nobody has, with nothing held or types 1 to 4. The standard is silent.
  NvmeStatus preempt_of_unknown_key = NvmeStatus::reservation_conflict;  // SPDK: success.
  NvmeStatus preempt_of_zero = NvmeStatus::invalid_field;  // Types 1 to 4. SPDK: conflict.
  HolderKey holder_key = HolderKey::present;
  // The holder preempts its own key, and others have the same: they are removed. SPDK: only the
  // type changes ("preempt itself" in nvmf_ns_reservation_acquire).
  bool preempt_of_own_key_removes_others = true;
  // Key 0 under types 5 and 6 makes a reservation of the type asked for. SPDK keeps the old type.
  bool preempt_of_all_changes_type = true;
  // "Reservation released" after a preempt that took the reservation over without changing its
  // type. Section 12: no. SPDK: yes (nvmf_ns_reservation_acquire, `reservation_released`).
  bool tells_of_every_takeover = false;
  StartedCommands started_commands = StartedCommands::aborted;
  std::optional<Duration> wait_at_most;

  // Release. Section 7.
  NvmeStatus release_of_wrong_type = NvmeStatus::invalid_field;  // nvmet: conflict.
  ReleaseTypeChecked release_type_checked = ReleaseTypeChecked::for_holder;

  // Report. Section 8.
  ReportedHolders reported_holders = ReportedHolders::every_registrant;
  GenerationCounts generation_counts = GenerationCounts::commands;
  // A buffer shorter than the extended header: success sends what fits. SPDK: 0/06h.
  NvmeStatus short_report = NvmeStatus::success;
};

constexpr ReservationOptions spec_reservations() { return {}; }

constexpr ReservationOptions nvmet_reservations() {
  return {
      .persistence = PersistenceSupport::ignored,
      .reserved_action = NvmeStatus::invalid_opcode,
      .all_registrants_holders = AllRegistrantsHolders::one,
      .started_commands = StartedCommands::awaited,
      .release_of_wrong_type = NvmeStatus::reservation_conflict,
      .short_report = NvmeStatus::invalid_field,
  };
}

constexpr ReservationOptions spdk_reservations() {
  return {
      .zero_key_allowed = false,
      .preempt_of_unknown_key = NvmeStatus::success,
      .preempt_of_zero = NvmeStatus::reservation_conflict,
      .holder_key = HolderKey::acquired_with,
      .preempt_of_own_key_removes_others = false,
      .preempt_of_all_changes_type = false,
      .tells_of_every_takeover = true,
      .started_commands = StartedCommands::awaited,
      .wait_at_most = Duration::s(10),
      .release_type_checked = ReleaseTypeChecked::for_every_registrant,
      .reported_holders = ReportedHolders::one,
      .generation_counts = GenerationCounts::registrants,
      .short_report = NvmeStatus::internal_error,
  };
}

// `spec`, `nvmet` or `spdk`.
constexpr std::optional<ReservationOptions> reservations_named(std::string_view preset) {
  if (preset == "spec") return spec_reservations();
  if (preset == "nvmet") return nvmet_reservations();
  if (preset == "spdk") return spdk_reservations();
  return std::nullopt;
}

}  // namespace drydock::sim
