// Answers the requests about places in a queue: its ends, and how far a group has come in it
// (storage reference, 3.6 and 12.6).
#pragma once

#include <memory>

#include "engine/broker/offsets_of_broker.hpp"
#include "engine/broker/topics.hpp"
#include "engine/store/message_store.hpp"
#include "engine/wire/consumer_offset.hpp"
#include "engine/wire/remoting_frame.hpp"
#include "engine/wire/server_connection.hpp"

namespace drydock {

class OffsetProcessor {
 public:
  // Looks into queues on behalf of `worker`.
  OffsetProcessor(Context& context, MessageStore& store, const Topics& topics,
                  OffsetsOfBroker offsets, Worker& worker)
      : context_(context), store_(store), topics_(topics), offsets_(offsets), worker_(worker) {}

  // Those that need no wait: the ends of a queue, an update.
  static bool answers(const RemotingCommand& request) {
    return request.is(RequestCode::get_max_offset) || request.is(RequestCode::get_min_offset) ||
           request.is(RequestCode::update_consumer_offset);
  }
  SharedBytes answer(const RemotingCommand& request);
  // A QUERY_CONSUMER_OFFSET: where nothing is stored the answer may hang on a look into the queue.
  // `slot` is given back at the end.
  Task<void> query(std::shared_ptr<ServerConnection> connection, RemotingCommand request,
                   Semaphore::Permit slot);

 private:
  SharedBytes end_of_queue(const RemotingCommand& request) const;
  SharedBytes update(const RemotingCommand& request);

  Context& context_;
  MessageStore& store_;
  const Topics& topics_;
  OffsetsOfBroker offsets_;
  Worker& worker_;
};

}  // namespace drydock
