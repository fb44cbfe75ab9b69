// Pure: how much cold data each group of consumers reads, and which of them have had enough:
// RocketMQ's ColdDataCgCtrService with coldDataFlowControlEnable.
//
// Bytes are counted in periods of 5 s. A group that is known to read cold data has had enough when
// it, or when all groups together, have read so much in the period as their threshold says; until
// the period ends its pulls of cold messages are slowed down. A group that has read none for 60 s
// is forgotten. With `adaptive` thresholds move at the end of each period:
//
//   a group that has reached its own, while all together are within theirs: half of it more
//   the three groups with the largest thresholds: a fifth less, down to the one of the
//   configuration
//
// the former if the controller's factor is above 0 (without one: always), the latter if it is below
// (without one: if all together are beyond their threshold). The factor is 0 in the first ten
// periods, then, of what all together stayed below 80 % of their threshold: half of the last value,
// three tenths of the sum of the last ten, a fifth of the last change.
//
// RocketMQ's operators can also set a group's threshold by a request, which is not served here.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>

namespace drydock {

class ColdReads {
 public:
  struct Limits {
    std::int64_t of_group_bytes = 3'145'728;  // cgColdReadThreshold
    std::int64_t of_all_bytes = 104'857'600;  // globalColdReadThreshold
    bool adaptive = false;                    // coldCtrStrategyEnable
    bool controller = true;                   // usePIDColdCtrStrategy
  };
  static constexpr std::int64_t kPeriodMs = 5'000;
  // Groups beyond them count for the sum alone; RocketMQ has no bound.
  static constexpr std::size_t kGroupsMax = 10'000;

  explicit ColdReads(const Limits& limits) : limits_(limits) {}

  // Groups of RocketMQ's own, which are never slowed down.
  static bool is_exempt(std::string_view group);

  // Times are those of the wall clock; they may go back. `bytes` >= 0.
  void add(std::string_view group, std::int64_t bytes, std::int64_t now_ms);
  bool had_enough(std::string_view group) const;
  void end_period(std::int64_t now_ms);

  std::int64_t threshold_of(std::string_view group) const;

 private:
  struct Group {
    std::int64_t bytes = 0;  // In this period.
    std::int64_t last_ms = 0;
  };

  bool all_beyond() const { return all_ > limits_.of_all_bytes; }
  std::int64_t factor_tenths() const;
  void speed_up(const std::string& group);
  void slow_down_the_fastest();

  Limits limits_;
  std::map<std::string, Group, std::less<>> groups_;
  std::map<std::string, std::int64_t, std::less<>> adapted_;  // Thresholds.
  std::deque<std::int64_t> room_;  // What all together stayed below their aim, of the last periods.
  std::int64_t all_ = 0;           // In this period.
};

}  // namespace drydock
