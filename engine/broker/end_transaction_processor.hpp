// One END_TRANSACTION from its header to its response (storage reference, 9.4).
//
// Order of the checks: a slave → header → what the producer says → the half message is there → it
// is not too late → it is the one that is meant. A producer that knows nothing is not answered.
#pragma once

#include <memory>

#include "engine/broker/configuration.hpp"
#include "engine/broker/op_batch.hpp"
#include "engine/broker/put_safety.hpp"
#include "engine/broker/transactions.hpp"
#include "engine/broker/worker_pool.hpp"
#include "engine/wire/server_connection.hpp"

namespace drydock {

class EndTransactionProcessor {
 public:
  EndTransactionProcessor(Context& context, const BrokerConfiguration& configuration,
                          MessageStore& store, HaMaster* master, OpBatch& ops);

  // Answers the request on `connection`, unless it is one-way. `slot` is given back at the end.
  Task<void> process(std::shared_ptr<ServerConnection> connection, RemotingCommand request,
                     Semaphore::Permit slot);

  WorkerPool& workers() { return workers_; }

 private:
  struct Answer {
    ResponseCode code = ResponseCode::success;
    std::string_view remark;
  };

  Task<Answer> end(WorkerPool::Lease& lease, EndTransactionHeader header);
  // As a thread of RocketMQ's, the worker waits for the flush and the copies.
  Task<Answer> commit(WorkerPool::Lease& lease, const StoredMessage& half);
  bool too_late(const StoredMessage& half, const EndTransactionHeader& header) const;

  Context& context_;
  const BrokerConfiguration& configuration_;
  MessageStore& store_;
  PutSafety safety_;
  OpBatch& ops_;
  WorkerPool workers_;
};

}  // namespace drydock
