#include "engine/store/dispatch_service.hpp"

#include <utility>

namespace drydock {

namespace {

constexpr Duration kPollInterval = Duration::ms(1);
constexpr Duration kOwedMax = Duration::ms(1);

}  // namespace

DispatchService::DispatchService(Context& context, CommitLog& log, Dispatcher& dispatcher,
                                 VisibleTo visible, LogKind kind, CpuPrice price, StoreStats& stats)
    : context_(context),
      log_(log),
      dispatcher_(dispatcher),
      visible_(visible),
      kind_(kind),
      price_(price),
      stats_(stats),
      worker_(context.workers.add("ReputMessageService")) {}

Task<void> DispatchService::run() {
  const auto has_work = [this] {
    return position_ < limit() && waited_at_ != limit() && log_.readable_at(position_);
  };
  bool failed = false;
  for (;;) {
    PollGrid grid(context_.clock, context_.clock.now(), kPollInterval);
    Result<void> due = co_await grid.until(log_.advanced(), has_work);
    if (!due) co_return;
    Result<void> drained = co_await drain();
    if (!drained && drained.error().code() == ErrorCode::cancelled) co_return;
    stats_.dispatch_ended();
    if (!drained && !failed) {
      context_.observer.log(LogLevel::error, "dispatch can't read the log; will try again");
    }
    failed = !drained;
  }
}

Task<Result<void>> DispatchService::drain() {
  if (position_ < log_.min_offset()) position_ = log_.min_offset();
  stats_.dispatch_began(behind());
  while (position_ < limit()) {
    const LogFilePointer file = log_.files().find(position_);
    if (file == nullptr) {  // A gap between the files.
      waited_at_ = limit();
      co_return Result<void>();
    }
    Result<FileDone> done = co_await drain_file(file);
    if (!done) co_return done.error();
    if (owed_ > Duration()) {
      Result<void> paid = co_await pay();
      if (!paid) co_return paid;
    }
    if (*done == FileDone::stop) co_return Result<void>();
  }
  co_return Result<void>();
}

Task<Result<DispatchService::FileDone>> DispatchService::drain_file(LogFilePointer file) {
  RecordReader reader(worker_, file, ContentCheck::lengths_only);
  while (position_ < limit() && position_ < file->end()) {
    const std::int64_t at = position_ - file->start;
    const std::int64_t readable = file->readable();
    if (at >= readable) co_return FileDone::stop;  // Not committed yet.
    RecordView view;
    RecordCheck check = reader.peek(at, readable, view);
    if (check.fault == RecordFault::need_more) {
      Result<void> filled = co_await reader.fill(at, readable, check.needed_bytes);
      if (!filled) co_return filled.error();
      continue;
    }
    switch (dispatch_step(check, position_, limit(), kind_)) {
      case DispatchStep::wait: waited_at_ = limit(); co_return FileDone::stop;
      case DispatchStep::next_file: position_ = file->end(); co_return FileDone::go_on;
      case DispatchStep::skip_record: skip_to(position_ + check.size); continue;
      case DispatchStep::skip_rest: skip_to(file->start + readable); co_return FileDone::stop;
      case DispatchStep::dispatch: break;
    }
    const DispatchRequest request = dispatcher_.request_of(view, check.size);
    Result<void> dispatched = co_await dispatcher_.dispatch(worker_, request);
    if (!dispatched) co_return dispatched.error();
    position_ = position_ + check.size;
    // What a slave takes in no put has counted.
    if (kind_ == LogKind::replica) stats_.appended(context_.clock.now(), 1, check.size);
    if (context_.compute.priced())
      owed_ = owed_ + price_.of(static_cast<std::int64_t>(view.body.size()));
    if (owed_ >= kOwedMax) {
      Result<void> paid = co_await pay();
      if (!paid) co_return paid.error();
    }
    if (listener_ != nullptr && request.has_unit) {
      listener_->message_arrived(request.topic, request.queue_id, request.queue_offset + 1,
                                 request.unit.tags_code);
    }
  }
  co_return FileDone::go_on;
}

Task<Result<void>> DispatchService::pay() {
  const Duration price = std::exchange(owed_, Duration());
  Result<void> spent = co_await context_.compute.charge(worker_, price);
  co_return spent;
}

void DispatchService::skip_to(PhysicalOffset next) {
  context_.observer.event(EventName::store_dispatch_skipped, position_.value(), next - position_);
  context_.observer.log(LogLevel::error,
                        "dispatch can't read the log at " + std::to_string(position_.value()) +
                            " and passes over " + std::to_string(next - position_) + " bytes");
  position_ = next;
}

}  // namespace drydock
