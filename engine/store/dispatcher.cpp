#include "engine/store/dispatcher.hpp"

namespace drydock {

namespace {

constexpr int kAttempts = 30;
constexpr Duration kRetryPause = Duration::ms(1000);

}  // namespace

// The common case costs no further coroutine: the files have room and their pages are there.
Task<Result<void>> Dispatcher::dispatch(Worker& worker, DispatchRequest request) {
  if (request.has_unit) {
    co_await context_.chaos.reach(CrashPoint::store_before_dispatch);
    ConsumeQueue& queue = queues_.of(request.topic, request.queue_id);
    std::optional<ConsumeQueue::Appended> appended;
    if (may_write()) appended = queue.try_append(worker, request.unit, request.queue_offset);
    if (!appended) {
      Result<ConsumeQueue::Appended> waited = co_await append(worker, request);
      if (!waited && waited.error().code() == ErrorCode::cancelled) co_return waited.error();
      if (waited) appended = *waited;
    }
    if (appended) note_unit(request, *appended);
    if (!appended) give_up(request);
    if (appended == ConsumeQueue::Appended::written) {
      co_await context_.chaos.reach(CrashPoint::store_after_dispatch);
      context_.observer.event(EventName::store_dispatched, request.unit.physical.value(),
                              request.queue_offset.value());
    }
  }
  IndexFiling filing(request);
  if (index_.try_file(worker, filing)) co_return Result<void>();
  Result<void> filed = co_await index_.go_on(worker, filing);
  co_return filed;
}

void Dispatcher::note_unit(const DispatchRequest& request, ConsumeQueue::Appended appended) {
  checkpoint_.note_dispatched(request.store_ms);
  if (behaviour_.faithful(BehaviourSwitch::checkpoint_ahead_of_queues)) {
    checkpoint_.set_logics_ms(request.store_ms);
  }
  // The flush of a replica does not know the times of what it flushes.
  if (kind_ == LogKind::replica) checkpoint_.set_physical_ms(request.store_ms);
  if (appended == ConsumeQueue::Appended::written) queues_.advanced().set();
}

Task<Result<ConsumeQueue::Appended>> Dispatcher::append(Worker& worker, DispatchRequest request) {
  ConsumeQueue& queue = queues_.of(request.topic, request.queue_id);
  for (int attempt = 1; may_write(); ++attempt) {
    Result<ConsumeQueue::Appended> appended =
        co_await queue.append(worker, request.unit, request.queue_offset);
    if (appended || appended.error().code() == ErrorCode::cancelled) co_return appended;
    if (attempt == kAttempts) co_return appended;
    Result<void> slept = co_await sleep_for(context_.clock, kRetryPause);
    if (!slept) co_return slept.error();
  }
  co_return ErrorCode::no_space;
}

void Dispatcher::give_up(const DispatchRequest& request) {
  context_.observer.event(EventName::store_queue_write_failed, request.unit.physical.value(),
                          request.queue_offset.value());
  if (given_up_) return;
  given_up_ = true;
  context_.observer.log(LogLevel::error,
                        "a consume queue can't be written; the store takes no further message");
}

}  // namespace drydock
