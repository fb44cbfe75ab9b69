// The topics of a broker, for those who make them and those who tell of them.
#pragma once

#include "engine/broker/config_file.hpp"
#include "engine/broker/topics.hpp"
#include "engine/runtime/sync.hpp"

namespace drydock {

struct TopicsOfBroker {
  Topics& table;
  Event& made;       // Set by whoever made one.
  ConfigFile& file;  // Written by whoever made one, before a message goes there.
};

}  // namespace drydock
