// HEART_BEAT (34): which groups a client has (storage reference, 12.7). Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/types/bytes.hpp"

namespace drydock {

// What a client is: a producer, a consumer, or both.
struct HeartbeatGroups {
  std::string producer_group;       // Empty: it is none.
  std::string consumer_group;       // Empty: it is none.
  std::vector<std::string> topics;  // Of which the consumer wants every message.
};

// {"clientID":"10.0.0.1@4","consumerDataSet":[],…}
SharedBytes encode_heartbeat(std::string_view client_id, const HeartbeatGroups& groups);

// Whether a body is a heartbeat: a JSON object with a client's id.
bool is_heartbeat(std::span<const std::byte> body);

}  // namespace drydock
