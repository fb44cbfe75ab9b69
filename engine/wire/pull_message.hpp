// PULL_MESSAGE (11) and its response (storage reference, 12.6). Pure.
//
// The response has the name of what the lookup came to as its remark, and with code 0 whole records
// as its body, one behind the other, as the log holds them.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "engine/types/ids.hpp"
#include "engine/wire/message_record.hpp"
#include "engine/wire/remoting_command.hpp"

namespace drydock {

// Bits of a pull's sysFlag.
namespace pull_flag {
inline constexpr std::int32_t kCommitOffset = 0x1;  // commitOffset counts as consumed.
inline constexpr std::int32_t kSuspend = 0x2;       // With nothing to return, hold the request.
inline constexpr std::int32_t kSubscription = 0x4;  // The header says which messages are wanted.
}  // namespace pull_flag

// Views point into whatever it was made from.
struct PullMessageHeader {
  std::string_view consumer_group;
  std::string_view topic;
  std::int32_t queue_id = 0;
  std::int64_t queue_offset = 0;
  std::int32_t message_count_max = 32;  // maxMsgNums
  std::int32_t sys_flag = 0;
  std::int64_t commit_offset = 0;
  std::int64_t suspend_timeout_ms = 0;
  std::int64_t sub_version = 0;
  std::string_view subscription;     // "*", or tags with || between.
  std::string_view expression_type;  // Empty or "TAG": `subscription` is of tags.

  template <class Visit>
  void for_each(Visit visit) const {
    visit("consumerGroup", consumer_group);
    visit("topic", topic);
    visit("queueId", DecimalText(queue_id).view());
    visit("queueOffset", DecimalText(queue_offset).view());
    visit("maxMsgNums", DecimalText(message_count_max).view());
    visit("sysFlag", DecimalText(sys_flag).view());
    visit("commitOffset", DecimalText(commit_offset).view());
    visit("suspendTimeoutMillis", DecimalText(suspend_timeout_ms).view());
    visit("subVersion", DecimalText(sub_version).view());
    if (!subscription.empty()) visit("subscription", subscription);
    if (!expression_type.empty()) visit("expressionType", expression_type);
  }
};
HeaderFault decode_pull_message_header(std::span<const std::byte> ext_fields,
                                       PullMessageHeader& header);

struct PullMessageResponse {
  std::int64_t suggested_broker_id = 0;  // suggestWhichBrokerId: where to pull next.
  QueueOffset next;                      // nextBeginOffset
  QueueOffset min;                       // Of the queue.
  QueueOffset max;

  template <class Visit>
  void for_each(Visit visit) const {
    visit("suggestWhichBrokerId", DecimalText(suggested_broker_id).view());
    visit("nextBeginOffset", DecimalText(next.value()).view());
    visit("minOffset", DecimalText(min.value()).view());
    visit("maxOffset", DecimalText(max.value()).view());
  }
};
// None if one of the four is missing or no number.
std::optional<PullMessageResponse> decode_pull_message_response(
    std::span<const std::byte> ext_fields);

// Calls `visit` for each record of a body, with its bytes and its parts, which point into them.
// What is no whole record, or has a wrong check sum, goes to `on_damage` instead, with its parts as
// far as they could be read: as many bytes as it says itself, if the body ends behind them or
// another record seems to begin there; else all the rest of the body. False if there was such a
// piece.
using RecordVisitor = std::function<void(std::span<const std::byte>, const RecordView&)>;
using DamageVisitor =
    std::function<void(std::span<const std::byte>, const RecordView&, RecordFault)>;
bool for_each_record(std::span<const std::byte> body, const RecordVisitor& visit,
                     const DamageVisitor& on_damage = nullptr);

}  // namespace drydock
