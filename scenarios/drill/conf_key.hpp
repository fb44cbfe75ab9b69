// Keys of broker.conf that a scenario or the command line sets.
#pragma once

#include <string>
#include <string_view>

namespace drydock::scenarios {

// Why setting this key has no effect: RocketMQ doesn't read it from a broker.conf. With the key
// that may have been meant. Empty if RocketMQ reads it.
std::string why_unknown(std::string_view key);

}  // namespace drydock::scenarios
