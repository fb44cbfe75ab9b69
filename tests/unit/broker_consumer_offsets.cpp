// The table of consumer offsets as text (storage reference, 1.2), and topics.json.
#include "engine/broker/consumer_offsets.hpp"

#include <gtest/gtest.h>

#include "engine/broker/topics.hpp"
#include "engine/wire/remoting_frame.hpp"

namespace drydock::test {
namespace {

std::string without_blanks(std::string text) {
  std::erase_if(text, [](char c) { return c == '\n' || c == '\t'; });
  return text;
}

TEST(BrokerConsumerOffsets, AnOffsetIsKeptPerGroupTopicAndQueueAndMayGoBack) {
  ConsumerOffsets offsets;
  EXPECT_EQ(offsets.find({"G", "T", 0}), std::nullopt);
  EXPECT_TRUE(offsets.commit({"G", "T", 0}, 100, 1));
  EXPECT_TRUE(offsets.commit({"G", "T", 1}, 97, 1));
  EXPECT_TRUE(offsets.commit({"H", "T", 0}, 5, 1));
  EXPECT_TRUE(offsets.commit({"G", "T", 0}, 90, 1));
  EXPECT_EQ(offsets.find({"G", "T", 0}), 90);
  EXPECT_EQ(offsets.find({"G", "T", 1}), 97);
  EXPECT_EQ(offsets.find({"H", "T", 0}), 5);
  EXPECT_EQ(offsets.find({"H", "T", 1}), std::nullopt);
}

TEST(BrokerConsumerOffsets, TheTextIsTheReferences) {
  ConsumerOffsets offsets;
  offsets.commit({"G", "T", 1}, 97, 1);
  offsets.commit({"G", "T", 0}, 100, 1);
  EXPECT_EQ(without_blanks(offsets.write()),
            R"({"dataVersion":{"counter":0,"stateVersion":0,"timestamp":0},)"
            R"("groupTopicMap":{"G":["T"]},"offsetTable":{"T@G":{0:100,1:97}}})");
}

// consumerOffsetUpdateVersionStep: 500.
TEST(BrokerConsumerOffsets, TheVersionRisesWithEvery500thCommit) {
  ConsumerOffsets offsets;
  for (int i = 0; i < 1000; ++i) offsets.commit({"G", "T", 0}, i, 1'700'000'000'000 + i);
  EXPECT_NE(offsets.write().find("\"counter\":2"), std::string::npos);
  EXPECT_NE(offsets.write().find("\"timestamp\":1700000000999"), std::string::npos);
}

TEST(BrokerConsumerOffsets, ATextIsReadBack) {
  ConsumerOffsets written;
  written.commit({"G", "T", 1}, 97, 1);
  written.commit({"%RETRY%G", "U", 3}, 2, 1);
  ConsumerOffsets offsets;
  ASSERT_TRUE(offsets.read(written.write()));
  EXPECT_EQ(offsets.find({"G", "T", 1}), 97);
  EXPECT_EQ(offsets.write(), written.write());
}

TEST(BrokerConsumerOffsets, WhatIsNoTableIsRefusedAndChangesNothing) {
  ConsumerOffsets offsets;
  offsets.commit({"G", "T", 0}, 1, 1);
  for (const std::string_view bad :
       {"", "{", "[]", R"({"offsetTable":{"T@G":7}})", R"({"offsetTable":{"T@G":{"x":7}}})",
        R"({"offsetTable":{"T@G":{0:"x"}}})"}) {
    EXPECT_FALSE(offsets.read(bad)) << bad;
  }
  EXPECT_EQ(offsets.find({"G", "T", 0}), 1);
  EXPECT_TRUE(offsets.read("{}"));
  EXPECT_EQ(offsets.find({"G", "T", 0}), std::nullopt);
}

TEST(BrokerConsumerOffsets, NamesThatCouldNotBeReadBackAreNotKept) {
  const std::string longest(255, 'x');
  const std::string too_long(256, 'x');
  ConsumerOffsets offsets;
  for (const std::string_view bad :
       {std::string_view(), std::string_view(too_long), std::string_view("a b"),
        std::string_view("\xff"), std::string_view("\"")}) {
    EXPECT_FALSE(offsets.commit({bad, "T", 0}, 1, 1)) << bad;
    EXPECT_FALSE(offsets.commit({"G", bad, 0}, 1, 1)) << bad;
  }
  EXPECT_EQ(offsets.changes(), 0u);
  EXPECT_TRUE(offsets.commit({longest, longest, 0}, 1, 1));
  EXPECT_TRUE(offsets.commit({"G@home", "T", 0}, 2, 1));
  ConsumerOffsets read;
  ASSERT_TRUE(read.read(offsets.write()));
  EXPECT_EQ(read.find({longest, longest, 0}), 1);
  EXPECT_EQ(read.find({"G@home", "T", 0}), 2);
}

TEST(BrokerConsumerOffsets, ThereAreNeverMoreThanTheFileHolds) {
  ConsumerOffsets queues;
  std::size_t kept = 0;
  for (int group = 0; group < 16; ++group) {
    const std::string name = std::to_string(group);
    for (std::int32_t id = 0; id < 65'535; ++id) {
      kept += queues.commit({name, "T", id}, INT64_MIN, 1) ? 1 : 0;
    }
  }
  EXPECT_EQ(kept, ConsumerOffsets::kEntriesMax);
  EXPECT_TRUE(queues.commit({"0", "T", 0}, 1, 1));  // It has its place.
  EXPECT_LT(queues.write().size(), 48 * ConsumerOffsets::kEntriesMax);

  ConsumerOffsets pairs;
  for (std::size_t i = 0; i < ConsumerOffsets::kPairsMax; ++i) {
    ASSERT_TRUE(pairs.commit({std::to_string(i), "T", 0}, 1, 1));
  }
  EXPECT_FALSE(pairs.commit({"G", "T", 0}, 1, 1));
  EXPECT_TRUE(pairs.commit({"0", "T", 1}, 1, 1));
}

TEST(BrokerTopics, AFileOfTopicsIsReadBack) {
  Topics written({}, 5);
  written.find_or_create("orders", "TBW102", 4, 6);
  Topics topics({}, 7);
  ASSERT_TRUE(topics.read(written.write()));
  ASSERT_NE(topics.find("orders"), nullptr);
  EXPECT_EQ(topics.find("orders")->read_queues, 4);
  EXPECT_EQ(topics.all(), written.all());
  EXPECT_FALSE(topics.read("{}"));
  EXPECT_FALSE(topics.has_new());  // Name servers are told of all topics at the start.
}

// Nobody takes them where there is no name server.
TEST(BrokerTopics, ATopicIsNewOnceHoweverOftenItIsChanged) {
  Topics topics({}, 5);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(topics.update({.topic = "orders", .read_queues = i, .write_queues = i}, 6));
    EXPECT_TRUE(topics.update({.topic = "bills", .read_queues = i, .write_queues = i}, 6));
  }
  EXPECT_EQ(topics.take_new(), (std::vector<std::string>{"orders", "bills"}));
  EXPECT_FALSE(topics.has_new());
  EXPECT_TRUE(topics.update({.topic = "orders"}, 7));
  EXPECT_EQ(topics.take_new(), std::vector<std::string>{"orders"});
}

TEST(BrokerTopics, OneTopicAloneIsToldIfItExists) {
  Topics topics({}, 5);
  topics.find_or_create("orders", "TBW102", 4, 6);
  const std::optional<RegisterBrokerBody> orders = topics.only("orders");
  ASSERT_TRUE(orders.has_value());
  ASSERT_EQ(orders->topics.size(), 1u);
  EXPECT_EQ(orders->topics[0].topic, "orders");
  EXPECT_EQ(topics.only("bills"), std::nullopt);
}

// What an operator adds is written into the file that the next start must be able to read.
TEST(BrokerTopics, AChangeThatWouldMakeTheFileTooLargeIsRefused) {
  const auto file_with = [](std::size_t attribute_bytes) {
    return R"({"topicConfigTable":{"t":{"attributes":{"a":")" + std::string(attribute_bytes, 'a') +
           R"("}}}})";
  };
  std::size_t most = 4 << 20;  // A little less fits.
  Topics topics({}, 5);
  while (!topics.read(file_with(most))) --most;
  EXPECT_GT(most, (4u << 20) - 100);
  const TopicConfig ordered{.topic = "orders", .kept = {{"order", "true"}}};
  const RegisterBrokerBody before = topics.all();
  EXPECT_FALSE(topics.update(ordered, 6));
  EXPECT_EQ(topics.all(), before);
  EXPECT_TRUE(topics.update({.topic = "t", .read_queues = 1}, 6));  // It keeps what it had.
  EXPECT_FALSE(topics.update(ordered, 6));
  Topics read({}, 7);
  EXPECT_TRUE(read.read(topics.write()));
  ASSERT_TRUE(topics.read(R"({"topicConfigTable":{"t":{}}})"));
  EXPECT_TRUE(topics.update(ordered, 6));
}

