#include "engine/replication/ha_slave.hpp"

#include <algorithm>

#include "engine/runtime/poll_grid.hpp"

namespace drydock {

namespace {

constexpr std::size_t kReadBytes = 4 * 1024 * 1024;
constexpr Duration kConnectTimeout = Duration::s(5);
constexpr Duration kRetry = Duration::s(5);
constexpr Duration kSelect = Duration::s(1);

}  // namespace

HaSlave::HaSlave(Context& context, HaConfiguration configuration, MessageStore& store)
    : context_(context),
      configuration_(std::move(configuration)),
      store_(store),
      worker_(context.workers.add("HAClient")),
      master_(configuration_.master_address),
      last_write_(context.clock.now()) {}

Task<void> HaSlave::run() {
  for (;;) {
    if (master_ && !flush_failed_) co_await follow();
    stream_.reset();
    Result<void> slept = co_await sleep_for(context_.clock, kRetry);
    if (!slept) co_return;
  }
}

Task<void> HaSlave::follow() {
  const ConnectOptions options{.deadline = context_.clock.now() + kConnectTimeout};
  Result<std::unique_ptr<Stream>> connected = co_await context_.network.connect(*master_, options);
  if (!connected) co_return;
  stream_ = std::move(*connected);
  frames_ = HaFrameReader();
  reported_ = store_.log_end();
  last_read_ = context_.clock.now();
  for (;;) {
    const MonotonicTime now = context_.clock.now();
    if (now - last_write_ > configuration_.heartbeat_interval) {
      const bool sent = co_await report();
      if (!sent) co_return;
    }
    Result<ByteChain> bytes = co_await stream_->read(kReadBytes, next_look());
    if (bytes) {
      last_read_ = context_.clock.now();
      frames_.feed(std::move(*bytes));
      const bool good = co_await take_frames();
      if (!good) co_return;
      continue;
    }
    if (bytes.error().code() != ErrorCode::timed_out) co_return;
    const Duration silence = context_.clock.now() - last_read_;
    if (silence > configuration_.housekeeping_interval) {
      context_.observer.log(LogLevel::warning, "the master is silent; connection closed");
      co_return;
    }
  }
}

MonotonicTime HaSlave::next_look() const {
  const PollGrid grid(context_.clock, context_.clock.now(), kSelect);
  return std::min(grid.next_after(last_write_ + configuration_.heartbeat_interval),
                  grid.next_after(last_read_ + configuration_.housekeeping_interval));
}

Task<bool> HaSlave::take_frames() {
  HaFrame frame;
  for (;;) {
    const HaFrameReader::Step step = frames_.next(frame);
    if (step == HaFrameReader::Step::need_more) co_return true;
    if (step == HaFrameReader::Step::fault) {
      context_.observer.log(LogLevel::error, "no frame of a master; connection closed");
      co_return false;
    }
    const bool taken = co_await take(std::move(frame));
    if (!taken) co_return false;
  }
}

Task<bool> HaSlave::take(HaFrame frame) {
  const PhysicalOffset end = store_.log_end();
  if (end.value() != 0 && end != frame.offset) {
    context_.observer.log(LogLevel::error, "the master's offset " +
                                               std::to_string(frame.offset.value()) +
                                               " is not the end of this log, " +
                                               std::to_string(end.value()) + "; connection closed");
    co_return false;
  }
  if (!frame.body.empty()) {
    // RocketMQ ignores what comes of it: a failed append shows as a log that did not grow.
    Result<void> appended =
        co_await store_.append_raw(worker_, frame.offset, std::move(frame.body));
    if (!appended && appended.error().code() == ErrorCode::cancelled) co_return false;
  }
  if (store_.log_end() <= reported_) co_return true;
  const bool sent = co_await report();
  co_return sent;
}

Task<PhysicalOffset> HaSlave::safe_end() {
  const PhysicalOffset end = store_.log_end();
  if (store_.configuration().behaviour.faithful(BehaviourSwitch::ha_slave_acks_before_flush)) {
    co_return end;
  }
  if (!flush_failed_ && flushed_to_ < end) {
    const PhysicalOffset from = std::max(flushed_to_, store_.commit_log().min_offset());
    Result<void> flushed = co_await store_.sync_log(worker_, from, end);
    if (flushed) flushed_to_ = end;
    if (!flushed && flushed.error().code() != ErrorCode::cancelled) {
      flush_failed_ = true;
      context_.observer.log(LogLevel::error,
                            "a flush failed; once its connection ends this slave follows nobody");
    }
  }
  co_return flushed_to_;
}

Task<bool> HaSlave::report() {
  const PhysicalOffset safe = co_await safe_end();
  reported_ = safe;
  last_write_ = context_.clock.now();
  Result<void> written = co_await stream_->write(encode_ha_report(reported_));
  co_return written.has_value();
}

}  // namespace drydock
