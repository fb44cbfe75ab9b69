// One send, SEND_MESSAGE, SEND_MESSAGE_V2 or SEND_BATCH_MESSAGE, from its header to its response
// (storage reference, 6.1). Whether it is a batch its header says, not its code.
//
// Order of the checks: page cache busy (before the queue) → queue full → header → topic name →
// reserved topic → topic exists or is made → queue id → what this version can't do → the group of a
// message that comes again → the store's own. A worker of the send pool is held from the queue to
// the append; the wait for the flush needs none.
#pragma once

#include <memory>

#include "engine/broker/configuration.hpp"
#include "engine/broker/groups_of_broker.hpp"
#include "engine/broker/put_safety.hpp"
#include "engine/broker/topics_of_broker.hpp"
#include "engine/broker/traffic.hpp"
#include "engine/broker/worker_pool.hpp"
#include "engine/replication/ha_master.hpp"
#include "engine/wire/send_message.hpp"
#include "engine/wire/server_connection.hpp"

namespace drydock {

class SendProcessor {
 public:
  SendProcessor(Context& context, const BrokerConfiguration& configuration, MessageStore& store,
                TopicsOfBroker topics, GroupsOfBroker groups, HaMaster* master, Traffic& traffic);

  static bool answers(const RemotingCommand& request) {
    return request.is(RequestCode::send_message) || request.is(RequestCode::send_message_v2) ||
           request.is(RequestCode::send_batch_message);
  }
  // Answers the request on `connection`, unless it is one-way. `slot` is given back at the end: it
  // bounds the requests in progress.
  Task<void> process(std::shared_ptr<ServerConnection> connection, RemotingCommand request,
                     Semaphore::Permit slot);

  WorkerPool& workers() { return workers_; }

  // What the properties of a message ask for.
  struct Wishes {
    std::int32_t delay_level = 0;
    bool timer = false;        // A time of its own, without a delay level.
    bool transaction = false;  // It is half of one.
  };

 private:
  struct Refusal {
    ResponseCode code = ResponseCode::success;
    std::string_view remark;
    bool refused() const { return code != ResponseCode::success; }
  };

  Task<void> append_late(IncomingMessage message);  // SeededBug::ack_before_append.
  Refusal check(const SendMessageHeader& header, const Wishes& wishes, std::int32_t& queue_id);
  // send_batch.cpp
  static Refusal check_batch(const SendMessageHeader& header, const TopicConfig* topic);
  SharedBytes batch_properties(const SendMessageHeader& header) const;
  Task<void> store_batch(std::shared_ptr<ServerConnection> connection, RemotingCommand request,
                         IncomingMessage batch, WorkerPool::Lease lease);
  void answer_batch(ServerConnection& connection, const RemotingCommand& request,
                    std::int32_t queue_id, const BatchPutResult& stored);
  IncomingMessage to_message(const RemotingCommand& request, const SendMessageHeader& header,
                             std::int32_t queue_id, Endpoint born_host);
  // What the broker makes of a message before it puts it: dead letters, halves of transactions, and
  // messages that wait for their time have places of their own.
  Refusal redirect(const RemotingCommand& request, const SendMessageHeader& header,
                   const Wishes& wishes, IncomingMessage& message);
  Refusal redirect_if_dead(const RemotingCommand& request, const SendMessageHeader& header,
                           IncomingMessage& message);
  SharedBytes stored_properties(const SendMessageHeader& header);
  void refuse(ServerConnection& connection, const RemotingCommand& request, Refusal refusal);
  void answer(ServerConnection& connection, const RemotingCommand& request, std::int32_t queue_id,
              const PutResult& result);

  // Counts messages that were answered as stored.
  void count(std::string_view topic, const PutResult& stored, std::int64_t messages);

  Context& context_;
  const BrokerConfiguration& configuration_;
  MessageStore& store_;
  Traffic& traffic_;
  PutSafety safety_;
  TopicsOfBroker topics_;
  GroupsOfBroker groups_;
  WorkerPool workers_;
  RandomStream queue_choice_;
  std::int16_t unique_key_counter_ = 0;
};

}  // namespace drydock
