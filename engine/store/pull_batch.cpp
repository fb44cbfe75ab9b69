#include "engine/store/pull_batch.hpp"

namespace drydock {

std::string_view name_of(GetStatus status) {
  switch (status) {
    case GetStatus::found: return "FOUND";
    case GetStatus::no_matched_message: return "NO_MATCHED_MESSAGE";
    case GetStatus::message_was_removing: return "MESSAGE_WAS_REMOVING";
    case GetStatus::offset_found_null: return "OFFSET_FOUND_NULL";
    case GetStatus::offset_overflow_badly: return "OFFSET_OVERFLOW_BADLY";
    case GetStatus::offset_overflow_one: return "OFFSET_OVERFLOW_ONE";
    case GetStatus::offset_too_small: return "OFFSET_TOO_SMALL";
    case GetStatus::no_matched_logic_queue: return "NO_MATCHED_LOGIC_QUEUE";
    case GetStatus::no_message_in_queue: return "NO_MESSAGE_IN_QUEUE";
    case GetStatus::offset_reset: return "OFFSET_RESET";
    case GetStatus::unavailable: return "unavailable";
  }
  return "unnamed";
}

std::optional<RangeAnswer> range_answer(QueueOffset min, QueueOffset max, QueueOffset offset) {
  if (max == QueueOffset()) return RangeAnswer{GetStatus::no_message_in_queue, QueueOffset()};
  if (offset < min) return RangeAnswer{GetStatus::offset_too_small, min};
  if (offset == max) return RangeAnswer{GetStatus::offset_overflow_one, offset};
  if (offset > max) return RangeAnswer{GetStatus::offset_overflow_badly, max};
  return std::nullopt;
}

bool PullBatch::takes(std::int64_t bytes, bool in_memory) const {
  if (empty()) return true;
  if (count_ + 1 > limits_.count_max || bytes_ + bytes > kBytesMax) return false;
  const std::int64_t bytes_max = in_memory ? limits_.bytes_in_memory : limits_.bytes_on_disk;
  const std::int64_t count_max = in_memory ? limits_.count_in_memory : limits_.count_on_disk;
  return bytes_ + bytes <= bytes_max && count_ < count_max;
}

}  // namespace drydock
