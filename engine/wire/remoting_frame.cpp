#include "engine/wire/remoting_frame.hpp"

namespace drydock {

void write_frame_start(BigEndianWriter& writer, const CommandHead& head, const FrameLayout& layout,
                       std::string_view remark) {
  ENSURE(frame_holds(layout.header_bytes(), layout.body_bytes));
  const auto word = (static_cast<std::uint32_t>(SerializeType::rocketmq) << 24) |
                    static_cast<std::uint32_t>(layout.header_bytes());
  writer.integer(static_cast<std::int32_t>(layout.frame_bytes() - 4));
  writer.integer(word);
  writer.integer(static_cast<std::int16_t>(head.code));
  writer.integer(static_cast<std::uint8_t>(head.language));
  writer.integer(head.version);
  writer.integer(head.opaque);
  writer.integer(head.flag);
  writer.integer(static_cast<std::int32_t>(remark.size()));
  writer.text(remark);
  writer.integer(static_cast<std::int32_t>(layout.fields_bytes));
}

SharedBytes in_place_of_too_long(const CommandHead& head) {
  ENSURE((head.flag & kFlagResponse) != 0);
  return encode_answer(head, ResponseCode::system_error, "the answer is too long for a frame");
}

void set_opaque(SharedBytes& frame, std::int32_t opaque) {
  constexpr std::size_t kTypeAt = 4;
  constexpr std::size_t kOpaqueAt = 13;  // Length, word, code, language, version.
  const auto bytes = frame.writable();
  ENSURE(bytes.size() >= 8 + kBinaryHeaderBytes);
  ENSURE(bytes[kTypeAt] == std::byte{static_cast<std::uint8_t>(SerializeType::rocketmq)});
  write_big_endian(bytes.data() + kOpaqueAt, opaque);
}

SharedBytes json_frame(std::string_view header, std::size_t body_bytes) {
  ENSURE(frame_holds(header.size(), body_bytes));
  const std::size_t length = 4 + header.size() + body_bytes;
  SharedBytes frame = SharedBytes::allocate(4 + length);
  BigEndianWriter writer(frame.writable());
  writer.integer(static_cast<std::int32_t>(length));
  writer.integer(static_cast<std::uint32_t>(header.size()));  // Type 0 in the top byte.
  writer.text(header);
  return frame;
}

std::string_view name_of(FrameFault fault) {
  switch (fault) {
    case FrameFault::none: return "none";
    case FrameFault::length_out_of_range: return "frame length out of range";
    case FrameFault::header_exceeds_frame: return "header longer than its frame";
    case FrameFault::unknown_serialization: return "unknown serialisation type";
    case FrameFault::header_malformed: return "malformed header";
  }
  return "unnamed";
}

namespace {

// A part of `whole` that `part` points into.
SharedBytes share(const SharedBytes& whole, std::span<const std::byte> part) {
  if (part.empty()) return {};
  return whole.slice(static_cast<std::size_t>(part.data() - whole.data()), part.size());
}

bool fields_readable(std::span<const std::byte> encoded) {
  ExtFieldReader fields(encoded);
  std::string_view key;
  std::string_view value;
  while (fields.next(key, value)) {
  }
  return fields.ok();
}

}  // namespace

FrameFault decode_command(const SharedBytes& frame, RemotingCommand& command) {
  BigEndianReader outer(frame.span());
  const auto word = outer.integer<std::uint32_t>();
  if (!outer.ok()) return FrameFault::length_out_of_range;
  const auto header = outer.bytes(word & 0x00ffffff);
  if (!outer.ok()) return FrameFault::header_exceeds_frame;
  const std::uint32_t type = word >> 24;
  command.body = share(frame, frame.span().subspan(outer.position()));
  if (type == static_cast<std::uint32_t>(SerializeType::json)) {
    const bool read = decode_json_header(as_text(header), command);
    return read ? FrameFault::none : FrameFault::header_malformed;
  }
  if (type != static_cast<std::uint32_t>(SerializeType::rocketmq)) {
    return FrameFault::unknown_serialization;
  }

  BigEndianReader reader(header);
  command.head.serialize_type = SerializeType::rocketmq;
  command.head.code = reader.integer<std::int16_t>();
  command.head.language = static_cast<Language>(reader.integer<std::uint8_t>());
  command.head.version = reader.integer<std::int16_t>();
  command.head.opaque = reader.integer<std::int32_t>();
  command.head.flag = reader.integer<std::int32_t>();
  const auto remark = reader.bytes(reader.integer<std::int32_t>());
  const auto fields = reader.bytes(reader.integer<std::int32_t>());
  if (!reader.ok() || !fields_readable(fields)) return FrameFault::header_malformed;
  command.remark = share(frame, remark);
  command.ext_fields = share(frame, fields);
  return FrameFault::none;
}

void FrameDecoder::feed(ByteChain bytes) {
  buffered_ += bytes.size();
  for (const SharedBytes& piece : bytes.pieces()) pieces_.push_back(piece);
}

FrameDecoder::Step FrameDecoder::next(RemotingCommand& command) {
  if (fault_ != FrameFault::none) return Step::fault;
  if (buffered_ < 4) return Step::need_more;
  const std::int32_t length = peek_length();
  if (length < 4 || length > kFrameBytesMax) return fail(FrameFault::length_out_of_range);
  const std::size_t frame_bytes = 4 + static_cast<std::size_t>(length);
  if (buffered_ < frame_bytes) return Step::need_more;
  const SharedBytes frame = take(frame_bytes);
  const FrameFault fault = decode_command(frame.slice(4, frame.size() - 4), command);
  if (fault != FrameFault::none) return fail(fault);
  return Step::command;
}

std::int32_t FrameDecoder::peek_length() const {
  std::array<std::byte, 4> bytes;
  std::size_t filled = 0;
  for (std::size_t i = first_; filled < bytes.size(); ++i) {
    const auto piece = pieces_[i].span();
    for (std::size_t j = 0; j < piece.size() && filled < bytes.size(); ++j) {
      bytes[filled++] = piece[j];
    }
  }
  return read_big_endian<std::int32_t>(bytes.data());
}

SharedBytes FrameDecoder::take(std::size_t count) {
  buffered_ -= count;
  SharedBytes result;
  if (pieces_[first_].size() >= count) {
    result = pieces_[first_].slice(0, count);
    pieces_[first_] = pieces_[first_].slice(count, pieces_[first_].size() - count);
    if (pieces_[first_].empty()) ++first_;
  } else {
    result = SharedBytes::allocate(count);
    std::span<std::byte> into = result.writable();
    while (!into.empty()) {
      SharedBytes& piece = pieces_[first_];
      const std::size_t length = std::min(piece.size(), into.size());
      std::memcpy(into.data(), piece.data(), length);
      into = into.subspan(length);
      piece = piece.slice(length, piece.size() - length);
      if (piece.empty()) ++first_;
    }
  }
  if (first_ == pieces_.size() || first_ >= 64) {
    pieces_.erase(pieces_.begin(), pieces_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
  return result;
}

}  // namespace drydock