std::string numbered(std::size_t number, std::size_t length) {
  const std::string digits = std::to_string(number);
  return std::string(length - digits.size(), 'x') + digits;
}

// With names of the longest kind.
TEST(BrokerTopics, ThereAreNeverMoreThanAFileAndAFrameHold) {
  Topics topics({}, 5);
  std::size_t made = 0;
  while (made < 2 * Topics::kCountMax &&
         topics.find_or_create(numbered(made, 127), "TBW102", 4, 6)) {
    ++made;
  }
  EXPECT_EQ(topics.all().topics.size(), Topics::kCountMax);
  EXPECT_TRUE(topics.find_or_create(numbered(0, 127), "TBW102", 4, 6).has_value());
  EXPECT_EQ(topics.find_or_create("orders", "TBW102", 4, 6), std::nullopt);

  Topics read({}, 7);
  ASSERT_TRUE(read.read(topics.write()));
  EXPECT_EQ(read.all(), topics.all());
  const SharedBytes body = encode_register_broker_body(topics.all(), BodyForm::json);
  const RegisterBrokerHeader header;
  const SharedBytes frame =
      encode_command(request_head(RequestCode::register_broker, 1), header, {}, body.span());
  EXPECT_LT(frame.size(), static_cast<std::size_t>(kFrameBytesMax));
}

