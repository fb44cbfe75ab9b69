// GET_BROKER_RUNTIME_INFO: what `mqadmin brokerStatus` prints of a broker (storage
// reference, 10.2).
//
// Left out of RocketMQ's table is what belongs to parts that this version does not have: the timer
// wheel, the pool of pop's acknowledgements, and the thread pools of its own that it has none of.
#pragma once

#include <memory>

#include "engine/broker/configuration.hpp"
#include "engine/broker/delay_offsets.hpp"
#include "engine/broker/traffic.hpp"
#include "engine/broker/worker_pool.hpp"
#include "engine/store/message_store.hpp"
#include "engine/wire/server_connection.hpp"

namespace drydock {

// The parts of a broker that are asked. All of them outlive whoever asks.
struct BrokerParts {
  const BrokerConfiguration& configuration;
  MessageStore& store;
  Traffic& traffic;
  const DelayOffsets& delay_offsets;
  WorkerPool& sends;
  WorkerPool& pulls;
  WorkerPool& transaction_ends;
};

class RuntimeInfo {
 public:
  RuntimeInfo(Context& context, BrokerParts parts);

  static bool answers(const RemotingCommand& request) {
    return request.is(RequestCode::get_broker_runtime_info);
  }
  // Answers the request on `connection`. `slot` is given back then.
  Task<void> process(std::shared_ptr<ServerConnection> connection, RemotingCommand request,
                     Semaphore::Permit slot);

  // The table: its keys are RocketMQ's. What can't be read is left out, or -1 where RocketMQ has
  // that.
  Task<StoreStats::Entries> entries();

 private:
  void add_offsets(StoreStats::Entries& table) const;
  void add_traffic(StoreStats::Entries& table);
  void add_pools(StoreStats::Entries& table);
  Task<void> add_space(StoreStats::Entries& table);

  Context& context_;
  BrokerParts parts_;
  Worker& worker_;
};

}  // namespace drydock
