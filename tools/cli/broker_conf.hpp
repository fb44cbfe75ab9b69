// A broker.conf for the commands that run or look at one broker.
#pragma once

#include <string>

#include "engine/broker/configuration.hpp"

namespace drydock::cli {

struct ServedConfiguration {
  BrokerConfiguration configuration;
  bool names_store = false;        // storePathRootDir is set.
  std::size_t without_effect = 0;  // Lines that RocketMQ or this version ignores.
};

// Throws InputError with the first value that can't be used, or the first line that this version
// refuses.
ServedConfiguration read_broker_conf(const std::string& file);

}  // namespace drydock::cli
