#include "engine/store/commit_service.hpp"

#include "engine/runtime/poll_grid.hpp"

namespace drydock {

namespace {

constexpr int kCommitRetriesAtStop = 10;

}  // namespace

CommitRealTimeService::CommitRealTimeService(Context& context, CommitLog& log, FlushService& flush,
                                             const StoreConfiguration& configuration)
    : context_(context),
      log_(log),
      flush_(flush),
      worker_(context.workers.add("CommitRealTimeService")),
      schedule_(configuration.commit_interval_commit_log.count_ms(),
                configuration.commit_commit_log_thorough_interval.count_ms(),
                configuration.commit_commit_log_least_pages),
      interval_(configuration.commit_interval_commit_log) {}

void CommitRealTimeService::appended(bool wake) {
  if (wake) woken_ = true;
  if (wake || idle_) changed_.set();
}

void CommitRealTimeService::stop() {
  stopping_ = true;
  changed_.set();
}

Task<void> CommitRealTimeService::run() {
  while (!stopping_) {
    const std::int64_t start_ms = context_.clock.wall_now().count_ms();
    const std::int32_t least_pages = schedule_.least_pages_of(start_ms, 1);
    Result<bool> committed = co_await log_.commit(worker_, least_pages);
    if (!committed) {
      // What failed will fail again at once: puts must not make it be tried as often as they come.
      Result<void> slept = co_await sleep_for(context_.clock, interval_);
      if (!slept) co_return;
    }
    if (committed && *committed) {
      schedule_.worked_at(context_.clock.wall_now().count_ms());
      flush_.appended(true);
    }
    const bool go_on = co_await next_round();
    if (!go_on) co_return;
  }
  co_await commit_rest();
}

Task<bool> CommitRealTimeService::next_round() {
  const MonotonicTime start = context_.clock.now();
  const std::int64_t start_ms = context_.clock.wall_now().count_ms();
  const PollGrid grid(context_.clock, start, interval_);
  bool ticked = false;
  while (!woken_ && !stopping_ && !ticked) {
    changed_.reset();
    idle_ = !log_.has_uncommitted();
    const Deadline tick = idle_ ? kNever : grid.next_after(context_.clock.now());
    Result<void> changed = co_await changed_.wait(tick);
    idle_ = false;
    if (!changed && changed.error().code() == ErrorCode::cancelled) co_return false;
    ticked = !changed;
  }
  woken_ = false;
  // The rounds that an idle service skipped found nothing to commit.
  const std::int64_t points = (context_.clock.now() - start) / interval_;
  const std::int64_t skipped = ticked ? points - 1 : points;
  if (skipped > 0) schedule_.least_pages_of(start_ms + interval_.count_ms(), skipped);
  co_return true;
}

Task<void> CommitRealTimeService::commit_rest() {
  for (int i = 0; i < kCommitRetriesAtStop; ++i) {
    Result<bool> committed = co_await log_.commit(worker_, 0);
    if (!committed || !*committed) co_return;
  }
}

}  // namespace drydock
