#include "engine/broker/traffic.hpp"

#include <algorithm>
#include <array>

namespace drydock {

namespace {

constexpr std::array<std::string_view, 8> kSystemTopics = {"TBW102",
                                                           "SCHEDULE_TOPIC_XXXX",
                                                           "BenchmarkTest",
                                                           "RMQ_SYS_TRANS_HALF_TOPIC",
                                                           "RMQ_SYS_TRANS_OP_HALF_TOPIC",
                                                           "TRANS_CHECK_MAX_TIME_TOPIC",
                                                           "SELF_TEST_TOPIC",
                                                           "OFFSET_MOVED_EVENT"};

}  // namespace

bool is_system_topic(std::string_view topic) {
  return topic.starts_with("rmq_sys_") ||
         std::ranges::find(kSystemTopics, topic) != kSystemTopics.end();
}

}  // namespace drydock
