#include "engine/broker/retry.hpp"

#include <array>

#include "engine/broker/internal_message.hpp"
#include "engine/wire/message_id.hpp"
#include "engine/wire/message_properties.hpp"
#include "engine/wire/remoting_command.hpp"

namespace drydock {

namespace {

constexpr std::int32_t kFirstLevel = 3;  // 10 s in RocketMQ's table.

}  // namespace

RetryDecision decide_send_back(std::int32_t reconsumed, std::int32_t asked_level,
                               std::int32_t times_max) {
  if (reconsumed >= times_max || asked_level < 0) return {.dead = true};
  return {.delay_level = asked_level == 0 ? kFirstLevel + reconsumed : asked_level};
}

bool dead_when_sent(std::int32_t reconsumed, std::int32_t times_max, bool orderly) {
  return reconsumed > times_max || orderly;
}

IncomingMessage sent_back_copy(const StoredMessage& stored, std::string_view topic,
                               std::int32_t queue_id, const RetryDecision& decision,
                               Endpoint store_host) {
  const std::string_view received = stored.properties();
  const DecimalText level(decision.delay_level);
  const OffsetMessageId id{store_host, PhysicalOffset(stored.view.physical_offset)};
  const MessageIdText own_id = encode_offset_message_id(id);
  const std::string_view first_id = find_property(received, property::kOriginMessageId);
  const std::string_view first_topic = find_property(received, property::kRetryTopic);
  const std::array changed = {
      Property{property::kRetryTopic,
               first_topic.empty() ? as_text(stored.view.topic) : first_topic},
      Property{property::kOriginMessageId, first_id.empty() ? view_of(own_id) : first_id},
      Property{property::kWait, "false"}, Property{property::kDelay, level.view()}};
  IncomingMessage message =
      copy_of(stored, topic, queue_id, edit_properties(received, {}, changed));
  ++message.reconsume_times;
  return message;
}

}  // namespace drydock
