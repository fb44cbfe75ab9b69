#include "scenarios/audit/record_decoder.hpp"

#include <zlib.h>

#include <algorithm>
#include <optional>

namespace drydock::scenarios {
namespace {

constexpr std::uint32_t kMagicV1 = 0xDAA320A7;
constexpr std::uint32_t kMagicV2 = 0xDAA320AB;
constexpr std::uint32_t kMagicBlank = 0xCBD43194;
constexpr std::uint32_t kTransactionMask = 0xC;
constexpr std::uint32_t kTransactionPrepared = 0x4;
constexpr std::uint32_t kTransactionRolledBack = 0xC;
constexpr std::uint32_t kBornHostV6 = 0x10;
constexpr std::uint32_t kStoreHostV6 = 0x20;
constexpr std::size_t kBlankBytes = 8;
constexpr std::size_t kPropertyChecksumBytes = 20;  // Name, separator, digits, end.

// Reads big-endian integers front to back; past the end it reads zeros and says so.
class Cursor {
 public:
  explicit Cursor(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::uint64_t integer(std::size_t width) {
    std::uint64_t value = 0;
    for (const std::byte byte : take(width)) {
      value = (value << 8) | static_cast<std::uint64_t>(byte);
    }
    return value;
  }
  std::span<const std::byte> take(std::size_t length) {
    if (length > bytes_.size() - at_) {
      beyond_ = true;
      at_ = bytes_.size();
      return {};
    }
    const auto part = bytes_.subspan(at_, length);
    at_ += length;
    return part;
  }
  std::string_view text(std::size_t length) {
    const auto part = take(length);
    return {reinterpret_cast<const char*>(part.data()), part.size()};
  }
  std::size_t position() const { return at_; }
  bool beyond() const { return beyond_; }

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  bool beyond_ = false;
};

DecodedRecord damaged(std::string_view why) {
  DecodedRecord record;
  record.why = why;
  return record;
}

// CRC-32 without its highest bit, as RocketMQ stores it.
std::uint32_t checksum_of(std::span<const std::byte> bytes) {
  const auto* const data = reinterpret_cast<const Bytef*>(bytes.data());
  return static_cast<std::uint32_t>(crc32(0, data, static_cast<uInt>(bytes.size()))) & 0x7fffffff;
}

// Ten decimal digits, the lowest one first; none if that is not what they are.
std::optional<std::uint64_t> number_of(std::string_view digits) {
  std::uint64_t number = 0;
  if (digits.size() != 10) return std::nullopt;
  for (std::size_t i = digits.size(); i-- > 0;) {
    if (digits[i] < '0' || digits[i] > '9') return std::nullopt;
    number = 10 * number + static_cast<std::uint64_t>(digits[i] - '0');
  }
  return number;
}

DecodedRecord::PropertyChecksum property_checksum(std::span<const std::byte> record,
                                                  std::string_view properties) {
  using enum DecodedRecord::PropertyChecksum;
  const std::string_view told = property(properties, "__CRC32#");
  if (told.empty()) return absent;
  return number_of(told) == checksum_of(record.first(record.size() - kPropertyChecksumBytes))
             ? right
             : wrong;
}

DecodedRecord decode_message(std::span<const std::byte> bytes, std::uint32_t magic) {
  Cursor cursor(bytes);
  cursor.take(4 + 4);  // totalSize, magic
  DecodedRecord record;
  record.kind = DecodedRecord::Kind::message;
  record.total_bytes = static_cast<std::int64_t>(bytes.size());
  const auto checksum = static_cast<std::uint32_t>(cursor.integer(4));
  record.queue_id = static_cast<std::int32_t>(cursor.integer(4));
  cursor.take(4);  // flag
  record.queue_offset = static_cast<std::int64_t>(cursor.integer(8));
  record.physical_offset = static_cast<std::int64_t>(cursor.integer(8));
  const auto flags = static_cast<std::uint32_t>(cursor.integer(4));
  const std::uint32_t transaction = flags & kTransactionMask;
  record.has_queue_entry =
      transaction != kTransactionPrepared && transaction != kTransactionRolledBack;
  cursor.take(8);  // bornTimestamp
  cursor.take((flags & kBornHostV6) != 0 ? 20 : 8);
  record.store_ms = static_cast<std::int64_t>(cursor.integer(8));
  cursor.take((flags & kStoreHostV6) != 0 ? 20 : 8);
  cursor.take(4 + 8);  // reconsumeTimes, preparedTransactionOffset
  record.body = cursor.take(cursor.integer(4));
  record.topic = cursor.text(cursor.integer(magic == kMagicV2 ? 2 : 1));
  record.properties = cursor.text(cursor.integer(2));
  if (cursor.beyond()) return damaged("a field reaches beyond its record");
  if (cursor.position() != bytes.size()) return damaged("the fields do not fill the record");
  record.body_checksum_right = record.body.empty() || checksum_of(record.body) == checksum;
  record.property_checksum = property_checksum(bytes, record.properties);
  return record;
}

}  // namespace

DecodedRecord decode_record(std::span<const std::byte> bytes) {
  Cursor head(bytes);
  const auto total = static_cast<std::size_t>(head.integer(4));
  const auto magic = static_cast<std::uint32_t>(head.integer(4));
  if (head.beyond()) return damaged("fewer than 8 bytes are left");
  if (magic == kMagicBlank) {
    if (total < kBlankBytes || total > bytes.size()) return damaged("a blank of the wrong size");
    DecodedRecord blank;
    blank.kind = DecodedRecord::Kind::blank;
    blank.total_bytes = static_cast<std::int64_t>(total);
    return blank;
  }
  if (magic != kMagicV1 && magic != kMagicV2) return damaged("no record begins here");
  if (total > bytes.size()) return damaged("the record reaches beyond the log");
  return decode_message(bytes.first(total), magic);
}

std::string_view property(std::string_view properties, std::string_view name) {
  std::string_view found;
  while (!properties.empty()) {
    const std::size_t end = std::min(properties.find('\x02'), properties.size());
    const std::string_view piece = properties.substr(0, end);
    properties.remove_prefix(std::min(end + 1, properties.size()));
    const std::size_t middle = piece.find('\x01');
    if (middle != std::string_view::npos && piece.substr(0, middle) == name) {
      found = piece.substr(middle + 1);
    }
  }
  return found;
}

}  // namespace drydock::scenarios
