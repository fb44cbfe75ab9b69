#include "engine/wire/message_record.hpp"

#include "engine/wire/big_endian.hpp"
#include "engine/wire/compression.hpp"
#include "engine/wire/message_properties.hpp"

namespace drydock {

namespace {

// Where the fields lie that are filled in under the put lock, with IPv4 hosts.
constexpr std::size_t kQueueOffsetAt = 20;
constexpr std::size_t kPhysicalOffsetAt = 28;
constexpr std::size_t kStoreTimestampAt = 56;
constexpr std::size_t kSysFlagAt = 36;
constexpr std::size_t kIpv6ExtraBytes = 12;

void write_host(BigEndianWriter& writer, Endpoint host) {
  writer.integer(host.address);
  writer.integer(static_cast<std::int32_t>(host.port));
}

// Reads a record's fields one after the other; stops at the first that is not there.
class RecordCursor {
 public:
  RecordCursor(std::span<const std::byte> window, std::int64_t remaining)
      : window_(window), remaining_(remaining) {}

  template <std::integral T>
  T integer() {
    const auto part = bytes(sizeof(T));
    return part.empty() ? T{} : read_big_endian<T>(part.data());
  }
  std::span<const std::byte> bytes(std::int64_t count) {
    if (!advance(count) || count == 0) return {};
    return window_.subspan(static_cast<std::size_t>(at_ - count), static_cast<std::size_t>(count));
  }
  bool ok() const { return fault_ == RecordFault::none; }
  RecordFault fault() const { return fault_; }
  std::int64_t at() const { return at_; }
  std::int64_t needed() const { return needed_; }

 private:
  bool advance(std::int64_t count) {
    if (!ok()) return false;
    if (count < 0 || count > remaining_ - at_) {
      fault_ = RecordFault::unreadable;
      return false;
    }
    if (at_ + count > static_cast<std::int64_t>(window_.size())) {
      fault_ = RecordFault::need_more;
      needed_ = at_ + count;
      return false;
    }
    at_ += count;
    return true;
  }

