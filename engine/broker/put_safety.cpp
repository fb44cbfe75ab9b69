#include "engine/broker/put_safety.hpp"

namespace drydock {

// The flush and the copies are waited for at the same time; what the copies came to counts last.
Task<PutStatus> PutSafety::wait(PutResult placed, bool wait_store_ok) {
  const SeededBugs& bugs = configuration_.store.bugs;
  const std::int32_t copies =
      bugs.has(SeededBug::ack_before_copy) ? 1 : configuration_.ha.copies_awaited();
  if (master_ == nullptr || !wait_store_ok || copies <= 1) {
    const PutStatus flushed = co_await store_.await_flush(placed, wait_store_ok);
    store_.put_ended(placed);
    co_return flushed;
  }
  const Deadline deadline = context_.clock.now() + configuration_.ha.slave_timeout;
  ReplicaRequest request(placed.offset + placed.bytes, copies, deadline);
  master_->submit(request);
  const PutStatus flushed = co_await store_.await_flush(placed, wait_store_ok);
  Result<void> answered = co_await request.answered().wait();
  store_.put_ended(placed);
  if (!answered) co_return PutStatus::unknown_error;
  const bool replicated = request.answer() == ReplicaAnswer::replicated;
  co_return replicated ? flushed : PutStatus::flush_slave_timeout;
}

}  // namespace drydock
