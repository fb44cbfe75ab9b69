// Transactions. Facts: storage reference, 9.4 and pitfalls 28, 39.
#include <gtest/gtest.h>

#include "engine/broker/transactions.hpp"
#include "tests/support/message_world.hpp"

namespace drydock::test {
namespace {

TEST(Transactions, AnOpMessageNamesPlaces) {
  const IncomingMessage op = op_message("3,17,", {}, 0);
  RecordView view;
  view.body = op.body.span();
  view.properties = op.properties.span();
  EXPECT_EQ(places_in_op(view), (std::set<QueueOffset>{QueueOffset(3), QueueOffset(17)}));
  view.properties = {};
  EXPECT_TRUE(places_in_op(view).empty());
}

TEST(Transactions, ImmunityIsThePropertysOrTheTimeout) {
  const Duration timeout = Duration::s(6);
  EXPECT_FALSE(immunity_of("", timeout).own);
  EXPECT_EQ(immunity_of("", timeout).length, timeout);
  const Immunity own = immunity_of(
      "CHECK_IMMUNITY_TIME_IN_SECONDS\x01"
      "20\x02",
      timeout);
  EXPECT_TRUE(own.own);
  EXPECT_EQ(own.length, Duration::s(20));
  EXPECT_EQ(immunity_of("CHECK_IMMUNITY_TIME_IN_SECONDS\x01"
                        "-1\x02",
                        timeout)
                .length,
            timeout);
}

TEST(Transactions, TheHeaderOfAnEndIsReadBack) {
  const EndTransactionHeader written{.producer_group = "P",
                                     .queue_offset = QueueOffset(4),
                                     .commit_log_offset = PhysicalOffset(77),
                                     .end = TransactionEnd::rollback,
                                     .from_check = true,
                                     .message_id = "id"};
  const SharedBytes frame =
      encode_command(request_head(RequestCode::end_transaction, 1), written, {}, {});
  FrameDecoder decoder;
  decoder.feed(ByteChain(frame));
  RemotingCommand command;
  ASSERT_EQ(decoder.next(command), FrameDecoder::Step::command);
  EndTransactionHeader read;
  ASSERT_TRUE(decode_end_transaction_header(command.ext_fields.span(), read).ok());
  EXPECT_EQ(read.end, TransactionEnd::rollback);
  EXPECT_EQ(read.commit_log_offset, PhysicalOffset(77));
  EXPECT_TRUE(read.from_check);
  EndTransactionHeader empty;
  EXPECT_EQ(decode_end_transaction_header({}, empty).field, "producerGroup");
}

class BrokerTransactions : public ::testing::Test {
 protected:
  // The half message as it lies there.
  Delivered half(std::map<std::string, std::string> more = {}) {
    std::map<std::string, std::string> properties = {
        {"TRAN_MSG", "true"}, {"PGROUP", "P"}, {"KEYS", "k"}, {"UNIQ_KEY", "unique"}};
    properties.merge(more);
    EXPECT_EQ(world.send("orders", properties), 0);
    return world.messages(kHalfTopic).back();
  }
  std::int32_t end(const Delivered& message, TransactionEnd how, std::string_view group = "P",
                   bool from_check = false) {
    const EndTransactionHeader header{.producer_group = group,
                                      .queue_offset = QueueOffset(message.queue_offset),
                                      .commit_log_offset = PhysicalOffset(message.physical_offset),
                                      .end = how,
                                      .from_check = from_check,
                                      .message_id = "id"};
    return world.code_of(
        encode_command(request_head(RequestCode::end_transaction, 9'000), header, {}, {}));
  }
  // The questions that come within `length`.
  std::vector<RemotingCommand> questions(Duration length) {
    std::vector<RemotingCommand> asked;
    for (RemotingCommand& command : world.client->responses_within(length)) {
      if (command.is(RequestCode::check_transaction_state) && !command.is_response()) {
        asked.push_back(std::move(command));
      }
    }
    return asked;
  }
  MessageWorld world;
};

TEST_F(BrokerTransactions, AHalfMessageIsReadByNobodyAndKnowsWhereItBelongs) {
  const Delivered message = half();
  EXPECT_TRUE(world.messages("orders").empty());
  EXPECT_EQ(message.property("REAL_TOPIC"), "orders");
  EXPECT_EQ(message.property("REAL_QID"), "0");
  EXPECT_EQ(message.property("__transactionId__"), "unique");
  EXPECT_EQ(message.sys_flag & 0xC, 0);  // Pitfall 28.
}

TEST_F(BrokerTransactions, ACommittedOneIsDeliveredAndNamedInAnOpMessage) {
  const Delivered message = half();
  ASSERT_EQ(end(message, TransactionEnd::commit), 0);
  const auto delivered = world.messages("orders");
  ASSERT_EQ(delivered.size(), 1u);
  EXPECT_EQ(delivered[0].property("KEYS"), "k");
  EXPECT_EQ(delivered[0].sys_flag & 0xC, 0x8);
  EXPECT_EQ(delivered[0].origin.prepared_offset, message.physical_offset);
  EXPECT_EQ(delivered[0].property("TRAN_MSG"), "true");  // Pitfall 39.
  world.run_for(Duration::s(4));
  const auto ops = world.messages(kOpTopic);
  ASSERT_EQ(ops.size(), 1u);
  EXPECT_EQ(ops[0].body, "0,");
  EXPECT_EQ(ops[0].property("TAGS"), "d");
}

TEST_F(BrokerTransactions, ARolledBackOneIsOnlyNamed) {
  const Delivered first = half();
  const Delivered second = half();
  ASSERT_EQ(end(first, TransactionEnd::rollback), 0);
  ASSERT_EQ(end(second, TransactionEnd::rollback), 0);
  world.run_for(Duration::s(4));
  EXPECT_TRUE(world.messages("orders").empty());
  std::string places;
  for (const Delivered& op : world.messages(kOpTopic)) places += op.body;
  EXPECT_EQ(places, "0,1,");
}

TEST_F(BrokerTransactions, AnEndThatDoesNotFitIsRefusedAndOneThatKnowsNothingNotAnswered) {
  Delivered message = half();
  EXPECT_EQ(end(message, TransactionEnd::unknown), -1);
  EXPECT_EQ(end(message, TransactionEnd::commit, "other"), 1);
  message.queue_offset += 1;
  EXPECT_EQ(end(message, TransactionEnd::commit), 1);
  message.physical_offset += 1;
  EXPECT_EQ(end(message, TransactionEnd::commit), 1);
  EXPECT_TRUE(world.messages("orders").empty());
}

TEST_F(BrokerTransactions, AProducerIsAskedAboutOneThatDidNotEnd) {
  ASSERT_EQ(world.heartbeat("P"), 0);
  const Delivered message = half();
  const auto asked = questions(Duration::s(31));
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_TRUE(asked[0].is_one_way());
  const auto again = world.messages(kHalfTopic);
  ASSERT_EQ(again.size(), 2u);
  EXPECT_EQ(again[1].property("TRANSACTION_CHECK_TIMES"), "1");
  bool seen = false;
  for_each_record(asked[0].body.span(), [&](auto, const RecordView& view) {
    seen = true;
    EXPECT_EQ(as_text(view.topic), "orders");
    EXPECT_EQ(as_text(view.body), "body");
    EXPECT_EQ(view.queue_offset, again[1].queue_offset);
    EXPECT_EQ(view.physical_offset, again[1].physical_offset);
  });
  EXPECT_TRUE(seen);
  ASSERT_EQ(end(again[1], TransactionEnd::commit, "P", true), 0);
  EXPECT_EQ(world.messages("orders").size(), 1u);
  EXPECT_TRUE(questions(Duration::s(65)).empty());
  EXPECT_EQ(world.messages(kHalfTopic).size(), 2u);
}

TEST_F(BrokerTransactions, NobodyIsAskedAboutWhatHasEnded) {
  ASSERT_EQ(world.heartbeat("P"), 0);
  ASSERT_EQ(end(half(), TransactionEnd::commit), 0);
  ASSERT_EQ(end(half(), TransactionEnd::rollback), 0);
  EXPECT_TRUE(questions(Duration::s(65)).empty());
  EXPECT_EQ(world.messages(kHalfTopic).size(), 2u);
}

TEST_F(BrokerTransactions, WhatWasAskedAboutTooOftenIsPutAside) {
  world.process->kill();
  world.run_for(Duration::s(1));
  world.configuration.transaction_check_max = 2;
  world.restart();
  ASSERT_EQ(world.heartbeat("P"), 0);
  half();
  std::size_t asked = 0;
  for (int i = 0; i < 5; ++i) {
    asked += questions(Duration::s(30)).size();
    world.heartbeat("P");
  }
  EXPECT_EQ(asked, 2u);
  EXPECT_EQ(world.messages(kHalfTopic).size(), 3u);
  const auto aside = world.messages(kCheckMaxTopic);
  ASSERT_EQ(aside.size(), 1u);
  EXPECT_EQ(aside[0].property("KEYS"), "k");
}

TEST_F(BrokerTransactions, ImmunityPutsTheQuestionOffAndEndsTheTransactionsTime) {
  ASSERT_EQ(world.heartbeat("P"), 0);
  const Delivered message = half({{"CHECK_IMMUNITY_TIME_IN_SECONDS", "40"}});
  EXPECT_TRUE(questions(Duration::s(31)).empty());
  const auto put_off = world.messages(kHalfTopic);
  ASSERT_EQ(put_off.size(), 2u);
  EXPECT_EQ(put_off[1].property("TRAN_PREPARED_QUEUE_OFFSET"), "0");
  EXPECT_EQ(questions(Duration::s(30)).size(), 1u);
  EXPECT_EQ(end(message, TransactionEnd::commit), 604);
  EXPECT_EQ(end(world.messages(kHalfTopic).back(), TransactionEnd::commit, "P", true), 0);
}

// An op message that a crash took: the transaction is asked about, and may be ended twice.
TEST_F(BrokerTransactions, AnOpMessageThatWasNotWrittenIsAskedAboutAfterACrash) {
  ASSERT_EQ(end(half(), TransactionEnd::commit), 0);
  world.kill_and_restart();
  ASSERT_EQ(world.heartbeat("P"), 0);
  EXPECT_EQ(questions(Duration::s(32)).size(), 1u);
}

}  // namespace
}  // namespace drydock::test
