// engine/wire holds RocketMQ's remoting protocol as bytes: frames, headers, bodies. Pure: no
// coroutine, no world. What it reads came from somebody else, so whatever is wrong with it is an
// answer, never a crash.
//
//   big_endian          integers in RocketMQ's byte order, bounded readers and writers
//   remoting_frame      one command: frame, binary header, ext fields; the incremental decoder
//   send_message        the header fields of SEND_MESSAGE_V2 and of its response
//   message_properties  the property text of a message
//   message_id          the two ids of a message: by position, and by the client that made it
//   outgoing_frames     frames that wait to be written, joined into larger pieces
//
// What it does not do yet: the JSON header (refused by name), compression, batches.
//
// This file: the frame.
//
//   frame  := length:i32  word:i32  header  body        length counts what follows it
//   word   := serialize type (8 bits), header length (24 bits)
//   header := code:i16 language:u8 version:i16 opaque:i32 flag:i32
//             remark_length:i32 remark  fields_length:i32 { key_length:i16 key value_length:i32
//             value }
//
// Worked example: a request with code 310, language C++, version 479, opaque 7, flag 0, no remark,
// the one field a = "g" and the body "hi":
//
//   00000023  0100001d  0136 01 01df 00000007 00000000 00000000 00000008 0001 61 00000001 67  6869
//   length 35, type 1 and header length 29, …, fields_length 8
//
// Corner cases: a length of 0 stands for "absent", so an empty value and a null are the same; the
// code is 16 bits wide, so codes above 32767 (the pop family) don't fit. Largest frame: 16 MiB.
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/types/bytes.hpp"
#include "engine/wire/big_endian.hpp"

namespace drydock {

inline constexpr std::int32_t kFrameBytesMax = 16'777'216;  // As `length` counts.
inline constexpr std::int16_t kVersion533 = 479;            // What RocketMQ 5.3.3 announces.

enum class SerializeType : std::uint8_t { json = 0, rocketmq = 1 };

enum class Language : std::uint8_t { java = 0, cpp = 1 };

// The request codes that the engine knows.
enum class RequestCode : std::int16_t {
  send_message = 10,
  send_message_v2 = 310,
};

enum class ResponseCode : std::int16_t {
  success = 0,
  system_error = 1,
  system_busy = 2,
  request_code_not_supported = 3,
  flush_disk_timeout = 10,
  slave_not_available = 11,
  flush_slave_timeout = 12,
  message_illegal = 13,
  service_not_available = 14,
  no_permission = 16,
  topic_not_exist = 17,
  invalid_parameter = 29,
  no_buyer_id = 204,  // Two codes that only the client's list of retries names.
  not_in_current_unit = 205,
  go_away = 1500,
};

inline constexpr std::int32_t kFlagResponse = 1;
inline constexpr std::int32_t kFlagOneWay = 2;

// One command without its variable parts.
struct CommandHead {
  std::int16_t code = 0;
  Language language = Language::java;
  std::int16_t version = kVersion533;
  std::int32_t opaque = 0;
  std::int32_t flag = 0;
};

// One command as it was received. The parts share the memory of the frame.
struct RemotingCommand {
  CommandHead head;
  SharedBytes remark;
  SharedBytes ext_fields;  // Encoded pairs, checked by the decoder; read with ExtFieldReader.
  SharedBytes body;

  bool is_response() const { return (head.flag & kFlagResponse) != 0; }
  bool is_one_way() const { return (head.flag & kFlagOneWay) != 0; }
};

// Walks encoded ext fields. The views point into the bytes that were given.
class ExtFieldReader {
 public:
  explicit ExtFieldReader(std::span<const std::byte> encoded) : reader_(encoded) {}
  // False at the end, or where the bytes stop making sense (then `ok` is false).
  bool next(std::string_view& key, std::string_view& value);
  bool ok() const { return reader_.ok(); }

 private:
  BigEndianReader reader_;
};

// An integer as the decimal text that ext fields carry, without allocation.
class DecimalText {
 public:
  explicit DecimalText(std::integral auto value) {
    const auto written = std::to_chars(text_.data(), text_.data() + text_.size(), value);
    size_ = static_cast<std::size_t>(written.ptr - text_.data());
  }
  std::string_view view() const { return {text_.data(), size_}; }

