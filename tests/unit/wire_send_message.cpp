// The header of a send and of its response, message ids and properties. Golden ids: storage
// reference, 2.12; the unique key was put together by hand as its comment says.
#include "engine/wire/send_message.hpp"

#include <gtest/gtest.h>

#include <string>

#include "engine/wire/message_properties.hpp"
#include "tests/support/bytes_text.hpp"

namespace drydock::test {
namespace {

constexpr Endpoint kStoreHost{0x7f000001, 10911};

template <class Fields>
SharedBytes ext_fields_of(const Fields& fields) {
  FrameDecoder decoder;
  decoder.feed(ByteChain(encode_command({}, fields, {}, {})));
  RemotingCommand command;
  EXPECT_EQ(decoder.next(command), FrameDecoder::Step::command);
  return command.ext_fields;
}

SendMessageHeader example() {
  SendMessageHeader header;
  header.producer_group = "group";
  header.topic = "TopicTest";
  header.queue_id = 3;
  header.sys_flag = 16;
  header.born_timestamp_ms = 1'700'000'000'000;
  header.flag = -7;
  header.properties = "KEYS\x01k1\x02";
  header.reconsume_times = 2;
  header.unit_mode = true;
  return header;
}

TEST(WireSendMessage, TheHeaderUsesOneLetterNames) {
  const SharedBytes encoded = ext_fields_of(example());
  std::string text;
  ExtFieldReader fields(encoded.span());
  std::string_view key;
  std::string_view value;
  while (fields.next(key, value)) text += std::string(key) + "=" + std::string(value) + ";";
  EXPECT_EQ(text,
            "a=group;b=TopicTest;c=TBW102;d=4;e=3;f=16;g=1700000000000;h=-7;i=KEYS\x01k1\x02;j=2;"
            "k=true;m=false;");
}

TEST(WireSendMessage, TheHeaderIsReadBack) {
  const SharedBytes encoded = ext_fields_of(example());
  SendMessageHeader header;
  ASSERT_TRUE(decode_send_message_header(encoded.span(), header).ok());
  EXPECT_EQ(header.producer_group, "group");
  EXPECT_EQ(header.topic, "TopicTest");
  EXPECT_EQ(header.default_topic, "TBW102");
  EXPECT_EQ(header.queue_id, 3);
  EXPECT_EQ(header.sys_flag, 16);
  EXPECT_EQ(header.born_timestamp_ms, 1'700'000'000'000);
  EXPECT_EQ(header.flag, -7);
  EXPECT_EQ(header.properties, "KEYS\x01k1\x02");
  EXPECT_EQ(header.reconsume_times, 2);
  EXPECT_TRUE(header.unit_mode);
  EXPECT_FALSE(header.batch);
}

// All fields of the example but one, with one replaced.
struct Changed {
  std::string_view name;
  std::string_view value;  // Empty: left out.
  template <class Visit>
  void for_each(Visit visit) const {
    example().for_each([&](std::string_view key, std::string_view original) {
      if (key != name) return visit(key, original);
      if (!value.empty()) visit(key, value);
    });
  }
};

TEST(WireSendMessage, AMissingRequiredFieldIsNamed) {
  for (const std::string_view name : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
    const SharedBytes encoded = ext_fields_of(Changed{name, {}});
    SendMessageHeader header;
    EXPECT_EQ(decode_send_message_header(encoded.span(), header).field, name);
  }
  for (const std::string_view name : {"i", "j", "k", "m"}) {
    const SharedBytes encoded = ext_fields_of(Changed{name, {}});
    SendMessageHeader header;
    EXPECT_TRUE(decode_send_message_header(encoded.span(), header).ok()) << name;
  }
}

TEST(WireSendMessage, ANumberThatIsNoneIsNamed) {
  for (const std::string_view name : {"d", "e", "f", "g", "h", "j"}) {
    const SharedBytes encoded = ext_fields_of(Changed{name, "12x"});
    SendMessageHeader header;
    EXPECT_EQ(decode_send_message_header(encoded.span(), header).field, name);
  }
}

TEST(WireSendMessage, TheResponseIsReadBack) {
  const OffsetMessageId id{kStoreHost, PhysicalOffset(4660)};
  const SendMessageResponse response{encode_offset_message_id(id), 3, QueueOffset(7)};
  const SharedBytes encoded = ext_fields_of(response);
  const auto receipt = decode_send_message_response(encoded.span());
  ASSERT_TRUE(receipt.has_value());
  EXPECT_EQ(receipt->message_id.offset, PhysicalOffset(4660));
  EXPECT_EQ(receipt->message_id.store_host, kStoreHost);
  EXPECT_EQ(receipt->queue_id, 3);
  EXPECT_EQ(receipt->queue_offset, QueueOffset(7));
}

TEST(WireSendMessage, AResponseWithoutAMessageIdIsNone) {
  EXPECT_EQ(decode_send_message_response({}), std::nullopt);
  const SharedBytes request = ext_fields_of(example());
  EXPECT_EQ(decode_send_message_response(request.span()), std::nullopt);
}

TEST(WireMessageId, TheIdByPositionIsTheReferences) {
  const OffsetMessageId id{kStoreHost, PhysicalOffset(4660)};
  EXPECT_EQ(view_of(encode_offset_message_id(id)), "7F00000100002A9F0000000000001234");
}

TEST(WireMessageId, WhatIsNoIdIsRefused) {
  EXPECT_TRUE(decode_offset_message_id("7f00000100002a9f0000000000001234").has_value());
  for (const std::string_view bad :
       {"", "7F00000100002A9F000000000000123", "7F00000100002A9F00000000000012345",
        "7F00000100002A9F000000000000123G", "7F0000010001000000000000000012 4",
        "7F0000010001000000000000000012340", "7F00000100010000FFFFFFFFFFFFFFFF"}) {
    EXPECT_EQ(decode_offset_message_id(bad), std::nullopt) << bad;
  }
}

TEST(WireMessageId, AUniqueKeyHoldsAddressProcessLoaderTimeAndCounter) {
  // 2024-03-01 00:00:01.500 UTC, the day after a leap day: 1500 ms = 0x5dc since the month's start.
  const UniqueKey key{.address = 0x0a14101f,
                      .process = 0x0102,
                      .loader = 0x11223344,
                      .made = WallTime::at_ns(1'709'251'201'500'000'000),
                      .counter = 9};
  EXPECT_EQ(view_of(encode_unique_key(key)), "0A14101F010211223344000005DC0009");
}

TEST(WireProperties, TheLastOfTwoAndNoHalfPropertiesCount) {
  const std::string_view text =
      "A\x01"
      "1\x02"
      "B\x01\x02\x01"
      "x\x02"
      "C\x02"
      "A\x01"
      "2";
  EXPECT_EQ(find_property(text, "A"), "2");
  EXPECT_EQ(find_property(text, "B"), "");
  EXPECT_EQ(find_property(text, "C"), "");
}

TEST(WireProperties, EncodingLeavesOutEmptyValues) {
  const Property parts[] = {{"KEYS", "k1"}, {"TAGS", ""}, {"WAIT", "true"}};
  EXPECT_EQ(as_text(encode_properties(parts).span()), "KEYS\x01k1\x02WAIT\x01true\x02");
}

TEST(WireProperties, RewritingReplacesWhatTheBrokerIsTheAuthorOf) {
  const std::string_view received = "KEYS\x01k1\x02POP_CK\x01x\x02CLUSTER\x01old\x02TAGS\x01t";
  const Property added[] = {{"CLUSTER", "c"}, {"MSG_REGION", "r"}};
  EXPECT_EQ(as_text(rewrite_properties(received, added).span()),
            "KEYS\x01k1\x02TAGS\x01t\x02"
            "CLUSTER\x01"
            "c\x02MSG_REGION\x01r\x02");
}

}  // namespace
}  // namespace drydock::test
