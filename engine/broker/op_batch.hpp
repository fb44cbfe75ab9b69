// Writes down which half messages are done with: op messages (storage reference, 9.4), RocketMQ's
// TransactionalOpBatchService. Every 3 s (transactionOpBatchInterval) what has gathered is written,
// or earlier if it is more than 4096 bytes (transactionOpMsgMaxSize). What a crash takes, or what
// the store does not take for so long that too much gathers, is asked about again.
#pragma once

#include <string>

#include "engine/runtime/context.hpp"
#include "engine/store/message_store.hpp"

namespace drydock {

class OpBatch {
 public:
  OpBatch(Context& context, MessageStore& store)
      : context_(context),
        store_(store),
        worker_(context.workers.add("TransactionalOpBatchService")) {}

  // The half message at `place` of its queue is done with.
  void add(QueueOffset place);
  // Writes batches until cancelled.
  Task<void> run();

 private:
  bool full() const;
  // False: the store does not take it now.
  Task<bool> write();

  Context& context_;
  MessageStore& store_;
  Worker& worker_;
  std::string places_;
  Event grew_;
  Event filled_;
};

}  // namespace drydock
