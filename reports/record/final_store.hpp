// What the judge found in the log and the consume queues of the final writable broker.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace drydock::reports {

// One message in the log.
struct StoredCopy {
  std::uint64_t key = 0;
  bool key_known = false;  // The record carries a key of ours.
  // The body is, byte for byte, what was sent under that key, and what checksums the record has are
  // right.
  bool intact = false;
  // Its properties hold zero bytes: a part of them never reached the disk; or a checksum of the
  // whole record says that some byte is another one. Recovery looks at the body's checksum alone,
  // if nobody tells it otherwise (storage reference, 2.2 and 2.3), and so keeps it.
  bool torn_properties = false;
  std::int64_t physical_offset = 0;
  std::int64_t record_bytes = 0;
  std::int64_t body_bytes = 0;
  std::uint64_t attempt = 0;  // Which attempt of the send it is; 0: the record does not say.
  // Where the record says that readers find it, and the queue by its number in FinalStore::queues,
  // -1 for what no queue holds.
  std::int32_t queue_id = 0;
  std::int64_t queue_offset = -1;
  std::int32_t queue = -1;
  bool in_queue = false;  // An entry of that queue leads to it.

  friend bool operator==(const StoredCopy&, const StoredCopy&) = default;
};

// Bytes inside the log that are no record.
struct DamagedRange {
  std::int64_t physical_offset = 0;
  std::int64_t bytes = 0;
  std::string why;

  friend bool operator==(const DamagedRange&, const DamagedRange&) = default;
};

// One consume queue as a reader sees it, who asks for its offsets from `min_offset` to
// `max_offset`.
struct StoredQueue {
  std::string topic;
  std::int32_t queue_id = 0;
  std::int64_t min_offset = 0;
  std::int64_t max_offset = 0;

  friend bool operator==(const StoredQueue&, const StoredQueue&) = default;
};
// "TOPIC/3".
std::string text_of(const StoredQueue& queue);

// Entries of a queue, one after the other, that do not lead to the message that belongs there.
struct DamagedEntries {
  std::int32_t queue = 0;         // An index of FinalStore::queues.
  std::int64_t queue_offset = 0;  // Of the first one.
  std::int64_t count = 1;
  std::string why;  // Of the first one; the others are wrong in the same way.

  friend bool operator==(const DamagedEntries&, const DamagedEntries&) = default;
};

struct FinalStore {
  bool read = false;  // Someone read it to its end. Otherwise nothing can be said of any message.
  std::string note;   // Why it was not.
  std::int64_t begin_offset = 0;
  std::int64_t end_offset = 0;
  // What lay in front of it was deleted by the broker's rules for old files and full disks.
  std::int64_t expired_to = 0;
  std::vector<StoredCopy> copies;  // In log order.
  std::vector<DamagedRange> damaged;
  std::vector<StoredQueue> queues;
  std::vector<DamagedEntries> damaged_entries;
  // If somebody asked for it. Messages with a queue that no index file leads to by their key, and
  // those whose chain in some file never ends.
  std::int64_t index_missed = 0;
  std::int64_t index_endless = 0;

  // Whether what a broker once acknowledged at this place (-1: it did not say where) has expired.
  bool has_expired(std::int64_t physical_offset) const {
    return physical_offset >= 0 && physical_offset < expired_to;
  }
};

}  // namespace drydock::reports
