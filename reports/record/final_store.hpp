// What the judge found in the log of the final writable broker.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace drydock::reports {

// One stored message.
struct StoredCopy {
  std::uint64_t key = 0;
  bool key_known = false;  // The record carries a key of ours.
  bool intact = false;     // The body is, byte for byte, what was sent under that key.
  std::int64_t physical_offset = 0;
  std::int64_t body_bytes = 0;
  std::int32_t queue_id = 0;
  std::int64_t queue_offset = -1;
  std::uint64_t attempt = 0;  // Which attempt of the send it is; 0: the record does not say.

  friend bool operator==(const StoredCopy&, const StoredCopy&) = default;
};

// Bytes inside the log that are no record.
struct DamagedRange {
  std::int64_t physical_offset = 0;
  std::int64_t bytes = 0;
  std::string why;

  friend bool operator==(const DamagedRange&, const DamagedRange&) = default;
};

struct FinalStore {
  bool read = false;  // Someone read it to its end. Otherwise nothing can be said of any message.
  std::string note;   // Why it was not.
  std::int64_t begin_offset = 0;
  std::int64_t end_offset = 0;
  std::vector<StoredCopy> copies;  // In log order.
  std::vector<DamagedRange> damaged;
};

}  // namespace drydock::reports
