// Pure: what a combination of settings promises to whoever gets SEND_OK, and what it does not.
//
// It speaks of RocketMQ 5.3.3 as it is, also of what this version can't run yet. Comments name the
// sections of the storage reference (S) and of the replication reference (H) that a sentence rests
// on; what they don't support is not said.
#pragma once

#include <string>
#include <vector>

#include "engine/broker/settings.hpp"

namespace drydock {

struct Promise {
  std::vector<Setting> from;  // What it follows from.
  std::string text;           // A sentence without the keys.
};

// In the order: start, replication, flush, reading, recovery, retention.
std::vector<Promise> promises_of(const Settings& settings);

// "brokerRole (absent: ASYNC_MASTER): no replica promise: …", for people.
std::string describe(const Promise& promise);

}  // namespace drydock
