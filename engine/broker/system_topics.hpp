// Pure: RocketMQ's own topics (storage reference, 1.2 and 2.7).
//
// Its totals leave all of them out. The two that are named after a cluster or a broker are not told
// apart from users' topics here.
#pragma once

#include <string_view>

namespace drydock {

inline constexpr std::string_view kAutoCreateTopic = "TBW102";

bool is_system_topic(std::string_view topic);
// Those into which no client may send.
bool topic_reserved(std::string_view topic);

}  // namespace drydock
