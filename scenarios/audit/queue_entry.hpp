// One entry of a consume queue, from bytes. The layout is RocketMQ's (storage reference, 3.1).
#pragma once

#include <cstdint>
#include <limits>
#include <span>

namespace drydock::scenarios {

inline constexpr std::int64_t kQueueEntryBytes = 20;

struct QueueEntry {
  std::int64_t physical_offset = 0;
  std::int32_t record_bytes = 0;  // Of the whole record.

  // False for the zeros of a file that is made in advance.
  bool present() const { return physical_offset >= 0 && record_bytes > 0; }
  // In front of a queue that begins in the middle of its first file.
  bool filler() const {
    return physical_offset == 0 && record_bytes == std::numeric_limits<std::int32_t>::max();
  }
};

// The entry at the start of `bytes`, which are at least kQueueEntryBytes. The code of the tag,
// which only filters, is not looked at.
QueueEntry decode_queue_entry(std::span<const std::byte> bytes);

}  // namespace drydock::scenarios
