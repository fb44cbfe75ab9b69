// CONSUMER_SEND_MSG_BACK (36): a consumer could not process a message and wants it again later
// (storage reference, 9.2 and 12.6). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/types/ids.hpp"
#include "engine/wire/remoting_command.hpp"

namespace drydock {

// Views point into whatever it was made from.
struct SendBackHeader {
  PhysicalOffset offset;  // Of the message, in the log of the broker that is asked.
  std::string_view group;
  std::int32_t delay_level = 0;  // 0: the broker chooses; below 0: to the dead letters at once.
  std::string_view origin_message_id;
  std::string_view origin_topic;
  std::optional<std::int32_t> max_reconsume_times;

  template <class Visit>
  void for_each(Visit visit) const {
    visit("offset", DecimalText(offset.value()).view());
    visit("group", group);
    visit("delayLevel", DecimalText(delay_level).view());
    if (!origin_message_id.empty()) visit("originMsgId", origin_message_id);
    if (!origin_topic.empty()) visit("originTopic", origin_topic);
    visit("unitMode", "false");
    if (max_reconsume_times) visit("maxReconsumeTimes", DecimalText(*max_reconsume_times).view());
  }
};
// `offset`, `group` and `delayLevel` are required.
HeaderFault decode_send_back_header(std::span<const std::byte> ext_fields, SendBackHeader& header);

}  // namespace drydock
