#include "scenarios/audit/queue_entry.hpp"

#include <cstddef>

namespace drydock::scenarios {
namespace {

std::uint64_t big_endian(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  for (const std::byte byte : bytes) value = (value << 8) | static_cast<std::uint64_t>(byte);
  return value;
}

}  // namespace

QueueEntry decode_queue_entry(std::span<const std::byte> bytes) {
  QueueEntry entry;
  entry.physical_offset = static_cast<std::int64_t>(big_endian(bytes.subspan(0, 8)));
  entry.record_bytes = static_cast<std::int32_t>(big_endian(bytes.subspan(8, 4)));
  return entry;
}

}  // namespace drydock::scenarios
