#include "engine/store/dispatcher.hpp"

namespace drydock {

namespace {

constexpr int kAttempts = 30;
constexpr Duration kRetryPause = Duration::ms(1000);

}  // namespace

Task<Result<void>> Dispatcher::dispatch(Worker& worker, DispatchRequest request) {
  if (!request.has_unit) co_return Result<void>();
  co_await context_.chaos.reach(CrashPoint::store_before_dispatch);
  // The common case costs no further coroutine: the file has room and its page is there.
  ConsumeQueue& queue = queues_.of(request.topic, request.queue_id);
  std::optional<ConsumeQueue::Appended> appended;
  if (!given_up_) appended = queue.try_append(worker, request.unit, request.queue_offset);
  if (!appended) {
    Result<ConsumeQueue::Appended> waited = co_await append(worker, request);
    if (!waited && waited.error().code() == ErrorCode::cancelled) co_return waited.error();
    if (!waited) {
      give_up(request);
      co_return Result<void>();
    }
    appended = *waited;
  }
  checkpoint_.set_logics_ms(request.store_ms);
  // The flush of a replica does not know the times of what it flushes.
  if (kind_ == LogKind::replica) checkpoint_.set_physical_ms(request.store_ms);
  if (appended == ConsumeQueue::Appended::known) co_return Result<void>();
  queues_.advanced().set();
  co_await context_.chaos.reach(CrashPoint::store_after_dispatch);
  context_.observer.event(EventName::store_dispatched, request.unit.physical.value(),
                          request.queue_offset.value());
  co_return Result<void>();
}

Task<Result<ConsumeQueue::Appended>> Dispatcher::append(Worker& worker, DispatchRequest request) {
  ConsumeQueue& queue = queues_.of(request.topic, request.queue_id);
  for (int attempt = 1; !given_up_; ++attempt) {
    Result<ConsumeQueue::Appended> appended =
        co_await queue.append(worker, request.unit, request.queue_offset);
    if (appended || appended.error().code() == ErrorCode::cancelled) co_return appended;
    if (attempt == kAttempts) co_return appended;
    Result<void> slept = co_await sleep_for(context_.clock, kRetryPause);
    if (!slept) co_return slept.error();
  }
  co_return ErrorCode::io_error;
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
