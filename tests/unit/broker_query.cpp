// Requests that look for messages or for a time, batches and the old kind of send, as a client sees
// them. Codes, fields and remarks: storage reference, 2.8, 4 and 12.6.
#include <gtest/gtest.h>

#include "engine/wire/message_batch.hpp"
#include "engine/wire/pull_message.hpp"
#include "engine/wire/query_message.hpp"
#include "engine/wire/send_message.hpp"
#include "tests/support/raw_client.hpp"

namespace drydock::test {
namespace {

constexpr std::int64_t kStart = 1'700'000'000'000;  // What the broker's clock begins with.

SendMessageHeader header_for(std::string_view properties, std::string_view topic = "orders") {
  SendMessageHeader header;
  header.producer_group = "g";
  header.topic = topic;
  header.properties = properties;
  return header;
}

template <class Fields>
SharedBytes request(RequestCode code, const Fields& fields, std::string_view body = {}) {
  return encode_command(request_head(code, 1), fields, {}, as_byte_span(body));
}
SharedBytes send(std::string_view properties, std::string_view body = "body") {
  return request(RequestCode::send_message_v2, header_for(properties), body);
}
SharedBytes query(std::string_view key, bool unique = false) {
  return request(RequestCode::query_message, QueryMessageHeader{.topic = "orders",
                                                                .key = key,
                                                                .count_max = 8,
                                                                .end_ms = INT64_MAX,
                                                                .is_unique_key = unique});
}

std::string field(const RemotingCommand& command, std::string_view name) {
  ExtFieldReader fields(command.ext_fields.span());
  std::string_view key;
  std::string_view value;
  while (fields.next(key, value)) {
    if (key == name) return std::string(value);
  }
  return "";
}

std::vector<std::string> bodies_in(const RemotingCommand& answer) {
  std::vector<std::string> bodies;
  EXPECT_TRUE(
      for_each_record(answer.body.span(), [&](std::span<const std::byte>, const RecordView& view) {
        bodies.emplace_back(as_text(view.body));
      }));
  return bodies;
}

using Texts = std::vector<std::string>;

TEST(BrokerQuery, AQueryByKeyGivesTheRecordsAndHowFarTheIndexGoes) {
  BrokerWorld world;
  world.start_broker();
  Asking ask(world);
  ask(send("KEYS\x01red blue\x02", "first"));
  ask(send("KEYS\x01red\x02", "second"));
  const RemotingCommand answer = ask(query("red"));
  EXPECT_EQ(answer.head.code, 0);
  EXPECT_EQ(bodies_in(answer), (Texts{"first", "second"}));
  EXPECT_GT(std::stoll(field(answer, "indexLastUpdateTimestamp")), kStart);
  EXPECT_GT(std::stoll(field(answer, "indexLastUpdatePhyoffset")), 0);
  EXPECT_EQ(bodies_in(ask(query("blue"))), Texts{"first"});
}

TEST(BrokerQuery, AKeyThatNoMessageHasIsNotFound) {
  BrokerWorld world;
  world.start_broker();
  Asking ask(world);
  ask(send("KEYS\x01red\x02"));
  const RemotingCommand answer = ask(query("green"));
  EXPECT_EQ(answer.head.code, static_cast<int>(ResponseCode::query_not_found));
  EXPECT_EQ(as_text(answer.remark.span()), "can not find message, maybe time range not correct");
  EXPECT_EQ(field(answer, "indexLastUpdatePhyoffset"), "0");
}

TEST(BrokerQuery, AUniqueKeyIsFoundToo) {
  BrokerWorld world;
  world.start_broker();
  Asking ask(world);
  ask(send("UNIQ_KEY\x01U1\x02", "mine"));
  EXPECT_EQ(bodies_in(ask(query("U1", true))), Texts{"mine"});
}

TEST(BrokerQuery, AMessageIdLeadsToItsRecordAndNoOtherOffsetDoes) {
  BrokerWorld world;
  world.start_broker();
  Asking ask(world);
  ask(send("", "first"));
  const RemotingCommand sent = ask(send("", "second"));
  const PhysicalOffset at = decode_offset_message_id(field(sent, "msgId"))->offset;
  const RemotingCommand found =
      ask(request(RequestCode::view_message_by_id, ViewMessageHeader{at}));
  EXPECT_EQ(found.head.code, 0);
  EXPECT_EQ(bodies_in(found), Texts{"second"});
  const RemotingCommand missed =
      ask(request(RequestCode::view_message_by_id, ViewMessageHeader{at + 1}));
  EXPECT_EQ(missed.head.code, 1);
  EXPECT_EQ(as_text(missed.remark.span()),
            "can not find message by the offset, " + std::to_string(at.value() + 1));
}

TEST(BrokerQuery, ATimeHasAPlaceInAQueue) {
  BrokerWorld world;
  world.start_broker();
  Asking ask(world);
  for (int i = 0; i < 3; ++i) ask(send(""));  // A second apart, into queue 0.
  const auto offset_at = [&](std::int64_t ms, TimeBoundary boundary) {
    const SearchOffsetHeader header{{"orders", 0}, ms, boundary};
    const RemotingCommand answer = ask(request(RequestCode::search_offset_by_timestamp, header));
    EXPECT_EQ(answer.head.code, 0);
    return std::stoll(field(answer, "offset"));
  };
  EXPECT_EQ(offset_at(kStart, TimeBoundary::lower), 0);
  EXPECT_EQ(offset_at(kStart + 1'500, TimeBoundary::lower), 1);
  EXPECT_EQ(offset_at(kStart + 1'500, TimeBoundary::upper), 0);
  EXPECT_EQ(offset_at(kStart + 100'000, TimeBoundary::lower), 3);
  EXPECT_EQ(offset_at(kStart + 100'000, TimeBoundary::upper), 2);
  const auto earliest = [&](std::int32_t queue_id) {
    const RemotingCommand answer =
        ask(request(RequestCode::get_earliest_msg_storetime, QueueHeader{"orders", queue_id}));
    EXPECT_EQ(answer.head.code, 0);
    return std::stoll(field(answer, "timestamp"));
  };
  EXPECT_GE(earliest(0), kStart);
  EXPECT_LT(earliest(0), kStart + 1'500);
  EXPECT_EQ(earliest(1), -1);
}

TEST(BrokerQuery, AHeaderWithoutItsFieldsIsRefused) {
  BrokerWorld world;
  world.start_broker();
  Asking ask(world);
  for (const RequestCode code :
       {RequestCode::query_message, RequestCode::view_message_by_id,
        RequestCode::search_offset_by_timestamp, RequestCode::get_earliest_msg_storetime}) {
    EXPECT_EQ(ask(request(code, NoFields())).head.code, 1) << static_cast<int>(code);
  }
}

std::string batch_body(const Texts& bodies) {
  std::string body;
  for (const std::string& one : bodies) {
    const std::string properties = "KEYS\x01of-" + one + "\x02";
    append_to_batch(body,
                    {.flag = 0, .body = as_byte_span(one), .properties = as_byte_span(properties)});
  }
  return body;
}
SharedBytes batch(const SendMessageHeader& header, std::string_view body) {
  SendMessageHeader marked = header;
  marked.batch = true;
  return request(RequestCode::send_batch_message, marked, body);
}

TEST(BrokerBatch, TheAnswerNamesEveryMessage) {
  BrokerWorld world;
  world.start_broker();
  Asking ask(world);
  ask(send(""));
  const RemotingCommand answer =
      ask(batch(header_for("WAIT\x01true\x02"), batch_body({"one", "two", "three"})));
  EXPECT_EQ(answer.head.code, 0);
  EXPECT_EQ(field(answer, "queueId"), "0");
  EXPECT_EQ(field(answer, "queueOffset"), "1");
  const std::string ids = field(answer, "msgId");
  ASSERT_EQ(ids.size(), 3u * 32 + 2);
  Texts bodies;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto id = decode_offset_message_id(std::string_view(ids).substr(i * 33, 32));
    ASSERT_TRUE(id.has_value());
    const RemotingCommand found =
        ask(request(RequestCode::view_message_by_id, ViewMessageHeader{id->offset}));
    for (const std::string& body : bodies_in(found)) bodies.push_back(body);
  }
  EXPECT_EQ(bodies, (Texts{"one", "two", "three"}));
  EXPECT_EQ(bodies_in(ask(query("of-two"))), Texts{"two"});
}

TEST(BrokerBatch, EveryMessageHasThePropertiesOfTheBatchAndOfTheBroker) {
  BrokerWorld world;
  world.start_broker();
  Asking ask(world);
  ask(batch(header_for("WAIT\x01true\x02POP_CK\x01x\x02"), batch_body({"one", "two"})));
  const std::vector<std::string> stored = world.stored_properties();
  ASSERT_EQ(stored.size(), 2u);
  EXPECT_EQ(stored[1],
            "KEYS\x01of-two\x02WAIT\x01true\x02MSG_REGION\x01"
            "DefaultRegion\x02TRACE_ON\x01true\x02"
            "CLUSTER\x01"
            "DefaultCluster\x02");
}

TEST(BrokerBatch, TheCodeDoesNotMakeABatch) {
  BrokerWorld world;
  world.start_broker();
  Asking ask(world);
  EXPECT_EQ(ask(request(RequestCode::send_batch_message, header_for(""), "plain")).head.code, 0);
  SendMessageHeader marked = header_for("");
  marked.batch = true;
  const std::string body = batch_body({"a", "b"});
  EXPECT_EQ(ask(request(RequestCode::send_message_v2, marked, body)).head.code, 0);
  EXPECT_EQ(world.stored_properties().size(), 3u);
}

TEST(BrokerBatch, WhatABatchMayNotBeIsRefused) {
  BrokerWorld world;
  world.start_broker();
  Asking ask(world);
  const std::string body = batch_body({"one"});
  const auto code = [&](const SendMessageHeader& header, std::string_view bytes) {
    return ask(batch(header, bytes)).head.code;
  };
  EXPECT_EQ(code(header_for("", "%RETRY%g"), body), 13);
  EXPECT_EQ(code(header_for("DELAY\x01"
                            "1\x02"),
                 body),
            13);
  EXPECT_EQ(code(header_for("TIMER_DELAY_MS\x01"
                            "1\x02"),
                 body),
            3);
  EXPECT_EQ(code(header_for(""), ""), 13);
  EXPECT_EQ(code(header_for(""), "no batch"), 1);
  SendMessageHeader half = header_for("");
  half.sys_flag = sys_flag::kTransactionPrepared;
  EXPECT_EQ(code(half, body), 13);
  EXPECT_EQ(code(header_for("", "a topic"), body), 29);
  EXPECT_EQ(world.count(EventName::store_appended), 0u);
}

TEST(BrokerBatch, OfATopicOfBatchQueuesIsRefused) {
  BrokerWorld world;
  constexpr std::string_view kTopics =
      R"({"topicConfigTable":{"bulk":{"topicName":"bulk","readQueueNums":1,"writeQueueNums":1,)"
      R"("perm":6,"attributes":{"queue.type":"BatchCQ"}}}})";
  const auto bytes = as_byte_span(kTopics);
  world.files.put("/store/config/topics.json", Bytes(bytes.begin(), bytes.end()));
  world.start_broker();
  Asking ask(world);
  EXPECT_EQ(ask(batch(header_for("", "bulk"), batch_body({"one"}))).head.code, 3);
  EXPECT_EQ(ask(batch(header_for(""), batch_body({"one"}))).head.code, 0);
}

// SEND_MESSAGE: the fields of SendMessageHeader under their long names.
struct OldHeader {
  SendMessageHeader header;
  template <class Visit>
  void for_each(Visit visit) const {
    visit("producerGroup", header.producer_group);
    visit("topic", header.topic);
    visit("defaultTopic", header.default_topic);
    visit("defaultTopicQueueNums", "4");
    visit("queueId", "2");
    visit("sysFlag", "0");
    visit("bornTimestamp", "1");
    visit("flag", "0");
    visit("properties", header.properties);
  }
};

TEST(BrokerServe, TheOldKindOfSendIsServed) {
  BrokerWorld world;
  world.start_broker();
  Asking ask(world);
  const RemotingCommand answer =
      ask(request(RequestCode::send_message, OldHeader{header_for("KEYS\x01old\x02")}, "body"));
  EXPECT_EQ(answer.head.code, 0);
  EXPECT_EQ(field(answer, "queueId"), "2");
  EXPECT_EQ(bodies_in(ask(query("old"))), Texts{"body"});
}

}  // namespace
}  // namespace drydock::test
