#include "engine/store/flush_service.hpp"

namespace drydock {

namespace {

constexpr Duration kGroupCommitInterval = Duration::ms(10);
constexpr Duration kFlushRetryPause = Duration::ms(1);
constexpr int kFlushRetries = 1000;
constexpr int kFlushRetriesAtStop = 10;

bool cancelled(const Result<void>& result) {
  return !result && result.error().code() == ErrorCode::cancelled;
}

}  // namespace

GroupCommitService::GroupCommitService(Context& context, CommitLog& log, Checkpoint& checkpoint)
    : context_(context),
      log_(log),
      checkpoint_(checkpoint),
      worker_(context.workers.add("GroupCommitService")) {}

void GroupCommitService::submit(FlushRequest& request) {
  incoming_.push_back(request);
  woken_ = true;
  changed_.set();
}

void GroupCommitService::appended(bool wake) {
  if (wake) woken_ = true;
  if (wake || idle_) changed_.set();
}

void GroupCommitService::stop() {
  stopping_ = true;
  changed_.set();
}

Task<void> GroupCommitService::run() {
  round_ended_ = context_.clock.now();
  while (!stopping_) {
    const bool go_on = co_await next_round();
    if (!go_on) co_return;
    co_await commit();
    round_ended_ = context_.clock.now();
  }
  // RocketMQ waits once more for stragglers, then flushes what has come.
  Result<void> slept = co_await sleep_for(context_.clock, kGroupCommitInterval);
  if (!slept) co_return;
  co_await commit();
}

Task<bool> GroupCommitService::next_round() {
  const PollGrid grid(context_.clock, round_ended_, kGroupCommitInterval);
  while (!woken_ && !stopping_) {
    changed_.reset();
    idle_ = !log_.has_unflushed();
    const Deadline tick = idle_ ? kNever : grid.next_after(context_.clock.now());
    Result<void> changed = co_await changed_.wait(tick);
    idle_ = false;
    if (cancelled(changed)) co_return false;
    if (!changed) break;  // The tick.
  }
  woken_ = false;
  co_return true;
}

Task<void> GroupCommitService::commit() {
  reading_.take_all(incoming_);
  if (reading_.empty()) {
    Result<void> flushed = co_await log_.flush(worker_, 0);
    if (cancelled(flushed)) co_return;
  }
  while (!reading_.empty()) {
    // Only its end is kept: the request itself may be gone when the flush returns.
    const PhysicalOffset end = static_cast<FlushRequest*>(reading_.front())->end();
    const bool answerable = co_await flush_to(end);
    if (!answerable) co_return;
    answer_covered(end, log_.flushed_to() >= end ? FlushAnswer::flushed : FlushAnswer::timed_out);
  }
  checkpoint_.set_physical_ms(log_.flushed_store_ms());
}

Task<bool> GroupCommitService::flush_to(PhysicalOffset end) {
  for (int i = 0; i < kFlushRetries && log_.flushed_to() < end && !log_.stopped(); ++i) {
    Result<void> flushed = co_await log_.flush(worker_, 0);
    if (cancelled(flushed)) co_return false;
    if (log_.flushed_to() >= end || log_.stopped()) break;
    Result<void> slept = co_await sleep_for(context_.clock, kFlushRetryPause);
    if (!slept) co_return false;
  }
  co_return true;
}

void GroupCommitService::answer_covered(PhysicalOffset end, FlushAnswer answer) {
  while (!reading_.empty()) {
    auto& request = static_cast<FlushRequest&>(*reading_.front());
    const bool covered = request.end() <= end || request.end() <= log_.flushed_to();
    if (!covered) return;
    request.answer_with(request.end() <= log_.flushed_to() ? FlushAnswer::flushed : answer);
  }
}

FlushRealTimeService::FlushRealTimeService(Context& context, CommitLog& log, Checkpoint& checkpoint,
                                           const StoreConfiguration& configuration)
    : context_(context),
      log_(log),
      checkpoint_(checkpoint),
      worker_(context.workers.add("FlushRealTimeService")),
      schedule_(configuration.flush_interval_commit_log.count_ms(),
                configuration.flush_commit_log_thorough_interval.count_ms(),
                configuration.flush_commit_log_least_pages),
      interval_(configuration.flush_interval_commit_log),
      timed_(configuration.flush_commit_log_timed) {}

void FlushRealTimeService::appended(bool wake) {
  if (idle_) appended_.set();
  if (wake && !timed_) wake_.set();
  if (context_.chaos.fire(BuggifySite::store_flush_every_append)) {
    flush_now_ = true;
    appended_.set();
    wake_.set();
  }
}

void FlushRealTimeService::stop() {
  stopping_ = true;
  appended_.set();
  wake_.set();
}

Task<void> FlushRealTimeService::run() {
  while (!stopping_) {
    const std::int32_t least_pages = co_await next_round();
    if (least_pages < 0) co_return;
    Result<void> flushed = co_await log_.flush(worker_, least_pages);
    if (cancelled(flushed)) co_return;
    checkpoint_.set_physical_ms(log_.flushed_store_ms());
  }
  co_await flush_rest();
}

Task<std::int32_t> FlushRealTimeService::next_round() {
  const MonotonicTime start = context_.clock.now();
  const std::int64_t start_ms = context_.clock.wall_now().count_ms();
  appended_.reset();
  idle_ = !log_.has_unflushed() && !stopping_;
  if (idle_) {
    Result<void> woken = co_await appended_.wait();
    idle_ = false;
    if (cancelled(woken)) co_return -1;
  }
  // The rounds that an idle service skipped found nothing to flush.
  const PollGrid grid(context_.clock, start, interval_);
  const MonotonicTime point = grid.next_after(context_.clock.now());
  const std::int32_t least_pages = schedule_.least_pages_of(start_ms, (point - start) / interval_);
  Result<void> woken = co_await wake_.wait(point);
  if (cancelled(woken)) co_return -1;
  wake_.reset();
  co_return std::exchange(flush_now_, false) ? 0 : least_pages;
}

Task<void> FlushRealTimeService::flush_rest() {
  for (int i = 0; i < kFlushRetriesAtStop && log_.has_unflushed() && !log_.stopped(); ++i) {
    Result<void> flushed = co_await log_.flush(worker_, 0);
    if (cancelled(flushed)) co_return;
  }
  checkpoint_.set_physical_ms(log_.flushed_store_ms());
}

}  // namespace drydock
