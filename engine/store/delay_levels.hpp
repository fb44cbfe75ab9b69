// The table of delays: messageDelayLevel (storage reference, 9.1). Pure.
//
// A message with the property DELAY of n is delivered once the delay of level n has passed. Levels
// count from 1; one beyond the last counts as the last.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace drydock {

// Where messages wait for their time: queue n - 1 of this topic holds those of level n.
inline constexpr std::string_view kScheduleTopic = "SCHEDULE_TOPIC_XXXX";

class DelayLevels {
 public:
  static constexpr std::size_t kCountMax = 1000;  // RocketMQ knows no bound.

  // RocketMQ's own 18 levels: from 1s to 2h.
  DelayLevels();
  // "1s 5s 10m 2h 1d": numbers, each with its unit, and one blank between. None if it is anything
  // else.
  static std::optional<DelayLevels> parse(std::string_view text);

  std::int32_t count() const { return static_cast<std::int32_t>(ms_.size()); }
  // The level that counts; 0 if `level` asks for no delay.
  std::int32_t effective(std::int64_t level) const;
  // In milliseconds. `level`: from 1 to `count`.
  std::int64_t delay_ms(std::int32_t level) const;
  // When a message that was stored at `store_ms` is due, in milliseconds of wall time.
  std::int64_t due_ms(std::int32_t level, std::int64_t store_ms) const {
    return store_ms + delay_ms(level);
  }

 private:
  explicit DelayLevels(std::vector<std::int64_t> ms) : ms_(std::move(ms)) {}
  std::vector<std::int64_t> ms_;
};

// The level that the properties of a message ask for: their DELAY; 0 if that is none.
std::int64_t delay_level_of(std::string_view properties);

}  // namespace drydock
