// One CONSUMER_SEND_MSG_BACK from its header to its response (storage reference, 9.2).
//
// Order of the checks: queue full → a slave → header → group → topic → message. A group without
// retry queues gets success, and the message is dropped.
#pragma once

#include <memory>

#include "engine/broker/configuration.hpp"
#include "engine/broker/groups_of_broker.hpp"
#include "engine/broker/put_safety.hpp"
#include "engine/broker/retry.hpp"
#include "engine/broker/topics_of_broker.hpp"
#include "engine/broker/worker_pool.hpp"
#include "engine/wire/send_back.hpp"
#include "engine/wire/server_connection.hpp"

namespace drydock {

class SendBackProcessor {
 public:
  // `workers`: those of sends. `master` is null on a slave.
  SendBackProcessor(Context& context, const BrokerConfiguration& configuration, MessageStore& store,
                    TopicsOfBroker topics, GroupsOfBroker groups, WorkerPool& workers,
                    HaMaster* master);

  // Answers the request on `connection`, unless it is one-way. `slot` is given back at the end.
  Task<void> process(std::shared_ptr<ServerConnection> connection, RemotingCommand request,
                     Semaphore::Permit slot);

 private:
  struct Answer {
    ResponseCode code = ResponseCode::success;
    std::string_view remark;
  };

  Task<Answer> put_back(Worker& worker, std::int16_t client_version, SendBackHeader header);
  // A queue of `topic`, which is made if it is not there; none if it can't be.
  std::optional<std::int32_t> queue_of(const std::string& topic, std::int32_t queues);

  Context& context_;
  const BrokerConfiguration& configuration_;
  MessageStore& store_;
  TopicsOfBroker topics_;
  GroupsOfBroker groups_;
  WorkerPool& workers_;
  PutSafety safety_;
  RandomStream queue_choice_;
};

}  // namespace drydock
