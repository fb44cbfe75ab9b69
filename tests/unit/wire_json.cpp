// Headers in JSON, and the dialect of JSON that RocketMQ's bodies use. The golden header is that of
// the storage reference, section 12.2.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/wire/json_text.hpp"
#include "engine/wire/remoting_frame.hpp"

namespace drydock::test {
namespace {

constexpr std::string_view kGolden =
    R"({"code":10,"extFields":{"k":"v"},"flag":0,"language":"JAVA","opaque":7,"remark":"text",)"
    R"("serializeTypeCurrentRPC":"JSON","version":479})";

struct Fields {
  std::map<std::string, std::string> all;
  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& [key, value] : all) visit(key, value);
  }
};

// Fields as they were decoded.
struct EncodedFields {
  std::span<const std::byte> encoded;
  template <class Visit>
  void for_each(Visit visit) const {
    ExtFieldReader reader(encoded);
    std::string_view key;
    std::string_view value;
    while (reader.next(key, value)) visit(key, value);
  }
};

SharedBytes framed(std::string_view header, std::string_view body = {}) {
  SharedBytes frame = json_frame(header, body.size());
  std::ranges::copy(as_byte_span(body), body_of(frame, body.size()).begin());
  return frame;
}

FrameDecoder::Step decode(SharedBytes frame, RemotingCommand& command) {
  FrameDecoder decoder;
  decoder.feed(ByteChain(std::move(frame)));
  return decoder.next(command);
}
bool readable(std::string_view header) {
  RemotingCommand command;
  return decode(framed(header), command) == FrameDecoder::Step::command;
}

std::map<std::string, std::string> fields_of(const RemotingCommand& command) {
  std::map<std::string, std::string> all;
  ExtFieldReader reader(command.ext_fields.span());
  std::string_view key;
  std::string_view value;
  while (reader.next(key, value)) all.emplace(key, value);
  EXPECT_TRUE(reader.ok());
  return all;
}

TEST(WireJsonHeader, ACommandHasTheDocumentedText) {
  CommandHead head;
  head.code = 10;
  head.opaque = 7;
  head.serialize_type = SerializeType::json;
  const SharedBytes frame = encode_command(head, Fields{{{"k", "v"}}}, "text", as_byte_span("hi"));
  EXPECT_EQ(as_text(frame.span().subspan(8)), std::string(kGolden) + "hi");
  BigEndianReader reader(frame.span());
  EXPECT_EQ(reader.integer<std::int32_t>(), static_cast<std::int32_t>(4 + kGolden.size() + 2));
  EXPECT_EQ(reader.integer<std::uint32_t>(), kGolden.size());  // Type 0 in the top byte.
}

TEST(WireJsonHeader, DecodingGivesWhatABinaryHeaderWouldGive) {
  RemotingCommand command;
  ASSERT_EQ(decode(framed(kGolden, "hi"), command), FrameDecoder::Step::command);
  EXPECT_EQ(command.head.code, 10);
  EXPECT_EQ(command.head.language, Language::java);
  EXPECT_EQ(command.head.version, 479);
  EXPECT_EQ(command.head.opaque, 7);
  EXPECT_EQ(command.head.serialize_type, SerializeType::json);
  EXPECT_EQ(as_text(command.remark.span()), "text");
  EXPECT_EQ(as_text(command.body.span()), "hi");
  EXPECT_EQ(fields_of(command), (std::map<std::string, std::string>{{"k", "v"}}));
}

// Java writes the fields in the order of a hash table, and tells an empty text from none.
TEST(WireJsonHeader, DecodedAndEncodedAgainItIsTheSameText) {
  constexpr std::string_view kHeaders[] = {
      R"({"code":310,"extFields":{"b":"1","a":"2","i":"KEYS\u0001k\u0002"},"flag":0,)"
      R"("language":"JAVA","opaque":7,"serializeTypeCurrentRPC":"JSON","version":479})",
      R"({"code":0,"extFields":{},"flag":1,"language":"JAVA","opaque":7,"remark":"",)"
      R"("serializeTypeCurrentRPC":"JSON","version":479})",
      R"({"code":34,"flag":0,"language":"JAVA","opaque":7,)"
      R"("serializeTypeCurrentRPC":"JSON","version":479})"};
  for (const std::string_view header : kHeaders) {
    RemotingCommand command;
    ASSERT_EQ(decode(framed(header), command), FrameDecoder::Step::command);
    const EncodedFields fields{command.ext_fields.span()};
    const SharedBytes again =
        encode_command(command.head, fields, as_text(command.remark.span()), {});
    EXPECT_EQ(as_text(again.span().subspan(8)), header);
  }
}

TEST(WireJsonHeader, FieldsAndRemarkMayBeMissingOrNull) {
  for (const std::string_view header :
       {R"({"code":1})", R"({"code":1,"extFields":null,"remark":null})",
        R"({"code":1,"extFields":{"k":null}})"}) {
    RemotingCommand command;
    ASSERT_EQ(decode(framed(header), command), FrameDecoder::Step::command) << header;
    EXPECT_TRUE(command.ext_fields.empty());
    EXPECT_TRUE(command.remark.empty());
  }
}

