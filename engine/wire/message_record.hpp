// One record of the CommitLog as bytes (storage reference, sections 2 and 5.4). Pure.
//
//   record := total_size:i32 magic:i32 body_crc:i32 queue_id:i32 flag:i32 queue_offset:i64
//             physical_offset:i64 sys_flag:i32 born_ms:i64 born_host store_ms:i64 store_host
//             reconsume_times:i32 prepared_offset:i64 body_length:i32 body
//             topic_length:i8 topic properties_length:i16 properties          (version 1)
//   host   := IPv4 address, 4 bytes, or IPv6, 16 bytes (a bit of sys_flag); port:i32
//   blank  := remaining:i32 magic:i32, then anything up to the end of the file
//
// Worked example: the first golden vector of the reference, 133 bytes, is a test. Corner cases: the
// CRC covers the body as stored and nothing else, its top bit is cleared, an empty body is not
// checked; nothing compares physical_offset with the record's place; `remaining` of a blank record
// counts the whole rest of the file although only 8 bytes are written. A CRC of the whole record
// may be the last of its properties: see property_crc.hpp.
//
// We write version 1 with IPv4 hosts; version 2 (topics above 127 bytes) and IPv6 are understood
// when reading.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "engine/runtime/network.hpp"
#include "engine/types/bytes.hpp"
#include "engine/types/ids.hpp"
#include "engine/wire/property_crc.hpp"

namespace drydock {

inline constexpr std::uint32_t kMagicV1 = 0xDAA320A7;
inline constexpr std::uint32_t kMagicV2 = 0xDAA320AB;
inline constexpr std::uint32_t kMagicBlank = 0xCBD43194;
inline constexpr std::int32_t kBlankBytes = 8;      // What is written of a blank record.
inline constexpr std::size_t kRecordBytesMin = 91;  // No body, topic or properties.
inline constexpr std::size_t kTopicBytesMax = 127;  // Version 1 has one signed byte for it.

namespace sys_flag {
inline constexpr std::int32_t kTransactionMask = 0x00C;
inline constexpr std::int32_t kTransactionPrepared = 0x4;
inline constexpr std::int32_t kTransactionCommit = 0x8;
inline constexpr std::int32_t kTransactionRollback = 0xC;
inline constexpr std::int32_t kBornHostIpv6 = 0x010;
inline constexpr std::int32_t kStoreHostIpv6 = 0x020;
inline constexpr std::int32_t kHostMask = kBornHostIpv6 | kStoreHostIpv6;
}  // namespace sys_flag

// What is known of a message before its place in the log is.
struct RecordContent {
  std::int32_t queue_id = 0;
  std::int32_t flag = 0;
  std::int32_t sys_flag = 0;
  std::int64_t born_ms = 0;
  Endpoint born_host;
  Endpoint store_host;
  std::int32_t reconsume_times = 0;
  std::int64_t prepared_offset = 0;
  std::span<const std::byte> body;
  std::span<const std::byte> topic;       // At most kTopicBytesMax.
  std::span<const std::byte> properties;  // At most kPropertiesBytesMax as they are stored.
  PropertyCrc property_crc = PropertyCrc::none;
};

// What is decided under the put lock.
struct RecordPlace {
  QueueOffset queue_offset;
  PhysicalOffset physical_offset;
  std::int64_t store_ms = 0;
};

std::size_t record_bytes(const RecordContent& content);
// The record with its place left open, and with it the value of its property CRC: both are filled
// in by `place_record`, before anybody shares it.
SharedBytes encode_record(const RecordContent& content);
// The same into `into`, which has record_bytes(content) bytes.
void write_record(std::span<std::byte> into, const RecordContent& content);
// `crc`: as in the record's content.
void place_record(std::span<std::byte> record, const RecordPlace& place,
                  PropertyCrc crc = PropertyCrc::none);

// The blank record that closes a file with `remaining` bytes left.
std::array<std::byte, kBlankBytes> encode_blank(std::int32_t remaining);

// The parts of a record that recovery uses. The views point into the record.
struct RecordView {
  std::int32_t queue_id = 0;
  std::int64_t queue_offset = 0;
  std::int64_t physical_offset = 0;
  std::int32_t sys_flag = 0;
  std::int64_t store_ms = 0;
  std::span<const std::byte> body;
  std::span<const std::byte> topic;
  std::span<const std::byte> properties;
};

// The parts of a good record that say where it came from.
struct RecordOrigin {
  std::int32_t flag = 0;
  std::int64_t born_ms = 0;
  Endpoint born_host;  // Without an address if that is IPv6.
  std::int32_t reconsume_times = 0;
  std::int64_t prepared_offset = 0;
};
RecordOrigin origin_of(std::span<const std::byte> record);

// Why a record was refused; RocketMQ itself only logs it.
enum class RecordFault : std::uint8_t {
  none,
  need_more,         // Not refused: the window ends before the record does; see `needed_bytes`.
  buffer_too_short,  // At most 4 bytes left, or fewer than the record claims to have.
  unknown_magic,     // Zeros, for instance.
  unreadable,        // A length inside is negative or leads beyond the file.
  body_crc,
  no_property_crc,
  property_crc,
  length_mismatch,  // The lengths inside do not add up to the total.
};

std::string_view name_of(RecordFault fault);

// RocketMQ's result of the check: (size, success).
//   good record           (total size, yes)
//   blank record          (0, yes): go on with the next file
//   lengths don't add up  (total size, no), unless a property CRC was to be looked at
//   anything else         (-1, no)
struct RecordCheck {
  std::int32_t size = -1;
  bool success = false;
  RecordFault fault = RecordFault::none;
  std::int32_t declared_bytes = 0;  // What the first four bytes say; 0 if there are none.
  std::int64_t needed_bytes = 0;    // With need_more: how long the window must be to go on.

  bool good() const { return success && size > 0; }
  bool blank() const { return success && size == 0; }
};

// What is compared besides the lengths. With `property_crc` a record without that property is
// refused, and the CRC of the body is not looked at.
enum class ContentCheck : std::uint8_t { lengths_only, body_crc, property_crc };

// Checks the record at the front of `window`: the first bytes of the `remaining` ones up to the end
// of the file. The lengths inside the record are followed as far as the file goes, not as far as
// the record's own total, as RocketMQ does. `view` is filled as far as the record could be read.
RecordCheck check_record(std::span<const std::byte> window, std::int64_t remaining,
                         ContentCheck content_check, RecordView& view);

// The store timestamp of the record at the front of a file, if that starts with a record's magic
// and the timestamp is not 0: what abnormal recovery looks at.
std::optional<std::int64_t> first_store_timestamp(std::span<const std::byte> front);
inline constexpr std::int64_t kFirstTimestampBytes = 96;  // Enough for IPv6 hosts.

}  // namespace drydock
