// Messages that wait for their time. Facts: storage reference, 9.1, 1.2 and 2.10.
#include <gtest/gtest.h>

#include "engine/broker/delay_offsets.hpp"
#include "engine/store/delay_levels.hpp"
#include "engine/store/dispatch_step.hpp"
#include "tests/support/message_world.hpp"

namespace drydock::test {
namespace {

TEST(DelayLevels, RocketMqsOwnGoFromOneSecondToTwoHours) {
  const DelayLevels levels;
  EXPECT_EQ(levels.count(), 18);
  const std::vector<std::int64_t> seconds = {1,   5,   10,  30,  60,  120,  180,  240,  300,
                                             360, 420, 480, 540, 600, 1200, 1800, 3600, 7200};
  for (std::int32_t level = 1; level <= 18; ++level) {
    EXPECT_EQ(levels.delay_ms(level), seconds.at(static_cast<std::size_t>(level - 1)) * 1000);
  }
  EXPECT_EQ(levels.effective(19), 18);
  EXPECT_EQ(levels.effective(0), 0);
  EXPECT_EQ(levels.effective(-1), 0);
}

TEST(DelayLevels, ATableOfOnesOwnIsRead) {
  const auto levels = DelayLevels::parse("7s 1d");
  ASSERT_TRUE(levels.has_value());
  EXPECT_EQ(levels->count(), 2);
  EXPECT_EQ(levels->delay_ms(1), 7000);
  EXPECT_EQ(levels->delay_ms(2), 86'400'000);
  for (const std::string_view bad : {"", "s", "1", "1x", "-1s", "1s  2s", "1s 2", "1.5s"}) {
    EXPECT_FALSE(DelayLevels::parse(bad).has_value()) << bad;
  }
}

TEST(DelayLevels, TheTagsCodeOfAMessageThatWaitsIsItsTime) {
  RecordView view;
  view.store_ms = 1'700'000'000'000;
  view.topic = as_byte_span("SCHEDULE_TOPIC_XXXX");
  view.properties = as_byte_span(
      "TAGS\x01TagA\x02"
      "DELAY\x01"
      "3\x02");
  EXPECT_EQ(dispatch_request_of(view, 100).unit.tags_code, 1'700'000'010'000);
  view.topic = as_byte_span("orders");
  EXPECT_EQ(dispatch_request_of(view, 100).unit.tags_code, 2'598'919);
}

TEST(DelayOffsets, TheTextIsTheReferences) {
  DelayOffsets offsets;
  offsets.set(2, QueueOffset(1), 1);
  offsets.set(2, QueueOffset(0), 1);
  offsets.set(1, QueueOffset(55), 1);
  std::string text = offsets.write();
  std::erase_if(text, [](char c) { return c == '\n' || c == '\t'; });
  EXPECT_EQ(text, R"({"dataVersion":{"counter":0,"stateVersion":0,"timestamp":0},)"
                  R"("offsetTable":{1:55,2:0}})");
  DelayOffsets read;
  ASSERT_TRUE(read.read(offsets.write()));
  EXPECT_EQ(read.of(1), QueueOffset(55));
  EXPECT_EQ(read.of(9), QueueOffset(0));
  EXPECT_FALSE(read.read("[]"));
  EXPECT_FALSE(read.read(R"({"offsetTable":{"x":1}})"));
}

// The schedule topic: level n waits in queue n - 1.
TEST(BrokerDelay, AMessageWaitsInTheQueueOfItsLevelAndIsDeliveredWhenItIsDue) {
  MessageWorld world;
  ASSERT_EQ(world.send("orders", {{"DELAY", "3"}, {"KEYS", "k"}, {"TIMER_DELAY_SEC", "9"}}), 0);
  EXPECT_TRUE(world.messages("orders").empty());
  const auto waiting = world.messages("SCHEDULE_TOPIC_XXXX", 2);
  ASSERT_EQ(waiting.size(), 1u);
  EXPECT_EQ(waiting[0].property("REAL_TOPIC"), "orders");
  EXPECT_EQ(waiting[0].property("REAL_QID"), "0");
  EXPECT_EQ(waiting[0].property("TIMER_DELAY_SEC"), "");
  world.run_for(Duration::s(10));
  const auto delivered = world.messages("orders");
  ASSERT_EQ(delivered.size(), 1u);
  EXPECT_EQ(delivered[0].property("KEYS"), "k");
  EXPECT_EQ(delivered[0].body, "body");
  EXPECT_EQ(delivered[0].queue_offset, 0);
  EXPECT_EQ(delivered[0].origin.born_ms, waiting[0].origin.born_ms);
  // Pitfall 39: the stored text still says where it came from.
  EXPECT_EQ(delivered[0].property("REAL_TOPIC"), "orders");
  EXPECT_EQ(delivered[0].property("DELAY"), "3");
  const std::int64_t late_ms = delivered[0].store_ms - waiting[0].store_ms - 10'000;
  EXPECT_GE(late_ms, 0);
  EXPECT_LE(late_ms, 100);
}

TEST(BrokerDelay, ALevelBeyondTheLastIsTheLast) {
  MessageWorld world;
  ASSERT_EQ(world.send("orders", {{"DELAY", "40"}}), 0);
  const auto waiting = world.messages("SCHEDULE_TOPIC_XXXX", 17);
  ASSERT_EQ(waiting.size(), 1u);
  EXPECT_EQ(waiting[0].property("DELAY"), "18");
}

TEST(BrokerDelay, AConfiguredTableCounts) {
  BrokerConfiguration configuration = small_broker();
  configuration.store.delay_levels = *DelayLevels::parse("2s");
  MessageWorld world(configuration);
  ASSERT_EQ(world.send("orders", {{"DELAY", "5"}}), 0);
  ASSERT_EQ(world.messages("SCHEDULE_TOPIC_XXXX", 0).size(), 1u);
  world.run_for(Duration::s(3));
  EXPECT_EQ(world.messages("orders").size(), 1u);
}

TEST(BrokerDelay, ADelayBelowOneIsNone) {
  MessageWorld world;
  ASSERT_EQ(world.send("orders", {{"DELAY", "0"}}), 0);
  ASSERT_EQ(world.send("orders", {{"DELAY", "-1"}}), 0);
  EXPECT_EQ(world.messages("orders").size(), 2u);
}

TEST(BrokerDelay, TheTimerWheelIsRefused) {
  MessageWorld world;
  for (const char* name : {"TIMER_DELAY_SEC", "TIMER_DELAY_MS", "TIMER_DELIVER_MS"}) {
    EXPECT_EQ(world.send("orders", {{name, "1000"}}), 3) << name;
    EXPECT_NE(as_text(world.answered.at(0).remark.span()).find("timer wheel"),
              std::string_view::npos);
  }
}

// What is due stays in order, and what is delivered once is not delivered again after an orderly
// stop.
TEST(BrokerDelay, ARestartGoesOnWhereItStopped) {
  MessageWorld world;
  ASSERT_EQ(world.send("orders", {{"DELAY", "1"}, {"KEYS", "1"}}), 0);
  world.run_for(Duration::s(2));
  ASSERT_EQ(world.messages("orders").size(), 1u);
  ASSERT_EQ(world.send("orders", {{"DELAY", "2"}, {"KEYS", "2"}}), 0);
  world.stop_and_restart();
  EXPECT_TRUE(world.files.exists("/store/config/delayOffset.json"));
  world.run_for(Duration::s(10));
  const auto delivered = world.messages("orders");
  ASSERT_EQ(delivered.size(), 2u);
  EXPECT_EQ(delivered[1].property("KEYS"), "2");
}

// As RocketMQ's slaves ask for it.
TEST(BrokerDelay, TheOffsetsAreToldToWhoAsks) {
  MessageWorld world;
  ASSERT_EQ(world.send("orders", {{"DELAY", "1"}}), 0);
  world.run_for(Duration::s(2));
  const CommandHead head = request_head(RequestCode::get_all_delay_offset, 9'000);
  ASSERT_EQ(world.code_of(encode_command(head, NoFields(), {}, {})), 0);
  EXPECT_NE(as_text(world.answered.at(0).body.span()).find("1:1"), std::string_view::npos);
}

// The offsets are written every 10 s: a crash before that delivers again.
TEST(BrokerDelay, ACrashDeliversAgainWhatWasDeliveredSinceTheOffsetsWereWritten) {
  MessageWorld world;
  ASSERT_EQ(world.send("orders", {{"DELAY", "1"}, {"KEYS", "1"}}), 0);
  world.run_for(Duration::s(2));
  ASSERT_EQ(world.messages("orders").size(), 1u);
  world.kill_and_restart();
  world.run_for(Duration::s(3));
  EXPECT_EQ(world.messages("orders").size(), 2u);
  world.run_for(Duration::s(15));
  world.kill_and_restart();
  world.run_for(Duration::s(3));
  EXPECT_EQ(world.messages("orders").size(), 2u);
}

}  // namespace
}  // namespace drydock::test
