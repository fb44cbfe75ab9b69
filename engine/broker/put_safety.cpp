#include "engine/broker/put_safety.hpp"

#include <algorithm>

namespace drydock {

// The flush and the copies are waited for at the same time; what the copies came to counts last.
Task<PutStatus> PutSafety::wait(PutResult placed, bool wait_store_ok) {
  const std::int32_t copies = copies_awaited();
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

Task<PutStatus> PutSafety::wait_internal(PutResult placed) {
  const Behaviour& behaviour = configuration_.store.behaviour;
  if (behaviour.faithful(BehaviourSwitch::internal_writes_not_awaited)) {
    store_.put_ended(placed);
    co_return placed.status;
  }
  const PutStatus safe = co_await wait(placed, true);
  co_return safe;
}

std::int32_t PutSafety::copies_awaited() const {
  const StoreConfiguration& store = configuration_.store;
  if (store.bugs.has(SeededBug::ack_before_copy)) return 1;
  const std::int32_t copies = configuration_.ha.copies_awaited();
  const bool never_alone = configuration_.ha.role == BrokerRole::sync_master &&
                           store.behaviour.hardened(BehaviourSwitch::ha_sync_waits_for_nobody);
  return never_alone ? std::max(copies, 2) : copies;
}

}  // namespace drydock
