// The CRC of a whole record, which RocketMQ can keep as the last of its properties
// (enabledAppendPropCRC; storage reference, 2.3). Pure.
//
//   property_crc := "__CRC32#" 0x01 digit{10} 0x02        the last 20 bytes of the record
//
// The digits are those of the sum over everything in front of the property, the least significant
// one first; the sum has 31 bits, as that of a body. Worked example: over the golden record of the
// reference it is 1850941071, written 1701490581. Corner cases: properties that don't end in 0x02
// get one in front of it, which is covered; readers take the last property of that name, wherever
// it stands, and compare it with the sum over all but the record's last 20 bytes; so the sum of a
// record that carries another one's property is wrong, not absent.
#pragma once

#include <cstdint>
#include <span>

#include "engine/types/bytes.hpp"

namespace drydock {

inline constexpr std::size_t kPropertyCrcBytes = 20;

enum class PropertyCrc : std::uint8_t { none, appended };

// How many bytes `properties` take in a record, with what is put behind them.
std::size_t stored_properties_bytes(std::span<const std::byte> properties, PropertyCrc crc);

// Writes the properties into `into`, which has so many bytes; the CRC with the value 0.
void write_stored_properties(std::span<std::byte> into, std::span<const std::byte> properties,
                             PropertyCrc crc);

// Gives the CRC at the end of `record` its value; everything in front of it is final.
void set_property_crc(std::span<std::byte> record);

enum class PropertyCrcState : std::uint8_t { absent, right, wrong };

// `properties`: those of `record`.
PropertyCrcState check_property_crc(std::span<const std::byte> record,
                                    std::span<const std::byte> properties);

}  // namespace drydock
