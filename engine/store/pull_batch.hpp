// Which messages one pull returns (storage reference, 3.5). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/types/ids.hpp"

namespace drydock {

// RocketMQ's names of what a lookup can end in; a client sees them as the remark of the answer.
enum class GetStatus : std::uint8_t {
  found,
  no_matched_message,    // Messages were scanned, none passed the filter.
  message_was_removing,  // Units point at records that the log no longer has.
  offset_found_null,     // No file of the queue holds the offset.
  offset_overflow_badly,
  offset_overflow_one,  // The offset of the next message to come.
  offset_too_small,
  no_matched_logic_queue,
  no_message_in_queue,
  offset_reset,
  unavailable,  // The store is not open: RocketMQ returns nothing at all.
};
std::string_view name_of(GetStatus status);

// What the range of a queue alone says about an offset. None: look into the queue.
struct RangeAnswer {
  GetStatus status = GetStatus::found;
  QueueOffset next;  // Where the consumer should go on.
};
std::optional<RangeAnswer> range_answer(QueueOffset min, QueueOffset max, QueueOffset offset);

struct PullLimits {
  std::int64_t count_max = 32;  // What the client asked for.
  std::int64_t bytes_in_memory = 262'144;
  std::int64_t count_in_memory = 32;
  std::int64_t bytes_on_disk = 65'536;
  std::int64_t count_on_disk = 8;
};

// The messages gathered so far. The first one always fits.
class PullBatch {
 public:
  explicit PullBatch(const PullLimits& limits) : limits_(limits) {}

  // `in_memory`: whether the record is guessed to be in the page cache.
  bool takes(std::int64_t bytes, bool in_memory) const;
  void add(std::int64_t bytes) {
    bytes_ += bytes;
    ++count_;
  }
  std::int64_t bytes() const { return bytes_; }
  bool empty() const { return count_ == 0; }

 private:
  static constexpr std::int64_t kBytesMax = 128 * 1024 * 1024;

  PullLimits limits_;
  std::int64_t bytes_ = 0;
  std::int64_t count_ = 0;
};

}  // namespace drydock
