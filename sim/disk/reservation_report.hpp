// Pure: a reservation report as the bytes of the Reservation Report command.
//
//   byte  header                 byte   entry, regular (24 B)      byte   entry, extended (64 B)
//   0-3   generation             0-1    controller, always FFFFh   0-1    controller, always FFFFh
//   4     type, 0 = none held    2      bit 0: holds               2      bit 0: holds
//   5-6   number of registrants  8-15   host identifier            8-15   key
//   9     persists               16-23  key                        16-31  host identifier
//
// The header has 24 bytes in the regular format and 64 in the extended one. All numbers are little
// endian. The count is complete even if the buffer is short. Key and identifier swap places.
// Source: reference on reservations, section 8.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/types/reservations.hpp"
#include "sim/disk/reservations.hpp"

namespace drydock::sim {

// All hosts of a subsystem have identifiers of one width; a report has to be asked for in its
// format. A 64-bit identifier is the first half of a HostIdentifier.
enum class HostIdentifierWidth : std::uint8_t { bits_64, bits_128 };

struct ReportBytes {
  NvmeStatus status = NvmeStatus::success;
  std::vector<std::byte> bytes;  // At most as many as were asked for.
};

// What the bytes of an extended report say. They hold at least the header; entries that did not fit
// are left out.
ReservationReport decode_report(std::span<const std::byte> bytes);
// How long an extended report would be if it were complete, by its header.
std::size_t complete_report_bytes(std::span<const std::byte> bytes);

ReportBytes encode_report(const ReservationReport& report, const ReportRequest& request,
                          const ReservationOptions& options, HostIdentifierWidth width);

}  // namespace drydock::sim
