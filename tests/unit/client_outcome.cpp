// What responses, or their absence, say about a send: the definitions of the design, section 0.
#include "engine/client/send_outcome.hpp"

#include <gtest/gtest.h>

#include <set>

namespace drydock::test {
namespace {

RemotingCommand response(std::int16_t code, bool with_id) {
  const OffsetMessageId id{{0x7f000001, 10'911}, PhysicalOffset(4660)};
  const SendMessageResponse fields{encode_offset_message_id(id), 3, QueueOffset(7)};
  CommandHead head;
  head.code = code;
  head.flag = kFlagResponse;
  FrameDecoder decoder;
  decoder.feed(ByteChain(with_id ? encode_command(head, fields, {}, {})
                                 : encode_command(head, NoFields(), {}, {})));
  RemotingCommand command;
  EXPECT_EQ(decoder.next(command), FrameDecoder::Step::command);
  return command;
}
AttemptResult read(std::int16_t code, bool with_id = true) {
  AttemptResult result;
  read_response(response(code, with_id), result);
  return result;
}
AttemptResult without_response(SendStatus status, SendDetail detail) {
  AttemptResult result;
  result.attempt.status = status;
  result.attempt.detail = detail;
  return result;
}
SendOutcome outcome_of(std::initializer_list<AttemptResult> attempts) {
  SendOutcome outcome;
  for (const AttemptResult& attempt : attempts) note_attempt(outcome, attempt);
  return outcome;
}

TEST(ClientOutcome, OnlyCodeZeroIsAcked) {
  const AttemptResult acked = read(0);
  EXPECT_EQ(acked.attempt.status, SendStatus::acked);
  ASSERT_TRUE(acked.receipt.has_value());
  EXPECT_EQ(acked.receipt->message_id.offset, PhysicalOffset(4660));
  for (const std::int16_t code : {10, 11, 12}) {
    const AttemptResult unknown = read(code);
    EXPECT_EQ(unknown.attempt.status, SendStatus::unknown) << code;
    EXPECT_TRUE(unknown.receipt.has_value()) << code;
  }
  for (const std::int16_t code : {1, 2, 3, 13, 14, 16, 17, 29, 204, 205, 1500, 999}) {
    EXPECT_EQ(read(code, false).attempt.status, SendStatus::failed) << code;
    EXPECT_EQ(read(code).attempt.response_code, code);
  }
}

TEST(ClientOutcome, ASuccessWithoutAMessageIdIsUnknown) {
  const AttemptResult result = read(0, false);
  EXPECT_EQ(result.attempt.status, SendStatus::unknown);
  EXPECT_EQ(result.attempt.detail, SendDetail::malformed_response);
}

TEST(ClientOutcome, RetriesFollowRocketMqsList) {
  for (const std::int16_t code : {17, 14, 1, 2, 16, 204, 205, 1500}) {
    EXPECT_TRUE(retry_after(read(code, false).attempt)) << code;
  }
  for (const std::int16_t code : {0, 10, 11, 12, 3, 13, 29}) {
    EXPECT_FALSE(retry_after(read(code).attempt)) << code;
  }
  for (const SendDetail detail :
       {SendDetail::timed_out, SendDetail::connection_lost, SendDetail::not_connected}) {
    EXPECT_TRUE(retry_after(without_response(SendStatus::unknown, detail).attempt));
  }
  EXPECT_FALSE(retry_after(without_response(SendStatus::unknown, SendDetail::cancelled).attempt));
}

TEST(ClientOutcome, AckedWinsOverUnknownAndUnknownOverFailed) {
  const AttemptResult unknown = without_response(SendStatus::unknown, SendDetail::timed_out);
  const AttemptResult failed = without_response(SendStatus::failed, SendDetail::not_connected);
  EXPECT_EQ(outcome_of({unknown, read(0)}).status, SendStatus::acked);
  EXPECT_EQ(outcome_of({unknown, failed}).status, SendStatus::unknown);
  EXPECT_EQ(outcome_of({unknown, failed}).detail, SendDetail::timed_out);
  EXPECT_EQ(outcome_of({failed, read(2, false)}).detail, SendDetail::system_busy);
  EXPECT_EQ(outcome_of({failed, failed, failed}).attempts.size(), 3u);
}

TEST(ClientOutcome, TheClientReturnsForFourCodes) {
  for (const std::int16_t code : {0, 10, 11, 12}) EXPECT_TRUE(outcome_of({read(code)}).returned);
  EXPECT_FALSE(outcome_of({read(14, false)}).returned);
  EXPECT_FALSE(outcome_of({without_response(SendStatus::unknown, SendDetail::timed_out)}).returned);
}

TEST(ClientOutcome, EveryDetailHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (int i = 0; i < static_cast<int>(SendDetail::count_); ++i) {
    names.insert(name_of(static_cast<SendDetail>(i)));
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(SendDetail::count_));
  EXPECT_FALSE(names.contains(""));
}

}  // namespace
}  // namespace drydock::test