// Written densely, a file may list more topics than could be told to a name server.
TEST(BrokerTopics, AFileWithTooManyTopicsIsRefused) {
  const auto file_with = [](std::size_t count) {
    std::string text = R"({"topicConfigTable":{"a":{})";
    for (std::size_t i = 1; i < count; ++i) text += ",\"" + numbered(i, 6) + "\":{}";
    return text + "}}";
  };
  Topics topics({}, 5);
  EXPECT_FALSE(topics.read(file_with(Topics::kCountMax)));  // The system has some already.
  EXPECT_EQ(topics.find("a"), nullptr);
  EXPECT_TRUE(topics.read(file_with(Topics::kCountMax / 2)));
  // What is kept of it without being understood goes into the same frame.
  const std::string attributes(5 << 20, 'a');
  const std::string heavy =
      R"({"dataVersion":{"counter":1,"stateVersion":0,"timestamp":1},"topicConfigTable":{"t":{)"
      R"("attributes":{"a":")" +
      attributes +
      R"("},"order":false,"perm":6,"readQueueNums":4,"topicFilterType":)"
      R"("SINGLE_TAG","topicName":"t","topicSysFlag":0,"writeQueueNums":4}}})";
  EXPECT_FALSE(topics.read(heavy));
}

}  // namespace
}  // namespace drydock::test
