// Requests that look for messages or for a time (storage reference, 12.6). Pure.
//
//   QUERY_MESSAGE (12)               those filed under a key; the answer's body has their records
//   VIEW_MESSAGE_BY_ID (33)          the one at a physical offset, which a message id names
//   SEARCH_OFFSET_BY_TIMESTAMP (29)  the place in a queue at which a time begins or ends
//   GET_EARLIEST_MSG_STORETIME (32)  when the oldest message of a queue was stored
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/types/ids.hpp"
#include "engine/wire/consumer_offset.hpp"

namespace drydock {

// Views point into whatever it was made from.
struct QueryMessageHeader {
  std::string_view topic;
  std::string_view key;
  std::int32_t count_max = 0;  // maxNum
  std::int64_t begin_ms = 0;   // beginTimestamp
  std::int64_t end_ms = 0;     // endTimestamp
  bool is_unique_key = false;  // _UNIQUE_KEY_QUERY; the broker then chooses how many.

  template <class Visit>
  void for_each(Visit visit) const {
    visit("topic", topic);
    visit("key", key);
    visit("maxNum", DecimalText(count_max).view());
    visit("beginTimestamp", DecimalText(begin_ms).view());
    visit("endTimestamp", DecimalText(end_ms).view());
    if (is_unique_key) visit("_UNIQUE_KEY_QUERY", "true");
  }
};
HeaderFault decode_query_message_header(std::span<const std::byte> ext_fields,
                                        QueryMessageHeader& header);

// Of the answer to a QUERY_MESSAGE, whether it found any or not.
struct QueryMessageResponse {
  std::int64_t index_updated_ms = 0;  // indexLastUpdateTimestamp
  PhysicalOffset index_updated_to;    // indexLastUpdatePhyoffset

  template <class Visit>
  void for_each(Visit visit) const {
    visit("indexLastUpdateTimestamp", DecimalText(index_updated_ms).view());
    visit("indexLastUpdatePhyoffset", DecimalText(index_updated_to.value()).view());
  }
};

struct ViewMessageHeader {
  PhysicalOffset offset;

  template <class Visit>
  void for_each(Visit visit) const {
    visit("offset", DecimalText(offset.value()).view());
  }
};
HeaderFault decode_view_message_header(std::span<const std::byte> ext_fields,
                                       ViewMessageHeader& header);

// Which message of a queue belongs to a time.
enum class TimeBoundary : std::uint8_t {
  lower,  // The first that was stored then or later.
  upper,  // The last that was stored then or earlier.
};
struct SearchOffsetHeader {
  QueueHeader queue;
  std::int64_t timestamp_ms = 0;
  TimeBoundary boundary = TimeBoundary::lower;  // boundaryType

  template <class Visit>
  void for_each(Visit visit) const {
    queue.for_each(visit);
    visit("timestamp", DecimalText(timestamp_ms).view());
    if (boundary == TimeBoundary::upper) visit("boundaryType", "UPPER");
  }
};
HeaderFault decode_search_offset_header(std::span<const std::byte> ext_fields,
                                        SearchOffsetHeader& header);

// Of the answer to a GET_EARLIEST_MSG_STORETIME, whose header is a QueueHeader.
struct StoreTimeResponse {
  std::int64_t timestamp_ms = -1;  // -1: the queue has no message.

  template <class Visit>
  void for_each(Visit visit) const {
    visit("timestamp", DecimalText(timestamp_ms).view());
  }
};

}  // namespace drydock
