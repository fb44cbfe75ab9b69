// SEND_MESSAGE_V2 and its response (storage reference, 12.6). Header fields travel as text under
// one-letter names. SEND_MESSAGE has the same fields under longer names.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/wire/message_id.hpp"
#include "engine/wire/remoting_frame.hpp"

namespace drydock {

// The header of a send. Views point into whatever it was made from: a received command's ext
// fields, or the sender's own strings.
struct SendMessageHeader {
  std::string_view producer_group;                  // a
  std::string_view topic;                           // b
  std::string_view default_topic = "TBW102";        // c
  std::int32_t default_topic_queue_nums = 4;        // d
  std::int32_t queue_id = 0;                        // e
  std::int32_t sys_flag = 0;                        // f
  std::int64_t born_timestamp_ms = 0;               // g
  std::int32_t flag = 0;                            // h
  std::string_view properties;                      // i
  std::int32_t reconsume_times = 0;                 // j
  bool unit_mode = false;                           // k
  std::optional<std::int32_t> max_reconsume_times;  // l
  bool batch = false;                               // m

  template <class Visit>
  void for_each(Visit visit) const {
    visit("a", producer_group);
    visit("b", topic);
    visit("c", default_topic);
    visit("d", DecimalText(default_topic_queue_nums).view());
    visit("e", DecimalText(queue_id).view());
    visit("f", DecimalText(sys_flag).view());
    visit("g", DecimalText(born_timestamp_ms).view());
    visit("h", DecimalText(flag).view());
    if (!properties.empty()) visit("i", properties);
    visit("j", DecimalText(reconsume_times).view());
    visit("k", unit_mode ? "true" : "false");
    if (max_reconsume_times) visit("l", DecimalText(*max_reconsume_times).view());
    visit("m", batch ? "true" : "false");
  }
};

HeaderFault decode_send_message_header(std::span<const std::byte> ext_fields,
                                       SendMessageHeader& header);
// Of a SEND_MESSAGE.
HeaderFault decode_send_message_v1_header(std::span<const std::byte> ext_fields,
                                          SendMessageHeader& header);

struct SendMessageResponse {
  MessageIdText message_id;
  std::int32_t queue_id = 0;
  QueueOffset queue_offset;

  template <class Visit>
  void for_each(Visit visit) const {
    visit("msgId", view_of(message_id));
    visit("queueId", DecimalText(queue_id).view());
    visit("queueOffset", DecimalText(queue_offset.value()).view());
    visit("MSG_REGION", "DefaultRegion");
    visit("TRACE_ON", "true");
  }
};

// The three fields that are required; none if one is missing or unreadable.
struct SendMessageReceipt {
  OffsetMessageId message_id;
  std::int32_t queue_id = 0;
  QueueOffset queue_offset;
};
std::optional<SendMessageReceipt> decode_send_message_response(
    std::span<const std::byte> ext_fields);

}  // namespace drydock