TEST(WireJsonHeader, FieldsThatAreNoTextBecomeText) {
  RemotingCommand command;
  ASSERT_EQ(decode(framed(R"({"code":1,"extFields":{"a":7,"b":true,"c":"x\u0001y"}})"), command),
            FrameDecoder::Step::command);
  EXPECT_EQ(fields_of(command),
            (std::map<std::string, std::string>{{"a", "7"}, {"b", "true"}, {"c", "x\x01y"}}));
}

// Such codes do not fit the binary header, so that they must not be cut to one that we know.
TEST(WireJsonHeader, CodesBeyond16BitsAreKept) {
  RemotingCommand command;
  ASSERT_EQ(decode(framed(R"({"code":200050})"), command), FrameDecoder::Step::command);
  EXPECT_EQ(command.head.code, 200'050);
}

TEST(WireJsonHeader, LanguagesHaveNames) {
  RemotingCommand command;
  ASSERT_EQ(decode(framed(R"({"code":1,"language":"GO"})"), command), FrameDecoder::Step::command);
  EXPECT_EQ(command.head.language, Language::go);
  ASSERT_EQ(decode(framed(R"({"code":1,"language":"COBOL"})"), command),
            FrameDecoder::Step::command);
  EXPECT_EQ(command.head.language, Language::other);
}

TEST(WireJsonHeader, WhatIsNoHeaderIsRefused) {
  for (const std::string_view bad :
       {"", "{", "[]", "7", R"({"code":"ten"})", R"({"code":2147483648})", R"({"code":1.5})",
        R"({"version":40000})", R"({"opaque":{}})", "{\"remark\":\"\xff\"}"}) {
    EXPECT_FALSE(readable(bad)) << bad;
  }
  EXPECT_FALSE(readable(R"({"code":1,"extFields":{")" + std::string(32'768, 'k') + R"(":"v"}})"));
  EXPECT_FALSE(readable(R"({"code":1,"remark":")" + std::string(1024 * 1024, 'r') + R"("})"));
}

TEST(WireJsonText, IntegerKeysMayLackTheirQuotes) {
  const auto value = read_json(R"({0:"a", 1 :"b","2":"c","list":[3,4],"text":"5:6"})");
  ASSERT_TRUE(value.has_value());
  EXPECT_EQ(value->dump(), R"({"0":"a","1":"b","2":"c","list":[3,4],"text":"5:6"})");
}

TEST(WireJsonText, AStringMayHoldWhatLooksLikeAKey) {
  const auto value = read_json(R"({"a":"{0:1}\"{2:3}"})");
  ASSERT_TRUE(value.has_value());
  EXPECT_EQ(text_member(*value, "a"), R"({0:1}"{2:3})");
}

TEST(WireJsonText, DepthSizeAndNumberOfValuesAreLimited) {
  EXPECT_TRUE(read_json(std::string(32, '[') + std::string(32, ']')).has_value());
  EXPECT_FALSE(read_json(std::string(33, '[') + std::string(33, ']')).has_value());
  EXPECT_FALSE(read_json(std::string(1'000'000, '[')).has_value());
  const JsonLimits limits{.bytes = 20, .values = 4, .depth = 2};
  EXPECT_TRUE(read_json("[1,2,3,4]", limits).has_value());
  EXPECT_FALSE(read_json("[1,2,3,4,5]", limits).has_value());
  EXPECT_FALSE(read_json(std::string(21, ' '), limits).has_value());
}

TEST(WireJsonText, CutAndDamagedTextsAreNoJson) {
  for (const std::string_view bad :
       {"", "\"", "\"\\", "{0", "{0:", "{0:}", "{-:1}:", "nul", "{\"a\":1,}"}) {
    EXPECT_FALSE(read_json(bad).has_value()) << bad;
  }
}

TEST(WireJsonText, MembersOfTheWrongKindAreTheFallback) {
  const auto value = read_json(R"({"n":"12","b":"true","t":5,"big":18446744073709551615})");
  ASSERT_TRUE(value.has_value());
  EXPECT_EQ(integer_member(*value, "n", 0), 12);
  EXPECT_TRUE(bool_member(*value, "b", false));
  EXPECT_EQ(text_member(*value, "t"), "");
  EXPECT_EQ(integer_member(*value, "big", -1), -1);
  EXPECT_EQ(integer_member(*value, "missing", 3), 3);
  EXPECT_EQ(integer_member(nlohmann::json(1), "n", 4), 4);
}

TEST(WireJsonText, TheWriterPutsCommasAndQuotes) {
  JsonWriter writer;
  writer.begin_object().key("a").begin_array().number(1).text("x\"y").boolean(true).end_array();
  writer.key("b").begin_object().key(0, JsonKeys::integers_bare).text("p");
  writer.key(1, JsonKeys::all_quoted).text("q").end_object().end_object();
  EXPECT_EQ(writer.view(), R"({"a":[1,"x\"y",true],"b":{0:"p","1":"q"}})");
}

}  // namespace
}  // namespace drydock::test
