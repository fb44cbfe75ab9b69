// A message as a consumer gets it.
#pragma once

#include <string_view>
#include <vector>

#include "engine/client/route_cache.hpp"
#include "engine/types/bytes.hpp"
#include "engine/types/ids.hpp"
#include "engine/wire/message_properties.hpp"

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

// The messages in the body of a pull's answer, as far as they are whole.
std::vector<ReceivedMessage> read_messages(const SharedBytes& records, const MessageQueue& queue);

}  // namespace drydock
