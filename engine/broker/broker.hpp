// One broker process.
#pragma once

#include <memory>

#include "engine/broker/configuration.hpp"
#include "engine/runtime/context.hpp"
#include "engine/store/store_stats.hpp"

namespace drydock {

// The program of a broker process: loads and recovers the store, takes its lock file, serves until
// `context.terminate` is set, then stops in an orderly way (flushes, removes the abort file) and
// returns. It also returns, after an error line in the log, if the store can't be opened.
//
// Listens on `configuration.listen_port` of its host and emits `serving_started` once it accepts.
// A scope that is cancelled from outside ends it without the orderly stop.
Task<void> run_broker(Context& context, BrokerConfiguration configuration);

// What it does besides.
struct BrokerWatch {
  // What it counts of its store, for whoever wants to read it, also afterwards.
  std::shared_ptr<StoreStats> stats = std::make_shared<StoreStats>();
  // Of its host, for Prometheus; 0: none.
  std::uint16_t metrics_port = 0;
  // Of its host, where it serves the same requests once more; 0: none. RocketMQ's clients with
  // vipChannelEnabled, and its slaves when they ask for topics, take the port two below the
  // broker's. Without effect if it is taken, which the log tells.
  std::uint16_t fast_port = 0;
};
Task<void> run_broker(Context& context, BrokerConfiguration configuration, BrokerWatch watch);

}  // namespace drydock
