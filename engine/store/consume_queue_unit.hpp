// One entry of a consume queue as bytes, and where it goes (storage reference, 3.1). Pure.
//
//   unit := physical_offset:i64 record_bytes:i32 tags_code:i64        20 bytes
//
// Worked example: a record of 133 bytes at 4660 with the tag TagA is
// 0000000000001234 00000085 000000000027a807.
//
// The n-th unit of a queue belongs to its n-th message, so the place of a unit is queue offset
// · 20. A unit counts as valid if physical_offset >= 0 and record_bytes > 0: zeros are none, but
// the filler in front of a queue that begins in the middle (a *pre-blank* unit: offset 0, 2^31 - 1
// bytes) is one.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <span>

#include "engine/store/mapped_file_queue.hpp"

namespace drydock {

inline constexpr std::int64_t kUnitBytes = 20;
inline constexpr std::int64_t kNoPhysical = -1;  // "No unit yet", where an end offset is expected.

struct ConsumeQueueUnit {
  PhysicalOffset physical;
  std::int32_t bytes = 0;      // Of the whole record.
  std::int64_t tags_code = 0;  // Java's hash of the tag, with its sign; 0 without one.

  // The filler in front of a queue that begins in the middle.
  bool pre_blank() const {
    return physical == PhysicalOffset() && bytes == std::numeric_limits<std::int32_t>::max();
  }
  PhysicalOffset end() const { return physical + bytes; }
  bool valid() const { return physical >= PhysicalOffset() && bytes > 0; }
  friend bool operator==(const ConsumeQueueUnit&, const ConsumeQueueUnit&) = default;
};

using UnitBytes = std::array<std::byte, static_cast<std::size_t>(kUnitBytes)>;
UnitBytes encode_unit(const ConsumeQueueUnit& unit);
// `bytes` has at least kUnitBytes bytes; what follows is ignored.
ConsumeQueueUnit decode_unit(std::span<const std::byte> bytes);
// `count` pre-blank units.
SharedBytes encode_pre_blank_units(std::int64_t count);

// Configured sizes are rounded up to whole units.
constexpr std::int64_t unit_file_bytes(std::int64_t configured) {
  return (configured + kUnitBytes - 1) / kUnitBytes * kUnitBytes;
}
// Whether a queue can begin there. A damaged record may claim any offset: its checksum does not
// cover it.
constexpr bool has_position(QueueOffset offset) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max() / 2 / kUnitBytes;
  return offset.value() >= 0 && offset.value() <= kMax;
}
// Without has_position(offset), what is left of the product in 64 bits with a sign, as in Java.
constexpr UnitPosition unit_position(QueueOffset offset) {
  const auto product = static_cast<std::uint64_t>(offset.value()) * std::uint64_t{kUnitBytes};
  return UnitPosition(static_cast<std::int64_t>(product));
}
constexpr QueueOffset queue_offset_at(UnitPosition position) {
  return QueueOffset(position.value() / kUnitBytes);
}

enum class UnitPlacement : std::uint8_t {
  write,       // At the end of the queue, where it belongs.
  write_late,  // At the end of the queue, although earlier units are missing: numbers shift.
  known,       // Nothing to write: its record, or a later one, has a unit already.
};

// What RocketMQ does with the unit of the message `offset`. `known_to`: the largest end of a record
// that the queue has a unit for, or kNoPhysical. `end`: where the queue ends. A message with queue
// offset 0 is written wherever the queue ends.
UnitPlacement place_unit(const ConsumeQueueUnit& unit, QueueOffset offset, std::int64_t known_to,
                         UnitPosition end);

// The valid units at the front of `bytes`, up to the first whose record starts at or behind `end`.
struct UnitRun {
  std::int64_t count = 0;
  std::optional<ConsumeQueueUnit> last;
};
inline constexpr PhysicalOffset kNoEnd{std::numeric_limits<std::int64_t>::max()};
UnitRun units_in_front_of(std::span<const std::byte> bytes, PhysicalOffset end);

}  // namespace drydock
