// What a lookup means to the client that pulled: the table of the storage reference, 3.6.
#include "engine/broker/pull_answer.hpp"

#include <gtest/gtest.h>

namespace drydock::test {
namespace {

constexpr PullBroker kMaster{};
constexpr PullBroker kReadSlave{.is_slave = true, .slave_read_enable = true};

GetResult result_of(GetStatus status, bool suggest_slave = false) {
  GetResult result;
  result.status = status;
  result.suggest_slave = suggest_slave;
  return result;
}
std::int32_t code_of(GetStatus status, std::int64_t asked = 7, PullBroker broker = kMaster) {
  return static_cast<std::int32_t>(answer_of(result_of(status), QueueOffset(asked), broker).code);
}

TEST(BrokerPullAnswer, AMastersCodes) {
  EXPECT_EQ(code_of(GetStatus::found), 0);
  EXPECT_EQ(code_of(GetStatus::message_was_removing), 20);
  EXPECT_EQ(code_of(GetStatus::no_matched_message), 20);
  EXPECT_EQ(code_of(GetStatus::no_matched_logic_queue), 21);
  EXPECT_EQ(code_of(GetStatus::no_matched_logic_queue, 0), 19);
  EXPECT_EQ(code_of(GetStatus::no_message_in_queue), 21);
  EXPECT_EQ(code_of(GetStatus::no_message_in_queue, 0), 19);
  EXPECT_EQ(code_of(GetStatus::offset_found_null), 19);
  EXPECT_EQ(code_of(GetStatus::offset_overflow_one), 19);
  EXPECT_EQ(code_of(GetStatus::offset_overflow_badly), 21);
  EXPECT_EQ(code_of(GetStatus::offset_too_small), 21);
  EXPECT_EQ(code_of(GetStatus::offset_reset), 21);
  EXPECT_EQ(code_of(GetStatus::unavailable), 1);
}

// The suggestion counts only where slaves may be read.
TEST(BrokerPullAnswer, AMasterSuggestsTheSlaveForOldMessagesIfItMayBeRead) {
  const GetResult old = result_of(GetStatus::found, true);
  EXPECT_EQ(answer_of(old, QueueOffset(), kMaster).suggested_broker_id, 0);
  const PullBroker reading{.slave_read_enable = true};
  EXPECT_EQ(answer_of(old, QueueOffset(), reading).suggested_broker_id, 1);
  EXPECT_EQ(answer_of(result_of(GetStatus::found), QueueOffset(), reading).suggested_broker_id, 0);
}

TEST(BrokerPullAnswer, ASlaveSendsBackToTheMaster) {
  EXPECT_EQ(code_of(GetStatus::found, 7, kReadSlave), 0);
  EXPECT_EQ(code_of(GetStatus::offset_overflow_one, 7, kReadSlave), 20);
  EXPECT_EQ(code_of(GetStatus::no_message_in_queue, 0, kReadSlave), 20);
  const GetResult old = result_of(GetStatus::found, true);
  EXPECT_EQ(answer_of(old, QueueOffset(), kReadSlave), (PullAnswer{ResponseCode::success, 1}));
}

// A group may name its brokers: brokerId and whichBrokerWhenConsumeSlowly.
TEST(BrokerPullAnswer, AGroupIsSentWhereItsConfigurationSays) {
  const PullBroker reading{.slave_read_enable = true};
  const PullGroup group{.broker_id = 2, .when_slow_id = 3};
  const GetResult old = result_of(GetStatus::found, true);
  const GetResult fresh = result_of(GetStatus::found);
  EXPECT_EQ(answer_of(old, QueueOffset(), reading, group).suggested_broker_id, 3);
  EXPECT_EQ(answer_of(fresh, QueueOffset(), reading, group).suggested_broker_id, 2);
  EXPECT_EQ(answer_of(old, QueueOffset(), kMaster, group).suggested_broker_id, 0);
  EXPECT_EQ(answer_of(fresh, QueueOffset(), kReadSlave, group).suggested_broker_id, 0);
}

// Without offsetCheckInSlave it corrects nobody.
TEST(BrokerPullAnswer, ASlaveMovesNoOffsetUnlessToldTo) {
  const GetResult beyond = result_of(GetStatus::offset_overflow_badly, true);
  EXPECT_EQ(answer_of(beyond, QueueOffset(7), kReadSlave),
            (PullAnswer{ResponseCode::pull_retry_immediately, 0}));
  PullBroker checking = kReadSlave;
  checking.offset_check_in_slave = true;
  EXPECT_EQ(answer_of(beyond, QueueOffset(7), checking),
            (PullAnswer{ResponseCode::pull_offset_moved, 1}));
}

}  // namespace
}  // namespace drydock::test