  std::span<const std::byte> window_;
  std::int64_t remaining_;
  std::int64_t at_ = 0;
  std::int64_t needed_ = 0;
  RecordFault fault_ = RecordFault::none;
};

std::int64_t host_bytes(std::int32_t flags, std::int32_t ipv6_bit) {
  return (flags & ipv6_bit) != 0 ? 20 : 8;
}

// Reads the fields behind the magic up to the body, the body included. Returns the body's CRC as
// the record has it.
std::uint32_t read_fields(RecordCursor& cursor, RecordView& view) {
  const auto stored_crc = cursor.integer<std::uint32_t>();
  view.queue_id = cursor.integer<std::int32_t>();
  cursor.integer<std::int32_t>();  // flag
  view.queue_offset = cursor.integer<std::int64_t>();
  view.physical_offset = cursor.integer<std::int64_t>();
  view.sys_flag = cursor.integer<std::int32_t>();
  cursor.integer<std::int64_t>();  // born timestamp
  cursor.bytes(host_bytes(view.sys_flag, sys_flag::kBornHostIpv6));
  view.store_ms = cursor.integer<std::int64_t>();
  cursor.bytes(host_bytes(view.sys_flag, sys_flag::kStoreHostIpv6));
  cursor.integer<std::int32_t>();  // reconsume times
  cursor.integer<std::int64_t>();  // prepared transaction offset
  const auto body_bytes = cursor.integer<std::int32_t>();
  view.body = body_bytes > 0 ? cursor.bytes(body_bytes) : std::span<const std::byte>();
  return stored_crc;
}

void read_variable_fields(RecordCursor& cursor, std::uint32_t magic, RecordView& view) {
  const std::int64_t topic_bytes = magic == kMagicV2 ? std::int64_t{cursor.integer<std::int16_t>()}
                                                     : std::int64_t{cursor.integer<std::int8_t>()};
  view.topic = cursor.bytes(topic_bytes);
  const auto properties_bytes = cursor.integer<std::int16_t>();
  view.properties =
      properties_bytes > 0 ? cursor.bytes(properties_bytes) : std::span<const std::byte>();
}

RecordCheck refused(RecordCheck check, RecordFault fault) {
  check.fault = fault;
  return check;
}

// RocketMQ sums up first and compares the lengths then: if they don't add up, it has the sum of
// other bytes, which is wrong.
RecordCheck checked_by_property(RecordCheck check, std::span<const std::byte> record,
                                const RecordView& view) {
  const bool whole = static_cast<std::int64_t>(record.size()) == check.declared_bytes;
  if (!whole) return refused(check, RecordFault::length_mismatch);
  const PropertyCrcState state = check_property_crc(record, view.properties);
  if (state == PropertyCrcState::absent) return refused(check, RecordFault::no_property_crc);
  if (state == PropertyCrcState::wrong) return refused(check, RecordFault::property_crc);
  check.size = check.declared_bytes;
  check.success = true;
  return check;
}

RecordCheck stopped(RecordCheck check, const RecordCursor& cursor) {
  check.needed_bytes = cursor.needed();
  return refused(check, cursor.fault());
}

}  // namespace

std::string_view name_of(RecordFault fault) {
  switch (fault) {
    case RecordFault::none: return "none";
    case RecordFault::need_more: return "window too small";
    case RecordFault::buffer_too_short: return "longer than the rest of the file";
    case RecordFault::unknown_magic: return "no record there";
    case RecordFault::unreadable: return "unreadable lengths";
    case RecordFault::body_crc: return "wrong body checksum";
    case RecordFault::no_property_crc: return "no property checksum";
    case RecordFault::property_crc: return "wrong property checksum";
    case RecordFault::length_mismatch: return "lengths do not add up";
  }
  return "unnamed";
}

std::size_t record_bytes(const RecordContent& content) {
  return kRecordBytesMin + content.body.size() + content.topic.size() +
         stored_properties_bytes(content.properties, content.property_crc);
}

SharedBytes encode_record(const RecordContent& content) {
  SharedBytes record = SharedBytes::allocate(record_bytes(content));
  write_record(record.writable(), content);
  return record;
}

void write_record(std::span<std::byte> into, const RecordContent& content) {
  ENSURE(content.topic.size() <= kTopicBytesMax);
  const std::size_t properties_bytes =
      stored_properties_bytes(content.properties, content.property_crc);
  ENSURE(properties_bytes <= kPropertiesBytesMax);
  // The flag tells readers how long the hosts are; we write short ones.
  ENSURE((content.sys_flag & sys_flag::kHostMask) == 0);
  const std::size_t total = into.size();
  BigEndianWriter writer(into);
  writer.integer(static_cast<std::int32_t>(total));
  writer.integer(kMagicV1);
  writer.integer(content.body.empty() ? 0 : body_crc(content.body));
  writer.integer(content.queue_id);
  writer.integer(content.flag);
  writer.integer(std::int64_t{0});  // queue offset
  writer.integer(std::int64_t{0});  // physical offset
  writer.integer(content.sys_flag);
  writer.integer(content.born_ms);
  write_host(writer, content.born_host);
  writer.integer(std::int64_t{0});  // store timestamp
  write_host(writer, content.store_host);
  writer.integer(content.reconsume_times);
  writer.integer(content.prepared_offset);
  writer.integer(static_cast<std::int32_t>(content.body.size()));
  writer.bytes(content.body);
  writer.integer(static_cast<std::int8_t>(content.topic.size()));
  writer.bytes(content.topic);
  writer.integer(static_cast<std::int16_t>(properties_bytes));
  ENSURE(writer.position() + properties_bytes == total);
  write_stored_properties(into.last(properties_bytes), content.properties, content.property_crc);
}

void place_record(std::span<std::byte> record, const RecordPlace& place, PropertyCrc crc) {
  ENSURE(record.size() >= kRecordBytesMin);
  write_big_endian(record.data() + kQueueOffsetAt, place.queue_offset.value());
  write_big_endian(record.data() + kPhysicalOffsetAt, place.physical_offset.value());
  write_big_endian(record.data() + kStoreTimestampAt, place.store_ms);
  if (crc == PropertyCrc::appended) set_property_crc(record);
}

std::array<std::byte, kBlankBytes> encode_blank(std::int32_t remaining) {
  ENSURE(remaining >= kBlankBytes);
  std::array<std::byte, kBlankBytes> blank;
  write_big_endian(blank.data(), remaining);
  write_big_endian(blank.data() + 4, kMagicBlank);
  return blank;
}

RecordCheck check_record(std::span<const std::byte> window, std::int64_t remaining,
                         ContentCheck content_check, RecordView& view) {
  RecordCheck check;
  if (remaining <= 4) return refused(check, RecordFault::buffer_too_short);
  RecordCursor cursor(window, remaining);
  check.declared_bytes = cursor.integer<std::int32_t>();
  if (!cursor.ok()) return stopped(check, cursor);
  if (check.declared_bytes > remaining) return refused(check, RecordFault::buffer_too_short);

  const auto magic = cursor.integer<std::uint32_t>();
  if (!cursor.ok()) return stopped(check, cursor);
  if (magic == kMagicBlank) {
    check.size = 0;
    check.success = true;
    return check;
  }
  if (magic != kMagicV1 && magic != kMagicV2) return refused(check, RecordFault::unknown_magic);

  const std::uint32_t stored_crc = read_fields(cursor, view);
  if (!cursor.ok()) return stopped(check, cursor);
  const bool verify = content_check == ContentCheck::body_crc && !view.body.empty();
  if (verify && body_crc(view.body) != stored_crc) return refused(check, RecordFault::body_crc);

  read_variable_fields(cursor, magic, view);
  if (!cursor.ok()) return stopped(check, cursor);
  if (content_check == ContentCheck::property_crc) {
    return checked_by_property(check, window.first(static_cast<std::size_t>(cursor.at())), view);
  }
  check.size = check.declared_bytes;
  check.success = cursor.at() == check.declared_bytes;
  check.fault = check.success ? RecordFault::none : RecordFault::length_mismatch;
  return check;
}

RecordOrigin origin_of(std::span<const std::byte> record) {
  BigEndianReader reader(record.subspan(16));  // Behind total, magic, CRC and queue id.
  RecordOrigin origin;
  origin.flag = reader.integer<std::int32_t>();
  reader.bytes(16);  // Queue offset and physical offset.
  const auto flags = reader.integer<std::int32_t>();
  origin.born_ms = reader.integer<std::int64_t>();
  if ((flags & sys_flag::kBornHostIpv6) == 0) {
    origin.born_host.address = reader.integer<std::uint32_t>();
  } else {
    reader.bytes(16);
  }
  origin.born_host.port = static_cast<std::uint16_t>(reader.integer<std::int32_t>());
  reader.bytes(8);  // Store timestamp.
  reader.bytes(host_bytes(flags, sys_flag::kStoreHostIpv6));
  origin.reconsume_times = reader.integer<std::int32_t>();
  origin.prepared_offset = reader.integer<std::int64_t>();
  ENSURE(reader.ok());
  return origin;
}

std::optional<std::int64_t> first_store_timestamp(std::span<const std::byte> front) {
  if (front.size() < static_cast<std::size_t>(kFirstTimestampBytes)) return std::nullopt;
  const auto magic = read_big_endian<std::uint32_t>(front.data() + 4);
  if (magic != kMagicV1 && magic != kMagicV2) return std::nullopt;
  const auto flags = read_big_endian<std::int32_t>(front.data() + kSysFlagAt);
  const bool ipv6 = (flags & sys_flag::kBornHostIpv6) != 0;
  const std::size_t at = kStoreTimestampAt + (ipv6 ? kIpv6ExtraBytes : 0);
  const auto timestamp = read_big_endian<std::int64_t>(front.data() + at);
  if (timestamp == 0) return std::nullopt;
  return timestamp;
}

}  // namespace drydock
