#include "engine/broker/system_topics.hpp"

#include <algorithm>
#include <array>

namespace drydock {

namespace {

constexpr std::array<std::string_view, 6> kReserved = {
    "SCHEDULE_TOPIC_XXXX",        "RMQ_SYS_TRANS_HALF_TOPIC", "RMQ_SYS_TRANS_OP_HALF_TOPIC",
    "TRANS_CHECK_MAX_TIME_TOPIC", "SELF_TEST_TOPIC",          "OFFSET_MOVED_EVENT"};
constexpr std::array<std::string_view, 3> kOpen = {kAutoCreateTopic, "BenchmarkTest",
                                                   "RMQ_SYS_TRACE_TOPIC"};
constexpr std::string_view kPrefix = "rmq_sys_";

}  // namespace

bool is_system_topic(std::string_view topic) {
  return topic.starts_with(kPrefix) || topic_reserved(topic) ||
         std::ranges::find(kOpen, topic) != kOpen.end();
}

bool topic_reserved(std::string_view topic) {
  return std::ranges::find(kReserved, topic) != kReserved.end();
}

}  // namespace drydock
