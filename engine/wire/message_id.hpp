// The two ids of a message (storage reference, 2.9).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/runtime/network.hpp"
#include "engine/types/ids.hpp"
#include "engine/types/time.hpp"

namespace drydock {

// 32 upper-case hexadecimal digits.
using MessageIdText = std::array<char, 32>;

inline std::string_view view_of(const MessageIdText& id) { return {id.data(), id.size()}; }

// The id by position: store host (address, port as i32) and physical offset.
struct OffsetMessageId {
  Endpoint store_host;
  PhysicalOffset offset;
};
MessageIdText encode_offset_message_id(const OffsetMessageId& id);
// None unless it is an id with an IPv4 host: 32 hexadecimal digits of either case.
std::optional<OffsetMessageId> decode_offset_message_id(std::string_view text);

// The id that the client makes (property UNIQ_KEY): address, process, class loader, milliseconds
// since the start of the month, counter. RocketMQ takes the month in local time; we take UTC.
struct UniqueKey {
  std::uint32_t address = 0;
  std::int16_t process = 0;
  std::int32_t loader = 0;  // RocketMQ: hash of the class loader. Here: which producer it was.
  WallTime made;
  std::int16_t counter = 0;
};
MessageIdText encode_unique_key(const UniqueKey& key);

}  // namespace drydock
