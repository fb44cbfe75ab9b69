// engine/wire holds RocketMQ's remoting protocol: frames, headers, bodies, and the connections that
// carry them. What it reads came from somebody else, so whatever is wrong with it is an answer,
// never a crash.
//
// Bytes (pure: no coroutine, no world):
//   big_endian          integers in RocketMQ's byte order, bounded readers and writers
//   remoting_command    one command as values: codes, head, ext fields
//   remoting_frame      its frame and its binary header; the incremental decoder
//   json_header         its header in JSON
//   json_text           JSON in fastjson's dialect, with limits
//   send_message        the header fields of SEND_MESSAGE, SEND_MESSAGE_V2 and their response
//   message_batch       several messages in one send
//   query_message       requests that look for messages or for a time
//   pull_message        those of PULL_MESSAGE, and the records in its answer
//   tag_expression      which messages a consumer wants
//   consumer_group      who is in a group of consumers, and which queues are locked
//   consumer_offset     requests about the ends of a queue, and how far a group has come in it
//   topic_admin         what operators ask about topics and groups
//   register_broker     what a broker tells a name server, and data_version
//   topic_route         what a name server tells clients
//   heartbeat           what a client tells brokers
//   message_record      a message as the log holds it and as a pull returns it
//   message_properties  the property text of a message
//   message_id          the two ids of a message: by position, and by the client that made it
//   endpoint_text       addresses as text
//   compression         zlib
//   outgoing_frames     frames that wait to be written, joined into larger pieces
//
// Connections:
//   frame_server        accepts, cuts frames, hands requests to a handler; server_connection
//   request_connection  one connection shared by all requests in flight, matched by opaque
//
// What it does not do yet: compressed messages.
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
// With type 0 the header is a JSON object instead: see json_header.hpp.
//
// Corner cases: a length of 0 stands for "absent", so an empty value and a null are the same; the
// code is 16 bits wide, so codes above 32767 (the pop family) don't fit. Largest frame: 16 MiB.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "engine/types/bytes.hpp"
#include "engine/wire/json_header.hpp"
#include "engine/wire/remoting_command.hpp"

namespace drydock {

inline constexpr std::int32_t kFrameBytesMax = 16'777'216;  // As `length` counts.
inline constexpr std::size_t kBinaryHeaderBytes = 21;       // Without remark and fields.

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

// Whether a frame may be as long as these two parts make it.
inline bool frame_holds(std::size_t header_bytes, std::size_t body_bytes) {
  return 4 + header_bytes + body_bytes <= static_cast<std::size_t>(kFrameBytesMax);
}

// A frame around a header in JSON, its body left open.
SharedBytes json_frame(std::string_view header, std::size_t body_bytes);

// A frame in one block whose last `body_bytes` bytes the caller fills, before anybody shares it.
// `fields.for_each(visit)` calls visit(key, value) for each field that is present; for a binary
// header it runs twice, once to measure, so that nothing is allocated but the frame. Empty if no
// frame holds that much.
template <class Fields>
SharedBytes encode_before_body(const CommandHead& head, const Fields& fields,
                               std::string_view remark, std::size_t body_bytes) {
  if (head.serialize_type == SerializeType::json) {
    JsonHeaderText header(head);
    fields.for_each(
        [&](std::string_view key, std::string_view value) { header.add_field(key, value); });
    const std::string text = header.finish(remark);
    return frame_holds(text.size(), body_bytes) ? json_frame(text, body_bytes) : SharedBytes();
  }
  std::size_t fields_bytes = 0;
  fields.for_each([&](std::string_view key, std::string_view value) {
    fields_bytes += ext_field_bytes(key, value);
  });
  const FrameLayout layout{remark.size(), fields_bytes, body_bytes};
  if (!frame_holds(layout.header_bytes(), body_bytes)) return {};
  SharedBytes frame = SharedBytes::allocate(layout.frame_bytes());
  BigEndianWriter writer(frame.writable());
  write_frame_start(writer, head, layout, remark);
  fields.for_each(
      [&](std::string_view key, std::string_view value) { write_ext_field(writer, key, value); });
  return frame;
}

// The part of a frame that its body is.
inline std::span<std::byte> body_of(SharedBytes& frame, std::size_t body_bytes) {
  return frame.writable().last(body_bytes);
}

// What is sent in place of a frame that would be too long: SYSTEM_ERROR. How long a response is may
// be up to a peer; the length of a request is not.
SharedBytes in_place_of_too_long(const CommandHead& head);

// A whole frame.
template <class Fields>
SharedBytes encode_command(const CommandHead& head, const Fields& fields, std::string_view remark,
                           std::span<const std::byte> body) {
  SharedBytes frame = encode_before_body(head, fields, remark, body.size());
  if (frame.empty()) return in_place_of_too_long(head);
  if (!body.empty()) std::memcpy(body_of(frame, body.size()).data(), body.data(), body.size());
  return frame;
}

// A whole frame whose body lies in pieces.
template <class Fields>
SharedBytes encode_command_in_pieces(const CommandHead& head, const Fields& fields,
                                     std::string_view remark, std::span<const ByteChain> body) {
  std::size_t body_bytes = 0;
  for (const ByteChain& piece : body) body_bytes += piece.size();
  SharedBytes frame = encode_before_body(head, fields, remark, body_bytes);
  if (frame.empty()) return in_place_of_too_long(head);
  std::span<std::byte> rest = body_of(frame, body_bytes);
  for (const ByteChain& piece : body) {
    piece.copy_to(0, rest.first(piece.size()));
    rest = rest.subspan(piece.size());
  }
  return frame;
}

// Numbers a request that is encoded already, with a binary header, and that nobody else holds.
void set_opaque(SharedBytes& frame, std::int32_t opaque);

// A response without fields or body.
inline SharedBytes encode_answer(const CommandHead& request, ResponseCode code,
                                 std::string_view remark = {}) {
  return encode_command(response_head(request, code), NoFields(), remark, {});
}

// What is wrong with bytes that claim to be a frame. After any of them the connection is useless.
enum class FrameFault : std::uint8_t {
  none,
  length_out_of_range,   // Shorter than a header word, or beyond kFrameBytesMax.
  header_exceeds_frame,  // The header's length does not fit the frame's.
  unknown_serialization,
  header_malformed,  // A length inside the header does not fit, or it is not the JSON of a header.
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
