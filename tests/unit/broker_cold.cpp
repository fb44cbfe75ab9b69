// Groups that read too much of what is not in memory: the counts and their thresholds, and what a
// broker then answers. Facts: storage reference, 3.6, and RocketMQ's ColdDataCgCtrService.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "engine/broker/cold_reads.hpp"
#include "engine/wire/heartbeat.hpp"
#include "engine/wire/pull_message.hpp"
#include "tests/support/raw_client.hpp"

namespace drydock::test {
namespace {

TEST(ColdReads, AGroupHasHadEnoughAtItsThresholdUntilThePeriodEnds) {
  ColdReads reads({.of_group_bytes = 100, .of_all_bytes = 1'000});
  reads.add("g", 99, 0);
  EXPECT_FALSE(reads.had_enough("g"));
  reads.add("g", 1, 0);
  EXPECT_TRUE(reads.had_enough("g"));
  EXPECT_FALSE(reads.had_enough("other"));
  reads.end_period(5'000);
  EXPECT_FALSE(reads.had_enough("g"));
}

TEST(ColdReads, AllTogetherStopThoseThatReadColdDataAndNoOthers) {
  ColdReads reads({.of_group_bytes = 100, .of_all_bytes = 120});
  for (const char* group : {"a", "b", "TOOLS_CONSUMER", "CID_RMQ_SYS_x"}) reads.add(group, 60, 0);
  EXPECT_TRUE(reads.had_enough("a"));
  EXPECT_TRUE(reads.had_enough("b"));
  EXPECT_FALSE(reads.had_enough("c"));  // It has read nothing that is cold.
  EXPECT_FALSE(reads.had_enough("TOOLS_CONSUMER"));
  EXPECT_FALSE(reads.had_enough("CID_RMQ_SYS_x"));
}

TEST(ColdReads, AGroupIsForgottenAfterAMinute) {
  ColdReads reads({.of_group_bytes = 100, .of_all_bytes = 50});
  reads.add("g", 1, 1'000);
  reads.end_period(60'999);
  reads.add("other", 50, 60'999);
  EXPECT_TRUE(reads.had_enough("g"));
  reads.end_period(61'000);
  reads.add("other", 50, 61'000);
  EXPECT_FALSE(reads.had_enough("g"));
}

TEST(ColdReads, WithoutAStrategyThresholdsStay) {
  ColdReads reads({.of_group_bytes = 100, .of_all_bytes = 1'000});
  for (int i = 1; i <= 20; ++i) {
    reads.add("g", 100, 0);
    reads.end_period(1);
  }
  EXPECT_EQ(reads.threshold_of("g"), 100);
}

TEST(ColdReads, TheSimpleStrategyGivesAHalfMoreAndTakesAFifth) {
  ColdReads reads(
      {.of_group_bytes = 100, .of_all_bytes = 1'000, .adaptive = true, .controller = false});
  reads.add("g", 100, 0);
  reads.end_period(1);
  EXPECT_EQ(reads.threshold_of("g"), 150);
  EXPECT_EQ(reads.threshold_of("other"), 100);
  reads.add("g", 149, 0);
  reads.end_period(1);
  EXPECT_EQ(reads.threshold_of("g"), 150);
  reads.add("g", 150, 0);
  reads.add("other", 851, 0);  // Beyond the sum: nobody is sped up.
  reads.end_period(1);
  EXPECT_EQ(reads.threshold_of("g"), 120);
  reads.add("other", 1'001, 0);
  reads.end_period(1);
  EXPECT_EQ(reads.threshold_of("g"), 100);  // Never below the configuration.
}

// A group that always reads more than it may would reach the end of the integers after 40 minutes.
TEST(ColdReads, AThresholdGrowsToTheMostThatAConfigurationMaySay) {
  constexpr std::int64_t kMost = std::int64_t{1} << 50;
  ColdReads reads({.of_group_bytes = kMost / 2,
                   .of_all_bytes = std::numeric_limits<std::int64_t>::max(),
                   .adaptive = true,
                   .controller = false});
  for (const std::int64_t wanted : {kMost / 4 * 3, kMost, kMost}) {
    reads.add("g", kMost, 0);
    reads.end_period(1);
    EXPECT_EQ(reads.threshold_of("g"), wanted);
  }
}

TEST(ColdReads, TheThreeFastestAreSlowedDown) {
  ColdReads reads(
      {.of_group_bytes = 100, .of_all_bytes = 1'000, .adaptive = true, .controller = false});
  for (const char* group : {"a", "b", "c", "d"}) reads.add(group, 100, 0);
  reads.end_period(1);
  reads.add("d", 150, 0);
  reads.end_period(1);
  reads.add("x", 1'001, 0);
  reads.end_period(1);
  EXPECT_EQ(reads.threshold_of("d"), 180);
  EXPECT_EQ(reads.threshold_of("a"), 120);
  EXPECT_EQ(reads.threshold_of("b"), 120);
  EXPECT_EQ(reads.threshold_of("c"), 150);
}

TEST(ColdReads, TheControllerNeedsTenPeriodsAndRoom) {
  ColdReads reads({.of_group_bytes = 100, .of_all_bytes = 1'000, .adaptive = true});
  for (int i = 1; i <= 9; ++i) {
    reads.add("g", 100, 0);
    reads.end_period(1);
    EXPECT_EQ(reads.threshold_of("g"), 100) << i;
  }
  reads.add("g", 100, 0);  // 700 below the aim of 800 each time: the factor is above 0.
  reads.end_period(1);
  EXPECT_EQ(reads.threshold_of("g"), 150);
  // 500 above the aim: with the others' room the factor stays above 0 for five periods; in the
  // sixth it is 5 · −500 + 3 · (4 · 700 − 6 · 500).
  for (int i = 1; i <= 6; ++i) {
    reads.add("other", 1'300, 0);
    reads.end_period(1);
    EXPECT_EQ(reads.threshold_of("g"), i < 6 ? 150 : 120) << i;
  }
}

PullMessageHeader pull_of(std::string_view group, std::int64_t offset) {
  PullMessageHeader header;
  header.consumer_group = group;
  header.topic = "orders";
  header.queue_offset = offset;
  header.sys_flag = pull_flag::kSubscription;
  return header;
}

// A hundred messages, of which all but the last few dozen are cold.
class BrokerCold : public ::testing::Test {
 protected:
  static constexpr std::int32_t kBusy = 2;

  explicit BrokerCold(const std::function<void(BrokerConfiguration&)>& change = {}) {
    world.configuration.store.total_memory_bytes = 20'000;
    world.configuration.store.cold_data_flow_control_enable = true;
    world.configuration.cg_cold_read_threshold = 1'000;
    if (change) change(world.configuration);
    started = world.now();
    world.start_broker();
    Client sender(world);
    for (std::uint64_t key = 1; key <= 100; ++key) {
      sender.send(outgoing(key));
      world.run_for(Duration::ms(20));
    }
    client.emplace(world);
  }
  struct Answer {
    std::int32_t code = -1;
    std::int64_t count = 0;
    friend bool operator==(const Answer&, const Answer&) = default;
    friend std::ostream& operator<<(std::ostream& out, const Answer& answer) {
      return out << answer.code << " with " << answer.count;
    }
  };
  static Answer answer_in(const std::vector<RemotingCommand>& responses) {
    if (responses.size() != 1) return {};
    Answer answer{responses[0].head.code, 0};
    for_each_record(responses[0].body.span(), [&](auto, const RecordView&) { ++answer.count; });
    return answer;
  }
  static SharedBytes pull(std::string_view group, std::int64_t offset) {
    return encode_command(request_head(RequestCode::pull_message, 1), pull_of(group, offset), {},
                          {});
  }
  Answer ask(std::string_view group, std::int64_t offset) {
    return answer_in(client->ask(pull(group, offset)));
  }
  void pull_actively(const std::string& group) {
    const SharedBytes body = encode_heartbeat(
        "c", {.producer_group = "", .consumer_group = group, .topics = {"orders"}});
    client->ask(
        encode_command(request_head(RequestCode::heart_beat, 1), NoFields(), {}, body.span()));
  }
  // Until the next period has just begun.
  void next_period() {
    const Duration period = Duration::s(5);
    const Duration passed = world.now() - started;
    world.run_to(started + period * (passed / period + 1) + Duration::ms(1));
  }

  BrokerWorld world;
  Duration started;
  std::optional<RawClient> client;
};

TEST_F(BrokerCold, AGroupThatIsPushedToIsRefusedUntilThePeriodEnds) {
  next_period();
  EXPECT_EQ(ask("G", 0), (Answer{0, 8}));
  EXPECT_EQ(ask("G", 8), (Answer{kBusy, 0}));
  EXPECT_EQ(ask("G", 99), (Answer{0, 1}));     // It is hot.
  EXPECT_EQ(ask("other", 0), (Answer{0, 8}));  // Every group has its own.
  next_period();
  EXPECT_EQ(ask("G", 8), (Answer{0, 8}));
}

TEST_F(BrokerCold, APullOfAGroupThatPullsByItselfIsHeldAndThenGetsOneMessage) {
  pull_actively("G");
  next_period();
  EXPECT_EQ(ask("G", 0), (Answer{0, 8}));
  const Duration asked = world.now();
  client->send(pull("G", 8));
  EXPECT_TRUE(client->responses_within(Duration::ms(2'900)).empty());
  const Answer answer = answer_in(client->responses_within(Duration::s(3)));
  EXPECT_EQ(answer, (Answer{0, 1}));
  EXPECT_GE(world.now() - asked, Duration::s(3));
  EXPECT_EQ(ask("G", 9), (Answer{0, 8}));  // A new period.
}

TEST_F(BrokerCold, HotMessagesAreNotCounted) {
  for (int i = 0; i < 10; ++i) EXPECT_EQ(ask("G", 90), (Answer{0, 10})) << i;
  EXPECT_EQ(ask("G", 0), (Answer{0, 8}));
}

class BrokerColdOff : public BrokerCold {
 protected:
  BrokerColdOff()
      : BrokerCold([](BrokerConfiguration& configuration) {
          configuration.store.cold_data_flow_control_enable = false;
        }) {}
};

TEST_F(BrokerColdOff, NobodyIsSlowedDown) {
  for (int i = 0; i < 10; ++i) EXPECT_EQ(ask("G", 0), (Answer{0, 8})) << i;
}

// All of it is in the page cache, unless a test says otherwise.
class BrokerColdScan : public BrokerCold {
 protected:
  BrokerColdScan()
      : BrokerCold([](BrokerConfiguration& configuration) {
          configuration.store.cold_data_scan_enable = true;
          configuration.cg_cold_read_threshold = 1;
        }) {}
};

TEST_F(BrokerColdScan, WhatIsInThePageCacheIsNotCounted) {
  for (int i = 0; i < 10; ++i) EXPECT_EQ(ask("G", 0), (Answer{0, 8})) << i;
}

// A message counts as a whole if any of its pages is not there.
TEST_F(BrokerColdScan, WhatIsNotAllInThePageCacheIsCounted) {
  const Bytes& log = world.files.at("/store/commitlog/00000000000000000000").cached;
  const auto first_bytes = read_big_endian<std::int32_t>(log.data());
  next_period();
  EXPECT_EQ(ask("G", 0), (Answer{0, 8}));
  world.files.evicted.insert(first_bytes - 1);
  EXPECT_EQ(ask("G", 0), (Answer{0, 8}));
  EXPECT_EQ(ask("G", 0), (Answer{kBusy, 0}));
}

}  // namespace
}  // namespace drydock::test
