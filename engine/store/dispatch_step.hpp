// What dispatch does with a record of the log (storage reference, section 8). Pure.
#pragma once

#include "engine/store/consume_queue_unit.hpp"
#include "engine/store/delay_levels.hpp"
#include "engine/wire/message_record.hpp"

namespace drydock {

// What the queues and the index are told of a record. The texts point into the record.
struct DispatchRequest {
  std::string_view topic;
  std::string_view unique_key;
  std::string_view keys;
  std::int32_t queue_id = 0;
  QueueOffset queue_offset;
  ConsumeQueueUnit unit;
  std::int64_t store_ms = 0;
  // Whether the record gets a unit: no half or rolled back transaction, and fields of a record that
  // a broker wrote.
  bool has_unit = false;
  bool is_indexed = false;  // The keys are filed, if there are any.
};

// Of a good record. Its place is the one that it says itself to have, as in RocketMQ. The tags code
// of a message that waits for its time is that time.
DispatchRequest dispatch_request_of(const RecordView& view, std::int32_t bytes,
                                    const DelayLevels& levels = {});

enum class DispatchStep : std::uint8_t {
  wait,         // It goes beyond what may be seen: look again later.
  dispatch,     // A good record.
  next_file,    // A blank record.
  skip_record,  // Its lengths do not add up; its total is believed.
  skip_rest,    // Nothing to be made of it: the rest of what is in the file is passed over.
};

enum class LogKind : std::uint8_t {
  own,      // Written in whole records.
  replica,  // Comes in pieces: what can't be read may be half of a record, and is waited for.
};

// `check` is that of the record at `at`; bytes from `limit` on may not be seen yet.
DispatchStep dispatch_step(const RecordCheck& check, PhysicalOffset at, PhysicalOffset limit,
                           LogKind kind);

}  // namespace drydock
