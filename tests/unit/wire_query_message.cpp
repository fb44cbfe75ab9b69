// The headers of requests that look for messages or for a time, and the body of a batch.
#include "engine/wire/query_message.hpp"

#include <gtest/gtest.h>

#include <string>

#include "engine/wire/message_batch.hpp"
#include "engine/wire/message_properties.hpp"
#include "engine/wire/remoting_frame.hpp"
#include "engine/wire/send_message.hpp"
#include "tests/support/bytes_text.hpp"

namespace drydock::test {
namespace {

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

// Ext fields as given.
struct Fields {
  std::vector<std::pair<std::string_view, std::string_view>> all;
  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& [key, value] : all) visit(key, value);
  }
};

TEST(WireQueryMessage, TheHeaderIsReadBackFromEitherForm) {
  const QueryMessageHeader sent{.topic = "T",
                                .key = "a key",
                                .count_max = 64,
                                .begin_ms = 0,
                                .end_ms = INT64_MAX,
                                .is_unique_key = true};
  for (const SerializeType type : {SerializeType::rocketmq, SerializeType::json}) {
    const RemotingCommand command = received(sent, type);
    QueryMessageHeader header;
    ASSERT_TRUE(decode_query_message_header(command.ext_fields.span(), header).ok());
    EXPECT_EQ(header.topic, "T");
    EXPECT_EQ(header.key, "a key");
    EXPECT_EQ(header.count_max, 64);
    EXPECT_EQ(header.begin_ms, 0);
    EXPECT_EQ(header.end_ms, INT64_MAX);
    EXPECT_TRUE(header.is_unique_key);
  }
}

TEST(WireQueryMessage, AFieldThatIsMissingOrNoNumberIsNamed) {
  const Fields whole{{{"topic", "T"},
                      {"key", "k"},
                      {"maxNum", "1"},
                      {"beginTimestamp", "0"},
                      {"endTimestamp", "9"}}};
  for (std::size_t i = 0; i < whole.all.size(); ++i) {
    Fields without = whole;
    without.all.erase(without.all.begin() + static_cast<std::ptrdiff_t>(i));
    const RemotingCommand command = received(without);
    QueryMessageHeader header;
    EXPECT_EQ(decode_query_message_header(command.ext_fields.span(), header).field,
              whole.all[i].first);
  }
  Fields wrong = whole;
  wrong.all[2].second = "many";
  const RemotingCommand command = received(wrong);
  QueryMessageHeader header;
  EXPECT_EQ(decode_query_message_header(command.ext_fields.span(), header).field, "maxNum");
}

TEST(WireQueryMessage, AViewNamesAnOffset) {
  const RemotingCommand command = received(ViewMessageHeader{PhysicalOffset(4660)});
  ViewMessageHeader header;
  ASSERT_TRUE(decode_view_message_header(command.ext_fields.span(), header).ok());
  EXPECT_EQ(header.offset, PhysicalOffset(4660));
  const RemotingCommand empty = received(NoFields());
  EXPECT_EQ(decode_view_message_header(empty.ext_fields.span(), header).field, "offset");
}

TEST(WireQueryMessage, TheBoundaryIsLowerUnlessItSaysUpperInAnyCase) {
  for (const auto& [text, boundary] :
       {std::pair<std::string_view, TimeBoundary>{"UPPER", TimeBoundary::upper},
        {"upper", TimeBoundary::upper},
        {"LOWER", TimeBoundary::lower},
        {"sideways", TimeBoundary::lower},
        {"", TimeBoundary::lower}}) {
    const RemotingCommand command = received(
        Fields{{{"topic", "T"}, {"queueId", "3"}, {"timestamp", "-1"}, {"boundaryType", text}}});
    SearchOffsetHeader header;
    ASSERT_TRUE(decode_search_offset_header(command.ext_fields.span(), header).ok());
    EXPECT_EQ(header.boundary, boundary) << text;
    EXPECT_EQ(header.queue.queue_id, 3);
    EXPECT_EQ(header.timestamp_ms, -1);
  }
}

TEST(WireMessageBatch, TheExampleOfTheFormat) {
  std::string body;
  append_to_batch(body, {.flag = 1, .body = as_byte_span("hi"), .properties = {}});
  EXPECT_EQ(hex(as_byte_span(body)), "000000180000000000000000000000010000000268690000");
}

TEST(WireMessageBatch, MessagesAreReadBackInOrder) {
  std::string body;
  append_to_batch(
      body,
      {.flag = 1, .body = as_byte_span("first"), .properties = as_byte_span("KEYS\x01k\x02")});
  append_to_batch(body, {.flag = 2, .body = {}, .properties = {}});
  BatchReader reader(as_byte_span(body));
  BatchedMessage message;
  ASSERT_TRUE(reader.next(message));
  EXPECT_EQ(message.flag, 1);
  EXPECT_EQ(as_text(message.body), "first");
  EXPECT_EQ(find_property(as_text(message.properties), property::kKeys), "k");
  ASSERT_TRUE(reader.next(message));
  EXPECT_EQ(message.flag, 2);
  EXPECT_TRUE(message.body.empty());
  EXPECT_FALSE(reader.next(message));
  EXPECT_TRUE(reader.ok());
}

TEST(WireMessageBatch, BytesThatEndTooEarlyAreNoBatch) {
  std::string body;
  append_to_batch(body, {.flag = 1, .body = as_byte_span("body"), .properties = {}});
  for (std::size_t size = 1; size < body.size(); ++size) {
    BatchReader reader(as_byte_span(body).first(size));
    BatchedMessage message;
    EXPECT_FALSE(reader.next(message)) << size;
    EXPECT_FALSE(reader.ok()) << size;
  }
  body[16] = '\xff';  // A negative length.
  BatchReader reader(as_byte_span(body));
  BatchedMessage message;
  EXPECT_FALSE(reader.next(message));
  EXPECT_FALSE(reader.ok());
}

TEST(WireSendMessage, TheOldHeaderHasTheSameFieldsUnderLongNames) {
  Fields sent{{{"producerGroup", "G"},
               {"topic", "T"},
               {"defaultTopic", "TBW102"},
               {"defaultTopicQueueNums", "4"},
               {"queueId", "-1"},
               {"sysFlag", "1"},
               {"bornTimestamp", "1700000000000"},
               {"flag", "7"},
               {"properties", "KEYS\x01k\x02"},
               {"reconsumeTimes", "2"},
               {"unitMode", "true"},
               {"batch", "true"},
               {"maxReconsumeTimes", "5"},
               {"x", "unknown"}}};
  const RemotingCommand command = received(sent);
  SendMessageHeader header;
  ASSERT_TRUE(decode_send_message_v1_header(command.ext_fields.span(), header).ok());
  EXPECT_EQ(header.producer_group, "G");
  EXPECT_EQ(header.topic, "T");
  EXPECT_EQ(header.queue_id, -1);
  EXPECT_EQ(header.sys_flag, 1);
  EXPECT_EQ(header.born_timestamp_ms, 1'700'000'000'000);
  EXPECT_EQ(header.flag, 7);
  EXPECT_EQ(header.properties, "KEYS\x01k\x02");
  EXPECT_EQ(header.reconsume_times, 2);
  EXPECT_TRUE(header.unit_mode);
  EXPECT_TRUE(header.batch);
  sent.all.erase(sent.all.begin() + 1);
  const RemotingCommand without = received(sent);
  EXPECT_FALSE(decode_send_message_v1_header(without.ext_fields.span(), header).ok());
}

}  // namespace
}  // namespace drydock::test
