// Messages that the broker itself puts into the log, made of ones that are there or have just come:
// what happens to topic, queue and properties (storage reference, section 9). Pure.
//
// What RocketMQ stores as the property text and what its checks look at are two things (pitfall
// 39): a delivered or committed message still has the properties that say where it came from.
#pragma once

#include "engine/store/message_store.hpp"

namespace drydock {

// A message that asks for a delay goes to the queue of its level and remembers where it belongs;
// any other one stays as it is. RocketMQ does that to every message that is put (its put hook),
// unless it is half of a transaction or rolled back.
IncomingMessage delayed_if_asked(IncomingMessage message, const DelayLevels& levels);

// A copy of a stored message, to be put into a queue: body, flags, birth and reconsume times are
// those of the original. The properties are given. It waits for no flush (pitfall 31).
IncomingMessage copy_of(const StoredMessage& stored, std::string_view topic, std::int32_t queue_id,
                        SharedBytes properties);

// Where a message that waited belongs: REAL_TOPIC and REAL_QID; none if it does not say.
struct RealPlace {
  std::string_view topic;
  std::int32_t queue_id = 0;
};
std::optional<RealPlace> real_place_of(std::string_view properties);

}  // namespace drydock
