// The topics of a broker, for those who make them and those who tell of them.
#pragma once

#include "engine/broker/topics.hpp"
#include "engine/runtime/sync.hpp"

namespace drydock {

struct TopicsOfBroker {
  Topics& table;
  Event& made;  // Set by whoever made one.
};

}  // namespace drydock
