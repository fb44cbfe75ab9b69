// Pure: the NVMe statuses that the simulated devices answer with, and what the seam makes of them.
#pragma once

#include <cstdint>

#include "engine/types/result.hpp"

namespace drydock::sim {

// Status code type in bits 10:8, status code in bits 7:0.
// Source: reference on reservations, section 11.
enum class NvmeStatus : std::uint16_t {
  success = 0x000,
  invalid_opcode = 0x001,
  invalid_field = 0x002,
  internal_error = 0x006,
  host_identifier_inconsistent_format = 0x018,
  aborted_by_preempt = 0x01b,  // Command Aborted due to Preempt and Abort.
  command_interrupted = 0x021,
  host_identifier_not_initialized = 0x027,
  reservation_conflict = 0x083,
  host_aborted_command = 0x371,  // Given by the host's driver: Command Aborted By Host.
};

// How a host sees a status other than success. What was aborted may have landed, what the host gave
// up may land yet, and a preempt-and-abort that gave up waiting proves nothing: all are unknown
// (reference, section 9).
constexpr Error error_of(NvmeStatus status) {
  const auto code = [status] {
    switch (status) {
      case NvmeStatus::reservation_conflict: return ErrorCode::reservation_conflict;
      case NvmeStatus::invalid_field: return ErrorCode::invalid_argument;
      case NvmeStatus::invalid_opcode: return ErrorCode::not_supported;
      case NvmeStatus::aborted_by_preempt:
      case NvmeStatus::command_interrupted:
      case NvmeStatus::host_aborted_command: return ErrorCode::outcome_unknown;
      default: return ErrorCode::io_error;
    }
  };
  return Error::from_nvme(code(), static_cast<std::uint16_t>(status));
}

}  // namespace drydock::sim
