#include "sim/disk/reservation_report.hpp"

#include <algorithm>

#include "engine/types/ensure.hpp"

namespace drydock::sim {
namespace {

constexpr std::size_t kExtendedBytes = 64;  // Of the header and of each entry.
constexpr std::size_t kRegularBytes = 24;
// Of a controller that the device knows but does not name: nvmet never names one.
constexpr std::uint64_t kUnnamedController = 0xffff;

void put(std::span<std::byte> into, std::size_t at, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) into[at + i] = static_cast<std::byte>(value >> (8 * i));
}

std::uint64_t get(std::span<const std::byte> from, std::size_t at, std::size_t bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    value |= std::to_integer<std::uint64_t>(from[at + i]) << (8 * i);
  }
  return value;
}

void put_identifier(std::span<std::byte> into, std::size_t at, const HostIdentifier& identifier,
                    std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) into[at + i] = static_cast<std::byte>(identifier[i]);
}

void put_header(std::span<std::byte> into, const ReservationReport& report) {
  put(into, 0, report.generation, 4);
  put(into, 4, static_cast<std::uint64_t>(report.type), 1);
  put(into, 5, report.registrants.size(), 2);
  put(into, 9, report.persists_through_power_loss ? 1 : 0, 1);
}

void put_entry(std::span<std::byte> into, const Registrant& registrant, ReportFormat format) {
  put(into, 0, kUnnamedController, 2);
  put(into, 2, registrant.holds ? 1 : 0, 1);
  if (format == ReportFormat::extended) {
    put(into, 8, registrant.key.value, 8);
    put_identifier(into, 16, registrant.host_identifier, 16);
  } else {
    put_identifier(into, 8, registrant.host_identifier, 8);
    put(into, 16, registrant.key.value, 8);
  }
}

Registrant get_entry(std::span<const std::byte> from) {
  Registrant registrant{.key = {get(from, 8, 8)}, .holds = (get(from, 2, 1) & 1) != 0};
  for (std::size_t i = 0; i < 16; ++i) {
    registrant.host_identifier[i] = std::to_integer<std::uint8_t>(from[16 + i]);
  }
  return registrant;
}

}  // namespace

ReservationReport decode_report(std::span<const std::byte> bytes) {
  ENSURE(bytes.size() >= kExtendedBytes);
  ReservationReport report{.generation = static_cast<std::uint32_t>(get(bytes, 0, 4)),
                           .type = static_cast<ReservationType>(get(bytes, 4, 1)),
                           .persists_through_power_loss = get(bytes, 9, 1) != 0};
  const std::size_t end = std::min(bytes.size(), complete_report_bytes(bytes));
  for (std::size_t at = kExtendedBytes; at + kExtendedBytes <= end; at += kExtendedBytes) {
    report.registrants.push_back(get_entry(bytes.subspan(at, kExtendedBytes)));
  }
  return report;
}

std::size_t complete_report_bytes(std::span<const std::byte> bytes) {
  return kExtendedBytes * (1 + get(bytes, 5, 2));
}

ReportBytes encode_report(const ReservationReport& report, const ReportRequest& request,
                          const ReservationOptions& options, HostIdentifierWidth width) {
  const bool extended = request.format == ReportFormat::extended;
  const bool wide = width == HostIdentifierWidth::bits_128;
  if (extended != wide) {
    return {.status = NvmeStatus::host_identifier_inconsistent_format, .bytes{}};
  }
  const bool refuses_short = options.short_report != NvmeStatus::success;
  if (refuses_short && request.length < kExtendedBytes) {
    return {.status = options.short_report, .bytes{}};
  }
  const std::size_t unit = extended ? kExtendedBytes : kRegularBytes;
  std::vector<std::byte> bytes(unit * (1 + report.registrants.size()));
  const std::span<std::byte> all(bytes);
  put_header(all, report);
  for (std::size_t i = 0; i < report.registrants.size(); ++i) {
    put_entry(all.subspan(unit * (i + 1), unit), report.registrants[i], request.format);
  }
  bytes.resize(std::min(bytes.size(), request.length));
  return {.status = NvmeStatus::success, .bytes = std::move(bytes)};
}

}  // namespace drydock::sim
