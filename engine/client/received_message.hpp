// A message as a consumer gets it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/client/route_cache.hpp"
#include "engine/types/bytes.hpp"
#include "engine/types/ids.hpp"
#include "engine/wire/message_properties.hpp"
#include "engine/wire/message_record.hpp"
#include "engine/wire/tag_expression.hpp"

namespace drydock {

struct ReceivedMessage {
  MessageQueue queue;
  QueueOffset queue_offset;        // Its index in the queue.
  PhysicalOffset physical_offset;  // Where the broker's log has it.
  std::int64_t store_ms = 0;       // When the broker stored it, in its wall time.
  SharedBytes record;              // All of it, as the log holds it. The rest points into it.
  SharedBytes body;
  SharedBytes properties;

  std::string_view property(std::string_view name) const {
    return find_property({reinterpret_cast<const char*>(properties.data()), properties.size()},
                         name);
  }
};

// A piece of a pull's answer that is no whole record, or has a wrong check sum. No consumer gets
// it.
struct DamagedRecord {
  MessageQueue queue;
  QueueOffset queue_offset;  // As it says itself; what is damaged may be just that.
  PhysicalOffset physical_offset;
  std::size_t bytes = 0;  // If its length can't be true: all that came behind it, too.
  RecordFault fault = RecordFault::none;
};
// A line for a log.
std::string describe(const DamagedRecord& record);

// The body of a pull's answer: the messages that are wanted.
struct ReadRecords {
  std::vector<ReceivedMessage> messages;
  std::vector<DamagedRecord> damaged;
};
ReadRecords read_records(const SharedBytes& records, const MessageQueue& queue, const TagSet& tags);

}  // namespace drydock
