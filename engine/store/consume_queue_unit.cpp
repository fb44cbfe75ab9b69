#include "engine/store/consume_queue_unit.hpp"

#include "engine/wire/big_endian.hpp"

namespace drydock {

UnitBytes encode_unit(const ConsumeQueueUnit& unit) {
  UnitBytes bytes;
  BigEndianWriter writer(bytes);
  writer.integer(unit.physical.value());
  writer.integer(unit.bytes);
  writer.integer(unit.tags_code);
  return bytes;
}

ConsumeQueueUnit decode_unit(std::span<const std::byte> bytes) {
  BigEndianReader reader(bytes);
  ConsumeQueueUnit unit;
  unit.physical = PhysicalOffset(reader.integer<std::int64_t>());
  unit.bytes = reader.integer<std::int32_t>();
  unit.tags_code = reader.integer<std::int64_t>();
  return unit;
}

SharedBytes encode_pre_blank_units(std::int64_t count) {
  const UnitBytes blank = encode_unit({.bytes = std::numeric_limits<std::int32_t>::max()});
  SharedBytes bytes = SharedBytes::allocate(static_cast<std::size_t>(count * kUnitBytes));
  BigEndianWriter writer(bytes.writable());
  for (std::int64_t i = 0; i < count; ++i) writer.bytes(blank);
  return bytes;
}

UnitPlacement place_unit(const ConsumeQueueUnit& unit, QueueOffset offset, std::int64_t known_to,
                         UnitPosition end) {
  if (unit.end().value() <= known_to) return UnitPlacement::known;
  if (offset == QueueOffset()) return UnitPlacement::write;
  const UnitPosition place = unit_position(offset);
  if (place < end) return UnitPlacement::known;
  return place == end ? UnitPlacement::write : UnitPlacement::write_late;
}

UnitRun units_in_front_of(std::span<const std::byte> bytes, PhysicalOffset end) {
  UnitRun run;
  constexpr auto kBytes = static_cast<std::size_t>(kUnitBytes);
  for (std::size_t at = 0; bytes.size() - at >= kBytes; at += kBytes) {
    const ConsumeQueueUnit unit = decode_unit(bytes.subspan(at));
    if (!unit.valid() || unit.physical >= end) break;
    run.last = unit;
    ++run.count;
  }
  return run;
}

}  // namespace drydock
