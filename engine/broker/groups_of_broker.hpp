// The groups of consumers of a broker, for those who need what is configured of one.
#pragma once

#include "engine/broker/config_file.hpp"
#include "engine/broker/queue_locks.hpp"
#include "engine/broker/subscription_groups.hpp"

namespace drydock {

struct GroupsOfBroker {
  SubscriptionGroups& table;
  ConfigFile& file;  // Written by whoever made one.
  const QueueLocks& locks;
};

}  // namespace drydock
