#include "engine/broker/topics.hpp"

#include <algorithm>
#include <array>

namespace drydock {

namespace {

constexpr std::size_t kTopicCharactersMax = 127;

constexpr std::array<std::string_view, 6> kReserved = {
    "SCHEDULE_TOPIC_XXXX",        "RMQ_SYS_TRANS_HALF_TOPIC", "RMQ_SYS_TRANS_OP_HALF_TOPIC",
    "TRANS_CHECK_MAX_TIME_TOPIC", "SELF_TEST_TOPIC",          "OFFSET_MOVED_EVENT"};

bool allowed(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%' ||
         c == '|' || c == '_' || c == '-';
}

}  // namespace

bool topic_name_allowed(std::string_view topic) {
  return !topic.empty() && topic.size() <= kTopicCharactersMax &&
         std::ranges::all_of(topic, &allowed);
}

bool topic_reserved(std::string_view topic) {
  return std::ranges::find(kReserved, topic) != kReserved.end();
}

std::optional<std::int32_t> Topics::find_or_create(std::string_view topic, std::string_view model,
                                                   std::int32_t queues_wanted) {
  const auto found = queue_counts_.find(topic);
  if (found != queue_counts_.end()) return found->second;
  if (!options_.auto_create || model != kAutoCreateTopic) return std::nullopt;
  const std::int32_t count = std::clamp(queues_wanted, 0, options_.queue_count);
  queue_counts_.emplace(std::string(topic), count);
  return count;
}

}  // namespace drydock
