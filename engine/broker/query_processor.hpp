// Answers the requests that look for messages or for a time: QUERY_MESSAGE, VIEW_MESSAGE_BY_ID,
// SEARCH_OFFSET_BY_TIMESTAMP, GET_EARLIEST_MSG_STORETIME (storage reference, 4 and 12.6).
//
// What is found is handed out as the log holds it. A query by key compares hashes, so the answer
// may have messages with other keys; whoever asks looks at the keys again.
#pragma once

#include <memory>

#include "engine/store/message_store.hpp"
#include "engine/wire/query_message.hpp"
#include "engine/wire/remoting_frame.hpp"
#include "engine/wire/server_connection.hpp"

namespace drydock {

class QueryProcessor {
 public:
  // Reads on behalf of workers of its own.
  QueryProcessor(Context& context, MessageStore& store);

  // For whoever else answers operators.
  Worker& admin_worker() { return admin_worker_; }

  static bool answers(const RemotingCommand& request);
  // `slot` is given back at the end.
  Task<void> process(std::shared_ptr<ServerConnection> connection, RemotingCommand request,
                     Semaphore::Permit slot);

 private:
  Task<SharedBytes> answer(RemotingCommand request);
  Task<SharedBytes> query_message(RemotingCommand request);
  Task<SharedBytes> view_message(RemotingCommand request);
  Task<SharedBytes> search_offset(RemotingCommand request);
  Task<SharedBytes> earliest_store_time(RemotingCommand request);

  MessageStore& store_;
  Worker& query_worker_;
  Worker& admin_worker_;
};

}  // namespace drydock
