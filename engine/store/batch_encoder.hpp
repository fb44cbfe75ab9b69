// Makes records of the messages of a batch (storage reference, 2.8). Pure.
#pragma once

#include <vector>

#include "engine/store/put_status.hpp"
#include "engine/wire/message_record.hpp"

namespace drydock {

// The records of a batch lie one behind the other, each with its place left open.
struct EncodedBatch {
  PutStatus status = PutStatus::unknown_error;
  SharedBytes records;
  std::vector<std::int32_t> record_bytes;
};

// `common` is what the header of the send says, `common.properties` what each message gets behind
// its own; its body and flag count for nothing. `records_bytes_max`: of all records together.
// unknown_error: `body` is no batch. message_illegal: the records are too long for a file.
// properties_size_exceeded: of one of the messages.
EncodedBatch encode_batch(const RecordContent& common, std::span<const std::byte> body,
                          std::int64_t records_bytes_max);

}  // namespace drydock
