// Frames: the layout byte by byte, and what the decoder makes of bytes that are late, cut anywhere,
// or wrong. Golden bytes were written by hand from the grammar in remoting_frame.hpp, which states
// the widths of the storage reference, section 12.3.
#include "engine/wire/remoting_frame.hpp"

#include <gtest/gtest.h>

#include <map>

#include "tests/support/bytes_text.hpp"

namespace drydock::test {
namespace {

struct OneField {
  template <class Visit>
  void for_each(Visit visit) const {
    visit("a", "g");
  }
};

//                              length   word     code lang ver opaque   flag     remark   fields
constexpr std::string_view kExample =
    "00000023 0100001d 0136 01 01df 00000007 00000000 00000000 00000008 0001 61 00000001 67 6869";

SharedBytes example() {
  CommandHead head;
  head.code = 310;
  head.language = Language::cpp;
  head.opaque = 7;
  return encode_command(head, OneField(), {}, as_byte_span("hi"));
}

FrameDecoder::Step decode(std::string_view hexadecimal, RemotingCommand& command,
                          FrameDecoder& decoder) {
  decoder.feed(ByteChain(SharedBytes::copy_of(unhex(hexadecimal))));
  return decoder.next(command);
}
FrameFault fault_of(std::string_view hexadecimal) {
  FrameDecoder decoder;
  RemotingCommand command;
  decode(hexadecimal, command, decoder);
  return decoder.fault();
}

TEST(WireFrame, ARequestHasTheDocumentedBytes) {
  EXPECT_EQ(hex(example().span()), hex(unhex(kExample)));
}

TEST(WireFrame, DecodingGivesBackWhatWasEncoded) {
  FrameDecoder decoder;
  RemotingCommand command;
  ASSERT_EQ(decode(kExample, command, decoder), FrameDecoder::Step::command);
  EXPECT_EQ(command.head.code, 310);
  EXPECT_EQ(command.head.version, kVersion533);
  EXPECT_EQ(command.head.opaque, 7);
  EXPECT_FALSE(command.is_response());
  EXPECT_FALSE(command.is_one_way());
  EXPECT_EQ(as_text(command.body.span()), "hi");
  ExtFieldReader fields(command.ext_fields.span());
  std::string_view key;
  std::string_view value;
  ASSERT_TRUE(fields.next(key, value));
  EXPECT_EQ(key, "a");
  EXPECT_EQ(value, "g");
  EXPECT_FALSE(fields.next(key, value));
  EXPECT_TRUE(fields.ok());
}

TEST(WireFrame, ARemarkAndNoFieldsAndNoBodyAreFine) {
  CommandHead head;
  head.flag = kFlagResponse | kFlagOneWay;
  FrameDecoder decoder;
  decoder.feed(ByteChain(encode_command(head, NoFields(), "why", {})));
  RemotingCommand command;
  ASSERT_EQ(decoder.next(command), FrameDecoder::Step::command);
  EXPECT_TRUE(command.is_response());
  EXPECT_TRUE(command.is_one_way());
  EXPECT_EQ(as_text(command.remark.span()), "why");
  EXPECT_TRUE(command.ext_fields.empty());
  EXPECT_TRUE(command.body.empty());
}

TEST(WireFrame, BytesMayArriveOneByOne) {
  const SharedBytes frame = example();
  FrameDecoder decoder;
  RemotingCommand command;
  for (std::size_t i = 0; i + 1 < frame.size(); ++i) {
    decoder.feed(ByteChain(frame.slice(i, 1)));
    ASSERT_EQ(decoder.next(command), FrameDecoder::Step::need_more) << i;
  }
  decoder.feed(ByteChain(frame.slice(frame.size() - 1, 1)));
  ASSERT_EQ(decoder.next(command), FrameDecoder::Step::command);
  EXPECT_EQ(as_text(command.body.span()), "hi");
  EXPECT_EQ(decoder.buffered(), 0u);
}

TEST(WireFrame, SeveralFramesInOnePieceComeOutInOrder) {
  const SharedBytes frame = example();
  SharedBytes both = SharedBytes::allocate(2 * frame.size() + 5);
  BigEndianWriter writer(both.writable());
  for (int i = 0; i < 2; ++i) writer.bytes(frame.span());
  writer.bytes(frame.span().first(5));
  FrameDecoder decoder;
  decoder.feed(ByteChain(both));
  RemotingCommand command;
  EXPECT_EQ(decoder.next(command), FrameDecoder::Step::command);
  EXPECT_EQ(decoder.next(command), FrameDecoder::Step::command);
  EXPECT_EQ(decoder.next(command), FrameDecoder::Step::need_more);
  EXPECT_EQ(decoder.buffered(), 5u);
}

TEST(WireFrame, ABodyInOnePieceIsSharedAndNotCopied) {
  const SharedBytes frame = example();
  FrameDecoder decoder;
  decoder.feed(ByteChain(frame));
  RemotingCommand command;
  ASSERT_EQ(decoder.next(command), FrameDecoder::Step::command);
  EXPECT_EQ(command.body.data(), frame.data() + frame.size() - 2);
}

TEST(WireFrame, WhatIsWrongHasAName) {
  const std::map<std::string_view, FrameFault> cases = {
      {"00000003", FrameFault::length_out_of_range},
      {"ffffffff", FrameFault::length_out_of_range},
      {"01000001", FrameFault::length_out_of_range},  // 16 MiB + 1
      {"00000004 01000001", FrameFault::header_exceeds_frame},
      {"00000006 00000002 7b7b", FrameFault::header_malformed},  // {{
      {"00000006 02000002 0000", FrameFault::unknown_serialization},
      {"00000006 01000002 0000", FrameFault::header_malformed},  // Too short a header.
      {"00000004 01000000", FrameFault::header_malformed},
      // A remark of 1 GiB; fields of which the first is longer than all of them; a negative key.
      {"00000019 01000015 0000 00 0000 00000000 00000000 40000000 00000000",
       FrameFault::header_malformed},
      {"0000001c 01000018 0000 00 0000 00000000 00000000 00000000 00000003 0005 61",
       FrameFault::header_malformed},
      {"0000001b 01000017 0000 00 0000 00000000 00000000 00000000 00000002 ffff",
       FrameFault::header_malformed},
  };
  for (const auto& [bytes, fault] : cases) EXPECT_EQ(fault_of(bytes), fault) << bytes;
}

// Their size may be up to a peer: what a request names, how many brokers have registered.
TEST(WireFrame, AResponseThatNoFrameHoldsBecomesASystemError) {
  const std::string longest(static_cast<std::size_t>(kFrameBytesMax), 'x');
  for (const SerializeType type : {SerializeType::rocketmq, SerializeType::json}) {
    CommandHead request = request_head(RequestCode::get_route_info_by_topic, 7);
    request.serialize_type = type;
    const CommandHead head = response_head(request, ResponseCode::success);
    const std::vector<ByteChain> pieces(2, ByteChain(SharedBytes::copy_of(longest)));
    for (const SharedBytes& frame : {encode_command(head, NoFields(), longest, {}),
                                     encode_command(head, NoFields(), {}, as_byte_span(longest)),
                                     encode_command_in_pieces(head, NoFields(), {}, pieces)}) {
      FrameDecoder decoder;
      decoder.feed(ByteChain(frame));
      RemotingCommand command;
      ASSERT_EQ(decoder.next(command), FrameDecoder::Step::command);
      EXPECT_TRUE(command.is(ResponseCode::system_error));
      EXPECT_TRUE(command.is_response());
      EXPECT_EQ(command.head.opaque, 7);
      EXPECT_EQ(command.head.serialize_type, type);
      EXPECT_LT(frame.size(), 300u);
    }
  }
}

TEST(WireFrame, TheLongestFrameIsSent) {
  const std::size_t room = static_cast<std::size_t>(kFrameBytesMax) - 4 - kBinaryHeaderBytes;
  const std::string body(room, 'x');
  const CommandHead head = response_head(CommandHead(), ResponseCode::success);
  EXPECT_EQ(encode_command(head, NoFields(), {}, as_byte_span(body)).size(),
            4u + static_cast<std::size_t>(kFrameBytesMax));
  EXPECT_LT(encode_command(head, NoFields(), "x", as_byte_span(body)).size(), 300u);
}

TEST(WireFrame, AFaultIsFinal) {
  FrameDecoder decoder;
  RemotingCommand command;
  ASSERT_EQ(decode("00000003", command, decoder), FrameDecoder::Step::fault);
  decoder.feed(ByteChain(example()));
  EXPECT_EQ(decoder.next(command), FrameDecoder::Step::fault);
}

TEST(WireFrame, DecimalTextIsReadStrictly) {
  EXPECT_EQ(DecimalText(-12).view(), "-12");
  EXPECT_EQ(DecimalText(std::int64_t{INT64_MIN}).view(), "-9223372036854775808");
  EXPECT_EQ(parse_decimal<std::int32_t>("2147483647"), 2147483647);
  for (const std::string_view bad : {"", " 1", "1 ", "+1", "0x1", "2147483648", "1.0"}) {
    EXPECT_EQ(parse_decimal<std::int32_t>(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace drydock::test
