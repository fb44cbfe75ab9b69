// What a response, or its absence, says about a send (design, section 0). Pure.
#pragma once

#include "engine/client/producer.hpp"
#include "engine/wire/remoting_frame.hpp"
#include "engine/wire/send_message.hpp"

namespace drydock {

struct AttemptResult {
  SendAttempt attempt;
  std::optional<SendMessageReceipt> receipt;  // If the response carried a message id.
};

// Fills in what the response says: status, detail, code, receipt.
void read_response(const RemotingCommand& response, AttemptResult& result);

// Whether RocketMQ's synchronous send tries again after this attempt.
bool retry_after(const SendAttempt& attempt);

// Adds an attempt: acked wins over unknown, unknown over failed; of equals the later one counts.
void note_attempt(SendOutcome& outcome, const AttemptResult& result);

}  // namespace drydock
