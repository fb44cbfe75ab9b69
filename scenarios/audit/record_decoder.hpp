// scenarios/audit reads the final store of a broker back. It shares no code with engine/store: a
// mistake that the engine makes when it writes is not repeated when the judge reads.
//
//   record_decoder   one CommitLog record, from bytes (pure)
//   log_walk         all records of a log, file by file, as a FinalStore (pure)
//   queue_entry      one entry of a consume queue, from bytes (pure)
//   queue_names      topics and queue ids by number
//   queue_check      whether a queue leads to what the log has for it (pure)
//   queue_files      reads the files of the queues
//   index_check      whether the index leads to what the log has
//   audit            the program of the judge
//
// What it does not do: the codes of tags in the queues, and what an index has for unique keys.
//
// This file: one record. The layout is RocketMQ's (storage reference, section 2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace drydock::scenarios {

struct DecodedRecord {
  enum class Kind : std::uint8_t {
    message,
    blank,    // The rest of the file is unused; `total_bytes` reaches to its end.
    damaged,  // No record begins here; `why` says what is wrong.
  };
  Kind kind = Kind::damaged;
  std::int64_t total_bytes = 0;
  std::string_view why;
  std::int64_t physical_offset = 0;  // What the record says of itself.
  std::int32_t queue_id = 0;
  std::int64_t queue_offset = 0;
  std::int64_t store_ms = 0;  // storeTimestamp: ms since the Unix epoch.
  // False for the half and the rolled back messages of a transaction.
  bool has_queue_entry = false;
  std::span<const std::byte> body;
  std::string_view topic;
  std::string_view properties;
  bool body_checksum_right = false;
  // Of the whole record, as its last property (storage reference, 2.3).
  enum class PropertyChecksum { absent, right, wrong };
  PropertyChecksum property_checksum = PropertyChecksum::absent;
};

// The record at the start of `bytes`, which reach to the end of the file or of the log. Views point
// into `bytes`.
DecodedRecord decode_record(std::span<const std::byte> bytes);

// The value of a property in RocketMQ's encoding (name 0x01 value 0x02 ...), or empty. The last one
// of several counts.
std::string_view property(std::string_view properties, std::string_view name);

}  // namespace drydock::scenarios