 private:
  std::array<char, 20> text_;
  std::size_t size_;
};

// Reads all of `text` as a decimal integer; none if it is anything else or out of range.
template <std::integral T>
std::optional<T> parse_decimal(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

inline constexpr std::size_t kBinaryHeaderBytes = 21;  // Without remark and fields.

inline std::size_t ext_field_bytes(std::string_view key, std::string_view value) {
  return 2 + key.size() + 4 + value.size();
}
inline void write_ext_field(BigEndianWriter& writer, std::string_view key, std::string_view value) {
  writer.integer(static_cast<std::int16_t>(key.size()));
  writer.text(key);
  writer.integer(static_cast<std::int32_t>(value.size()));
  writer.text(value);
}

// The parts of a frame whose sizes are known; `fields_bytes` is the sum of ext_field_bytes.
struct FrameLayout {
  std::size_t remark_bytes = 0;
  std::size_t fields_bytes = 0;
  std::size_t body_bytes = 0;
  std::size_t header_bytes() const { return kBinaryHeaderBytes + remark_bytes + fields_bytes; }
  std::size_t frame_bytes() const { return 8 + header_bytes() + body_bytes; }
};

// Writes everything in front of the fields.
void write_frame_start(BigEndianWriter& writer, const CommandHead& head, const FrameLayout& layout,
                       std::string_view remark);

// A whole frame in one block. `fields.for_each(visit)` calls visit(key, value) for each field that
// is present; it runs twice, once to measure, so that nothing is allocated but the frame.
template <class Fields>
SharedBytes encode_command(const CommandHead& head, const Fields& fields, std::string_view remark,
                           std::span<const std::byte> body) {
  std::size_t fields_bytes = 0;
  fields.for_each([&](std::string_view key, std::string_view value) {
    fields_bytes += ext_field_bytes(key, value);
  });
  const FrameLayout layout{remark.size(), fields_bytes, body.size()};
  SharedBytes frame = SharedBytes::allocate(layout.frame_bytes());
  BigEndianWriter writer(frame.writable());
  write_frame_start(writer, head, layout, remark);
  fields.for_each(
      [&](std::string_view key, std::string_view value) { write_ext_field(writer, key, value); });
  writer.bytes(body);
  return frame;
}

// For commands without ext fields.
struct NoFields {
  template <class Visit>
  void for_each(Visit) const {}
};

// What is wrong with bytes that claim to be a frame. After any of them the connection is useless.
enum class FrameFault : std::uint8_t {
  none,
  length_out_of_range,   // Shorter than a header word, or beyond kFrameBytesMax.
  header_exceeds_frame,  // The header's length does not fit the frame's.
  json_header,           // Serialisation type 0: not read in this version.
  unknown_serialization,
  header_malformed,  // A length inside the header does not fit.
};
std::string_view name_of(FrameFault fault);

// Cuts a stream of bytes into commands. Give it what was read, then ask until it needs more. It
// holds at most one unfinished frame and what was fed behind it.
class FrameDecoder {
 public:
  enum class Step : std::uint8_t { need_more, command, fault };

  void feed(ByteChain bytes);
  Step next(RemotingCommand& command);
  FrameFault fault() const { return fault_; }
  std::size_t buffered() const { return buffered_; }

 private:
  Step fail(FrameFault fault) {
    fault_ = fault;
    return Step::fault;
  }
  // Takes `count` buffered bytes in one block: shared if they lie in one piece, else copied.
  SharedBytes take(std::size_t count);
  // The first four buffered bytes as an integer; there are that many.
  std::int32_t peek_length() const;

  std::vector<SharedBytes> pieces_;
  std::size_t first_ = 0;  // Pieces before this one were consumed.
  std::size_t buffered_ = 0;
  FrameFault fault_ = FrameFault::none;
};

// Reads what follows the length word of a frame: header word, header, body.
FrameFault decode_command(const SharedBytes& frame, RemotingCommand& command);

}  // namespace drydock
