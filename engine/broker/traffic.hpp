// Pure: how many messages went into a broker and out of it, as RocketMQ counts them for its
// operators (storage reference, 10.2 and 10.3): sends that were answered with a message id, and
// messages that pulls returned.
//
// Counting costs no allocation, but for the first message of a topic, or of a topic and group.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "engine/broker/system_topics.hpp"

namespace drydock {

// A count that only grows, and what it was at the last two midnights (UTC; RocketMQ's are those of
// its host's zone). 0 for midnights before the broker started.
class DailyCount {
 public:
  explicit DailyCount(std::int64_t now_ms) : day_(day_of(now_ms)) {}
  void add(std::int64_t count, std::int64_t now_ms) {
    turn(now_ms);
    now_ += count;
  }
  // Midnights up to `now_ms` have passed.
  void turn(std::int64_t now_ms) {
    const std::int64_t today = day_of(now_ms);
    if (today <= day_) return;  // A wall clock may go back.
    yesterday_morning_ = today == day_ + 1 ? today_morning_ : now_;
    today_morning_ = now_;
    day_ = today;
  }
  std::int64_t yesterday_morning() const { return yesterday_morning_; }
  std::int64_t today_morning() const { return today_morning_; }
  std::int64_t now() const { return now_; }

 private:
  static constexpr std::int64_t kDayMs = 86'400'000;
  static std::int64_t day_of(std::int64_t ms) { return ms / kDayMs; }
  std::int64_t day_;
  std::int64_t now_ = 0;
  std::int64_t today_morning_ = 0;
  std::int64_t yesterday_morning_ = 0;
};

class Traffic {
 public:
  struct Count {
    std::int64_t messages = 0;
    std::int64_t bytes = 0;  // Of records.
  };
  using ByTopic = std::map<std::string, Count, std::less<>>;
  using ByGroup = std::map<std::string, ByTopic, std::less<>>;

  // Whoever pulls may call his group as he likes: with so many of them the rest is counted as one.
  static constexpr std::size_t kGroupsMax = 10'000;
  static constexpr std::string_view kOtherGroups = "(others)";

  // Times are those of the wall clock.
  explicit Traffic(std::int64_t now_ms) : put_(now_ms), got_(now_ms) {}

  void in(std::string_view topic, Count count, std::int64_t now_ms) {
    add(in_, topic, count);
    if (!is_system_topic(topic)) put_.add(count.messages, now_ms);
  }
  void out(std::string_view group, std::string_view topic, Count count, std::int64_t now_ms) {
    const bool room = out_.size() < kGroupsMax || out_.contains(group);
    const std::string_view name = room ? group : kOtherGroups;
    const auto known = out_.find(name);
    add(known != out_.end() ? known->second : out_[std::string(name)], topic, count);
    if (!is_system_topic(topic)) got_.add(count.messages, now_ms);
  }

  const ByTopic& in() const { return in_; }
  const ByGroup& out() const { return out_; }
  // Without system topics.
  DailyCount& put() { return put_; }
  DailyCount& got() { return got_; }

 private:
  static void add(ByTopic& table, std::string_view topic, Count count) {
    const auto known = table.find(topic);
    Count& sum = known != table.end() ? known->second : table[std::string(topic)];
    sum.messages += count.messages;
    sum.bytes += count.bytes;
  }

  ByTopic in_;
  ByGroup out_;
  DailyCount put_;
  DailyCount got_;
};

}  // namespace drydock
