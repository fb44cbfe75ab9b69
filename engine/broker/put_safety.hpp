// The second step of a put: how long its sender waits.
#pragma once

#include "engine/broker/configuration.hpp"
#include "engine/replication/ha_master.hpp"

namespace drydock {

class PutSafety {
 public:
  // `master` is null on a slave.
  PutSafety(Context& context, const BrokerConfiguration& configuration, MessageStore& store,
            HaMaster* master)
      : context_(context), configuration_(configuration), store_(store), master_(master) {}

  // Waits until `placed` is as safe as the configuration demands: flushed, and copied by so many
  // slaves. Needs no worker. What it came to; unknown_error if the wait was cancelled.
  Task<PutStatus> wait(PutResult placed, bool wait_store_ok);
  // The same for a message that the broker stores by itself and that is in the log: RocketMQ waits
  // for nothing then (internal.writes-not-awaited).
  Task<PutStatus> wait_internal(PutResult placed);

 private:
  // The master's own included. 1: for nobody.
  std::int32_t copies_awaited() const;

  Context& context_;
  const BrokerConfiguration& configuration_;
  MessageStore& store_;
  HaMaster* master_;
};

}  // namespace drydock
