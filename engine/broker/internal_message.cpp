#include "engine/broker/internal_message.hpp"

#include <algorithm>
#include <array>

#include "engine/wire/message_properties.hpp"
#include "engine/wire/remoting_command.hpp"

namespace drydock {

namespace {

// A delay level makes these meaningless.
constexpr std::array kTimers = {property::kTimerDelaySeconds, property::kTimerDelayMs,
                                property::kTimerDeliverMs};

bool may_wait(std::int32_t flags) {
  const std::int32_t transaction = flags & sys_flag::kTransactionMask;
  return transaction == 0 || transaction == sys_flag::kTransactionCommit;
}

}  // namespace

IncomingMessage delayed_if_asked(IncomingMessage message, const DelayLevels& levels) {
  const std::int32_t level = levels.effective(delay_level_of(as_text(message.properties.span())));
  if (level == 0 || !may_wait(message.sys_flag)) return message;
  const DecimalText level_text(level);
  const DecimalText queue_text(message.queue_id);
  const std::array added = {Property{property::kDelay, level_text.view()},
                            Property{property::kRealTopic, as_text(message.topic.span())},
                            Property{property::kRealQueueId, queue_text.view()}};
  message.properties = edit_properties(as_text(message.properties.span()), kTimers, added);
  message.topic = SharedBytes::copy_of(kScheduleTopic);
  message.queue_id = level - 1;
  return message;
}

IncomingMessage copy_of(const StoredMessage& stored, std::string_view topic, std::int32_t queue_id,
                        SharedBytes properties) {
  const RecordOrigin origin = stored.origin();
  IncomingMessage message;
  message.topic = SharedBytes::copy_of(topic);
  message.properties = std::move(properties);
  message.body = stored.share(stored.view.body);
  message.queue_id = queue_id;
  message.flag = origin.flag;
  message.sys_flag = stored.view.sys_flag & ~sys_flag::kHostMask;
  message.born_ms = origin.born_ms;
  message.born_host = origin.born_host;
  message.reconsume_times = origin.reconsume_times;
  message.wait_store_ok = false;
  return message;
}

std::optional<RealPlace> real_place_of(std::string_view properties) {
  const std::string_view topic = find_property(properties, property::kRealTopic);
  const auto queue_id =
      parse_decimal<std::int32_t>(find_property(properties, property::kRealQueueId));
  if (topic.empty() || !queue_id || *queue_id < 0) return std::nullopt;
  return RealPlace{topic, *queue_id};
}

}  // namespace drydock
