// The headers of a pull, of its response and of the requests about offsets, and the records in a
// pull's body. The golden frame was put together by hand as remoting_frame's comment says.
#include "engine/wire/pull_message.hpp"

#include <gtest/gtest.h>

#include <string>

#include "engine/wire/consumer_offset.hpp"
#include "engine/wire/heartbeat.hpp"
#include "engine/wire/java_string.hpp"
#include "engine/wire/remoting_frame.hpp"
#include "engine/wire/tag_expression.hpp"
#include "tests/support/bytes_text.hpp"

namespace drydock::test {
namespace {

using Bytes = std::vector<std::byte>;

template <class Fields>
RemotingCommand received(const Fields& fields, SerializeType type = SerializeType::rocketmq) {
  CommandHead head;
  head.serialize_type = type;
  FrameDecoder decoder;
  decoder.feed(ByteChain(encode_command(head, fields, {}, {})));
  RemotingCommand command;
  EXPECT_EQ(decoder.next(command), FrameDecoder::Step::command);
  return command;
}

PullMessageHeader example() {
  PullMessageHeader header;
  header.consumer_group = "G";
  header.topic = "T";
  header.queue_id = 3;
  header.queue_offset = 41;
  header.message_count_max = 16;
  header.sys_flag = pull_flag::kSuspend | pull_flag::kSubscription;
  header.commit_offset = 40;
  header.suspend_timeout_ms = 15'000;
  header.sub_version = 1'700'000'000'000;
  header.subscription = "a || b";
  header.expression_type = "TAG";
  return header;
}

TEST(WirePullMessage, TheHeaderIsReadBackFromEitherForm) {
  for (const SerializeType type : {SerializeType::rocketmq, SerializeType::json}) {
    const RemotingCommand command = received(example(), type);
    PullMessageHeader header;
    ASSERT_TRUE(decode_pull_message_header(command.ext_fields.span(), header).ok());
    EXPECT_EQ(header.consumer_group, "G");
    EXPECT_EQ(header.topic, "T");
    EXPECT_EQ(header.queue_id, 3);
    EXPECT_EQ(header.queue_offset, 41);
    EXPECT_EQ(header.message_count_max, 16);
    EXPECT_EQ(header.sys_flag, 6);
    EXPECT_EQ(header.commit_offset, 40);
    EXPECT_EQ(header.suspend_timeout_ms, 15'000);
    EXPECT_EQ(header.sub_version, 1'700'000'000'000);
    EXPECT_EQ(header.subscription, "a || b");
    EXPECT_EQ(header.expression_type, "TAG");
  }
}

TEST(WirePullMessage, TheResponseHasTheseBytes) {
  const PullMessageResponse response{1, QueueOffset(42), QueueOffset(0), QueueOffset(50)};
  CommandHead request;
  request.opaque = 7;
  const SharedBytes frame =
      encode_command(response_head(request, ResponseCode::pull_not_found), response, "R", {});
  const Bytes expected = unhex(
      "0000006d 01000069"               // Length 109, binary, header of 105 bytes.
      "0013 00 01df 00000007 00000001"  // 19, JAVA, 479, opaque 7, response.
      "00000001 52"                     // "R"
      "00000053"                        // 83 bytes of fields.
      "0014 737567676573745768696368 42726f6b65724964 00000001 31"
      "000f 6e657874426567696e4f6666736574 00000002 3432"
      "0009 6d696e4f6666736574 00000001 30"
      "0009 6d61784f6666736574 00000002 3530");
  EXPECT_EQ(as_text(frame.span()), as_text(expected));
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

TEST(WirePullMessage, AMissingRequiredFieldIsNamed) {
  for (const std::string_view name :
       {"consumerGroup", "topic", "queueId", "queueOffset", "maxMsgNums", "sysFlag", "commitOffset",
        "suspendTimeoutMillis", "subVersion"}) {
    PullMessageHeader header;
    const RemotingCommand command = received(Changed{name, {}});
    EXPECT_EQ(decode_pull_message_header(command.ext_fields.span(), header).field, name);
  }
  for (const std::string_view name : {"subscription", "expressionType"}) {
    PullMessageHeader header;
    const RemotingCommand command = received(Changed{name, {}});
    EXPECT_TRUE(decode_pull_message_header(command.ext_fields.span(), header).ok()) << name;
  }
}

TEST(WirePullMessage, ANumberThatIsNoneIsNamed) {
  for (const std::string_view name : {"queueId", "queueOffset", "maxMsgNums", "sysFlag",
                                      "commitOffset", "suspendTimeoutMillis", "subVersion"}) {
    PullMessageHeader header;
    const RemotingCommand command = received(Changed{name, "1x"});
    EXPECT_EQ(decode_pull_message_header(command.ext_fields.span(), header).field, name);
  }
}

TEST(WirePullMessage, TheResponseIsReadBackAndAnIncompleteOneIsNone) {
  const PullMessageResponse response{1, QueueOffset(42), QueueOffset(2), QueueOffset(50)};
  const auto read = decode_pull_message_response(received(response).ext_fields.span());
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->suggested_broker_id, 1);
  EXPECT_EQ(read->next, QueueOffset(42));
  EXPECT_EQ(read->min, QueueOffset(2));
  EXPECT_EQ(read->max, QueueOffset(50));
  EXPECT_FALSE(decode_pull_message_response({}).has_value());
  EXPECT_FALSE(decode_pull_message_response(received(example()).ext_fields.span()).has_value());
}

SharedBytes record(std::string_view body, std::int64_t queue_offset) {
  RecordContent content;
  content.body = as_byte_span(body);
  content.topic = as_byte_span("T");
  SharedBytes bytes = encode_record(content);
  place_record(bytes.writable(), {QueueOffset(queue_offset), PhysicalOffset(), 1});
  return bytes;
}

TEST(WirePullMessage, RecordsAreVisitedAndWhatIsNoneIsTold) {
  const SharedBytes first = record("one", 5);
  const SharedBytes second = record("two", 6);
  std::string body(as_text(first.span()));
  body += as_text(second.span());
  const auto bodies_of = [](std::string_view bytes, bool& whole) {
    std::string all;
    whole = for_each_record(as_byte_span(bytes), [&](auto, const RecordView& view) {
      all += std::string(as_text(view.body)) + std::to_string(view.queue_offset) + " ";
    });
    return all;
  };
  bool whole = false;
  EXPECT_EQ(bodies_of(body, whole), "one5 two6 ");
  EXPECT_TRUE(whole);
  EXPECT_EQ(bodies_of(body.substr(0, body.size() - 1), whole), "one5 ");
  EXPECT_FALSE(whole);
  body[first.size() + 88] ^= 1;  // In the second body.
  EXPECT_EQ(bodies_of(body, whole), "one5 ");
  EXPECT_FALSE(whole);
  body[88] ^= 1;
  body[first.size() + 88] ^= 1;  // It is whole again, and the first is not.
  EXPECT_EQ(bodies_of(body, whole), "two6 ");
  EXPECT_FALSE(whole);
  EXPECT_EQ(bodies_of({}, whole), "");
  EXPECT_TRUE(whole);
}

TEST(WireConsumerOffset, HeadersAreReadBack) {
  ConsumerOffsetHeader sent;
  sent.consumer_group = "G";
  sent.queue = {"T", 2};
  sent.commit_offset = 77;
  sent.set_zero_if_not_found = false;
  const RemotingCommand command = received(sent, SerializeType::json);
  ConsumerOffsetHeader header;
  ASSERT_TRUE(decode_consumer_offset_header(command.ext_fields.span(), header).ok());
  EXPECT_EQ(header.consumer_group, "G");
  EXPECT_EQ(header.queue.topic, "T");
  EXPECT_EQ(header.queue.queue_id, 2);
  EXPECT_EQ(header.commit_offset, 77);
  EXPECT_FALSE(header.set_zero_if_not_found);

  QueueHeader queue;
  ASSERT_TRUE(decode_queue_header(received(QueueHeader{"T", 9}).ext_fields.span(), queue).ok());
  EXPECT_EQ(queue.queue_id, 9);
  const RemotingCommand answer = received(OffsetResponse{QueueOffset(5)});
  EXPECT_EQ(decode_offset_response(answer.ext_fields.span()), QueueOffset(5));
  EXPECT_EQ(decode_offset_response({}), std::nullopt);
}

TEST(WireConsumerOffset, WhatIsMissingIsNamed) {
  QueueHeader queue;
  EXPECT_EQ(decode_queue_header({}, queue).field, "topic");
  ConsumerOffsetHeader header;
  const RemotingCommand command = received(QueueHeader{"T", 1});
  EXPECT_EQ(decode_consumer_offset_header(command.ext_fields.span(), header).field,
            "consumerGroup");
}

TEST(WireTagExpression, NamesTagsOrEverything) {
  using Codes = std::vector<std::int32_t>;
  EXPECT_EQ(parse_tag_expression(""), Codes());
  EXPECT_EQ(parse_tag_expression("*"), Codes());
  EXPECT_EQ(parse_tag_expression("TagA"), Codes{2'598'919});  // The reference's, 12.7.
  const Codes two = {java_string_hash("a"), java_string_hash("b")};
  EXPECT_EQ(parse_tag_expression("b || a||b"), two);
  EXPECT_EQ(parse_tag_expression("||"), std::nullopt);
  EXPECT_EQ(parse_tag_expression(" "), std::nullopt);
}

TEST(WireTagExpression, TheSetHoldsTheTagsThatAreNamed) {
  const TagSet two(" b || Aa||");
  EXPECT_TRUE(two.contains("Aa"));
  EXPECT_TRUE(two.contains("b"));
  EXPECT_FALSE(two.contains("BB"));  // Of the same hash as "Aa".
  EXPECT_FALSE(two.contains(""));
  EXPECT_TRUE(TagSet("*").contains(""));
  EXPECT_TRUE(TagSet("").contains("BB"));
}

// 12.7, with the fields of a consumer that pulls.
TEST(WireHeartbeat, AConsumersHeartbeatSaysWhatItWants) {
  const SharedBytes body = encode_heartbeat("10.0.0.1@4", {.consumer_group = "G", .topics = {"T"}});
  EXPECT_EQ(as_text(body.span()),
            R"({"clientID":"10.0.0.1@4","consumerDataSet":[{)"
            R"("consumeFromWhere":"CONSUME_FROM_FIRST_OFFSET","consumeType":"CONSUME_ACTIVELY",)"
            R"("groupName":"G","messageModel":"CLUSTERING","subscriptionDataSet":[{)"
            R"("classFilterMode":false,"codeSet":[],"expressionType":"TAG","subString":"*",)"
            R"("subVersion":0,"tagsSet":[],"topic":"T"}],"unitMode":false}],)"
            R"("heartbeatFingerprint":0,"producerDataSet":[],"withoutSub":false})");
  EXPECT_TRUE(decode_heartbeat(body.span()).has_value());
}

}  // namespace
}  // namespace drydock::test
