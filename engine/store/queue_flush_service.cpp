#include "engine/store/queue_flush_service.hpp"

#include <limits>

namespace drydock {

namespace {

constexpr int kRoundsAtStop = 3;
constexpr int kRoundsExact = std::numeric_limits<int>::max();  // One for each file.

}  // namespace

QueueFlushService::QueueFlushService(Context& context, ConsumeQueues& queues,
                                     Checkpoint& checkpoint,
                                     const StoreConfiguration& configuration)
    : context_(context),
      queues_(queues),
      checkpoint_(checkpoint),
      worker_(context.workers.add("FlushConsumeQueueService")),
      behaviour_(configuration.behaviour),
      interval_(configuration.flush_interval_consume_queue),
      schedule_(configuration.flush_interval_consume_queue.count_ms(),
                configuration.flush_consume_queue_thorough_interval.count_ms(),
                configuration.flush_consume_queue_least_pages) {}

void QueueFlushService::stop() {
  stop_.set();
  queues_.advanced().set();
}

Task<void> QueueFlushService::run() {
  while (!stop_.is_set()) {
    const std::int32_t least_pages = co_await next_round();
    if (least_pages < 0) co_return;
    if (stop_.is_set()) break;
    const bool go_on = co_await flush(least_pages, 1);
    if (!go_on) co_return;
  }
  co_await flush(0, kRoundsAtStop);
}

Task<std::int32_t> QueueFlushService::next_round() {
  const MonotonicTime start = context_.clock.now();
  // RocketMQ sleeps first and then looks at the clock.
  const std::int64_t first_ms = context_.clock.wall_now().count_ms() + interval_.count_ms();
  if (!queues_.has_unflushed() && !stop_.is_set()) {
    queues_.advanced().reset();
    Result<void> woken = co_await queues_.advanced().wait();
    if (!woken) co_return -1;
  }
  // The rounds that an idle service skipped found nothing to flush.
  const PollGrid grid(context_.clock, start, interval_);
  const MonotonicTime point = grid.next_after(context_.clock.now());
  const std::int32_t least_pages = schedule_.least_pages_of(first_ms, (point - start) / interval_);
  Result<void> stopped = co_await stop_.wait(point);
  const bool cancelled = !stopped && stopped.error().code() == ErrorCode::cancelled;
  co_return cancelled ? -1 : least_pages;
}

Task<bool> QueueFlushService::flush(std::int32_t least_pages, int rounds) {
  // Units that are dispatched while we flush are not covered by it.
  const bool exact =
      least_pages == 0 && behaviour_.hardened(BehaviourSwitch::checkpoint_ahead_of_queues);
  const std::int64_t covered_ms =
      exact ? checkpoint_.dispatched_ms() : checkpoint_.fields().logics_ms;
  if (exact) rounds = kRoundsExact;
  Result<void> flushed = co_await queues_.flush(worker_, least_pages, rounds);
  if (!flushed && flushed.error().code() == ErrorCode::cancelled) co_return false;
  if (!flushed && behaviour_.hardened(BehaviourSwitch::flush_error_advances_position)) {
    failed_ = true;
    co_return true;
  }
  if (least_pages > 0) co_return true;
  if (exact && !flushed) co_return true;
  checkpoint_.set_logics_ms(covered_ms);
  Result<void> written = co_await checkpoint_.flush(worker_);
  co_return written || written.error().code() != ErrorCode::cancelled;
}

}  // namespace drydock
