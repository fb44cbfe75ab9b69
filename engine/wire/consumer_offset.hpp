// Requests about places in a queue: GET_MAX_OFFSET (30) and GET_MIN_OFFSET (31) ask for its ends,
// QUERY_CONSUMER_OFFSET (14) and UPDATE_CONSUMER_OFFSET (15) for how far a group has come in it
// (storage reference, 12.6). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/types/ids.hpp"
#include "engine/wire/remoting_command.hpp"

namespace drydock {

// Of GET_MAX_OFFSET and GET_MIN_OFFSET. Views point into whatever it was made from.
struct QueueHeader {
  std::string_view topic;
  std::int32_t queue_id = 0;

  template <class Visit>
  void for_each(Visit visit) const {
    visit("topic", topic);
    visit("queueId", DecimalText(queue_id).view());
  }
};
HeaderFault decode_queue_header(std::span<const std::byte> ext_fields, QueueHeader& header);

// Of QUERY_CONSUMER_OFFSET and UPDATE_CONSUMER_OFFSET.
struct ConsumerOffsetHeader {
  std::string_view consumer_group;
  QueueHeader queue;
  std::optional<std::int64_t> commit_offset;  // Required by an update, and by that alone.
  // Of a query: whether 0 may be the answer where nothing is stored.
  bool set_zero_if_not_found = true;

  template <class Visit>
  void for_each(Visit visit) const {
    visit("consumerGroup", consumer_group);
    queue.for_each(visit);
    if (commit_offset) visit("commitOffset", DecimalText(*commit_offset).view());
    if (!set_zero_if_not_found) visit("setZeroIfNotFound", "false");
  }
};
HeaderFault decode_consumer_offset_header(std::span<const std::byte> ext_fields,
                                          ConsumerOffsetHeader& header);

// The answer to all but an update.
struct OffsetResponse {
  QueueOffset offset;

  template <class Visit>
  void for_each(Visit visit) const {
    visit("offset", DecimalText(offset.value()).view());
  }
};
// None if it is missing or no number.
std::optional<QueueOffset> decode_offset_response(std::span<const std::byte> ext_fields);

}  // namespace drydock
