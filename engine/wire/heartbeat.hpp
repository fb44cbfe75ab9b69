// HEART_BEAT (34): which groups a client has (storage reference, 12.7). Pure.
#pragma once

#include <string_view>

#include "engine/types/bytes.hpp"

namespace drydock {

// The body of a client that only sends: {"clientID":"10.0.0.1@4","consumerDataSet":[],…}.
SharedBytes encode_producer_heartbeat(std::string_view client_id, std::string_view group);

// Whether a body is a heartbeat: a JSON object with a client's id.
bool is_heartbeat(std::span<const std::byte> body);

}  // namespace drydock
