// Records and queue entries put together by hand, byte by byte, for tests of the judge: neither the
// engine's encoders nor the judge's decoders have a part in it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "scenarios/workload/bodies.hpp"

namespace drydock::test {

using Bytes = std::vector<std::byte>;

inline void put(Bytes& bytes, std::uint64_t value, int width) {
  for (int i = width - 1; i >= 0; --i) {
    bytes.push_back(static_cast<std::byte>((value >> (8 * i)) & 0xff));
  }
}

inline void put_text(Bytes& bytes, const std::string& text) {
  for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
}

inline void overwrite(Bytes& bytes, std::size_t at, std::uint64_t value, int width) {
  Bytes field;
  put(field, value, width);
  std::copy(field.begin(), field.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
}

// CRC-32, bit by bit: a third implementation, so that neither of the others checks itself.
inline std::uint32_t crc31(std::span<const std::byte> body) {
  std::uint32_t crc = 0xffffffff;
  for (const std::byte byte : body) {
    crc ^= static_cast<std::uint32_t>(byte);
    for (int i = 0; i < 8; ++i) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320 : 0);
  }
  return ~crc & 0x7fffffff;
}

struct HandMadeRecord {
  std::int64_t physical_offset = 0;
  std::uint64_t key = 0;  // Whose body it has.
  std::string keys;       // The property KEYS.
  std::size_t body_bytes = 100;
  std::string topic;
  std::uint32_t queue_id = 0;
  std::uint64_t queue_offset = 0;
  std::uint32_t sys_flag = 0;
  bool property_crc = false;  // The CRC of the whole record is its last property.
};

// Version 1, with hosts of IPv4.
inline Bytes encode(const HandMadeRecord& record) {
  const SharedBytes body = scenarios::body_of(record.key, record.body_bytes);
  std::string properties = std::string("KEYS\x01") + record.keys + "\x02";
  if (record.property_crc) properties += "__CRC32#\x01----------\x02";
  Bytes bytes;
  put(bytes, 91 + record.body_bytes + record.topic.size() + properties.size(), 4);
  put(bytes, 0xdaa320a7, 4);
  put(bytes, crc31(body.span()), 4);
  put(bytes, record.queue_id, 4);
  put(bytes, 0, 4);  // flag
  put(bytes, record.queue_offset, 8);
  put(bytes, static_cast<std::uint64_t>(record.physical_offset), 8);
  put(bytes, record.sys_flag, 4);
  bytes.resize(84);  // Times, hosts, reconsumeTimes, preparedTransactionOffset.
  put(bytes, record.body_bytes, 4);
  bytes.insert(bytes.end(), body.span().begin(), body.span().end());
  put(bytes, record.topic.size(), 1);
  put_text(bytes, record.topic);
  put(bytes, properties.size(), 2);
  put_text(bytes, properties);
  if (record.property_crc) {
    std::uint32_t rest = crc31(std::span(bytes).first(bytes.size() - 20));
    for (std::size_t i = bytes.size() - 11; i + 1 < bytes.size(); ++i, rest /= 10) {
      bytes[i] = static_cast<std::byte>('0' + rest % 10);
    }
  }
  return bytes;
}

inline Bytes encode_entry(std::int64_t physical_offset, std::size_t record_bytes) {
  Bytes bytes;
  put(bytes, static_cast<std::uint64_t>(physical_offset), 8);
  put(bytes, record_bytes, 4);
  put(bytes, 0, 8);  // tagsCode
  return bytes;
}

}  // namespace drydock::test
