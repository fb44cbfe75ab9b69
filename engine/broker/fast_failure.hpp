// BrokerFastFailure: requests that wait for a worker for too long are refused while their clients
// still care, and the refusal makes these try another broker.
//
// Every 10 ms, from a second after the start on:
//   1. while the page cache is busy, everything in the queue of sends goes, however young;
//   2. from the front of each queue goes what has waited for the queue's limit.
// What a worker is at is not touched, however long it takes.
//
// Source: storage reference, 6.4. RocketMQ ticks; here nothing happens while a queue is empty, and
// then at the next point of the same grid.
#pragma once

#include "engine/broker/worker_pool.hpp"
#include "engine/store/message_store.hpp"

namespace drydock {

struct FastFailure {
  Duration wait_limit;  // 0: whatever is in the queue at the next look is refused.
  // The store whose page cache makes the queue go, too; null: this is not the queue of sends.
  const MessageStore* store = nullptr;
};

// Looks after the queue of `pool`, until cancelled. The pool's and the store's owner outlives it.
Task<void> fail_fast(Context& context, WorkerPool& pool, FastFailure rules);

}  // namespace drydock
