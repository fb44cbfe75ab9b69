// A batch: several messages of one topic and queue in one send (storage reference, 2.8). Pure.
//
//   body    := { message }
//   message := total:i32 magic:i32 crc:i32 flag:i32 body_bytes:i32 body properties_bytes:i16
//              properties
//
// The first three fields count for nothing: brokers pass over them. What the messages have in
// common is in the header of the send; its properties count for each of them, behind its own.
//
// Worked example: the body "hi" with flag 1 and no properties:
//
//   00000018 00000000 00000000 00000001 00000002 6869 0000
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "engine/types/ids.hpp"
#include "engine/wire/big_endian.hpp"
#include "engine/wire/message_id.hpp"
#include "engine/wire/remoting_command.hpp"

namespace drydock {

// Views point into the batch, or the sender's own bytes.
struct BatchedMessage {
  std::int32_t flag = 0;
  std::span<const std::byte> body;
  std::span<const std::byte> properties;  // At most kPropertiesBytesMax.
};

// Walks the messages of a batch.
class BatchReader {
 public:
  explicit BatchReader(std::span<const std::byte> body) : reader_(body) {}
  // False at the end, or where the bytes stop making sense (then `ok` is false).
  bool next(BatchedMessage& message);
  bool ok() const { return ok_; }

 private:
  BigEndianReader reader_;
  bool ok_ = true;
};

// Adds a message to the body of a batch.
void append_to_batch(std::string& body, const BatchedMessage& message);

// The answer to a batch that is stored.
struct SendBatchResponse {
  std::string message_ids;  // Offset message ids in the order of the batch, with commas between.
  std::int32_t queue_id = 0;
  QueueOffset queue_offset;  // Of the first message.

  template <class Visit>
  void for_each(Visit visit) const {
    visit("msgId", std::string_view(message_ids));
    visit("queueId", DecimalText(queue_id).view());
    visit("queueOffset", DecimalText(queue_offset.value()).view());
    visit("MSG_REGION", "DefaultRegion");
    visit("TRACE_ON", "true");
  }
};

}  // namespace drydock
