// What becomes of a message that a consumer could not process (storage reference, 9.2 and 9.3).
// Pure.
//
// It comes again in the topic %RETRY%group, after a delay that grows with every time, and ends in
// %DLQ%group when it has come too often. A consumer asks for that in two ways, which count
// differently (pitfall 30).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/store/message_store.hpp"

namespace drydock {

struct RetryDecision {
  bool dead = false;             // To the dead letters.
  std::int32_t delay_level = 0;  // Else how long it waits first.
  friend bool operator==(const RetryDecision&, const RetryDecision&) = default;
};

// CONSUMER_SEND_MSG_BACK. `reconsumed`: how often the message has come again so far.
RetryDecision decide_send_back(std::int32_t reconsumed, std::int32_t asked_level,
                               std::int32_t times_max);

// A consumer sends the message itself, with what it will have come again. Only whether it is dead:
// the consumer has set the delay. `orderly`: its group consumes in order, so that no other message
// waits for this one.
bool dead_when_sent(std::int32_t reconsumed, std::int32_t times_max, bool orderly);

// The message that is put in place of one that came back: `topic` is that of retries or of dead
// letters.
IncomingMessage sent_back_copy(const StoredMessage& stored, std::string_view topic,
                               std::int32_t queue_id, const RetryDecision& decision,
                               Endpoint store_host);

}  // namespace drydock
