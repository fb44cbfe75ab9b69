#include "engine/replication/ha_link.hpp"

#include <utility>

#include "engine/replication/ha_frames.hpp"
#include "engine/runtime/poll_grid.hpp"

namespace drydock {

namespace {

constexpr std::size_t kReadBytes = 1024 * 1024;
constexpr Duration kSelect = Duration::s(1);  // RocketMQ looks at its timers this often.
constexpr Duration kFirstReportPoll = Duration::ms(10);
constexpr Duration kIdlePoll = Duration::ms(100);

}  // namespace

HaMaster::Link::Link(Context& context, const HaConfiguration& configuration, MessageStore& store,
                     std::unique_ptr<Stream> stream, Event& acknowledged, int number)
    : context_(context),
      configuration_(configuration),
      store_(store),
      stream_(std::move(stream)),
      worker_(context.workers.add("HAConnection_" + std::to_string(number))),
      somebody_acknowledged_(acknowledged),
      last_write_(context.clock.now()) {}

Task<void> HaMaster::Link::read_reports() {
  HaReportReader reader;
  for (;;) {
    // Silence is noticed by the first select that ends after the interval.
    const Deadline silence = context_.clock.now() + configuration_.housekeeping_interval + kSelect;
    Result<ByteChain> bytes = co_await stream_->read(kReadBytes, silence);
    if (!bytes) co_return;
    const std::optional<PhysicalOffset> report = reader.feed(*bytes);
    if (!report) continue;
    strayed_ = refuses(*report);
    if (strayed_) co_return;
    acknowledged_ = report;
    reported_.set();
    somebody_acknowledged_.set();
    context_.observer.event(EventName::ha_slave_acknowledged, report->value(), peer().address);
  }
}

bool HaMaster::Link::refuses(PhysicalOffset report) const {
  const Behaviour& behaviour = store_.configuration().behaviour;
  if (behaviour.faithful(BehaviourSwitch::ha_report_beyond_end_counts)) return false;
  if (report <= store_.log_end()) return false;
  context_.observer.log(LogLevel::error,
                        "a slave has more than this log: " + std::to_string(report.value()) +
                            ", not " + std::to_string(store_.log_end().value()) +
                            "; connection closed");
  return true;
}

Task<void> HaMaster::Link::ship() {
  const bool known = co_await first_report();
  if (!known) co_return;
  next_ = first_to_ship();
  for (;;) {
    // RocketMQ sends a heartbeat only if the interval is exceeded, counted in milliseconds.
    const Duration idle = context_.clock.now() - last_write_;
    if (idle > configuration_.heartbeat_interval) {
      const bool sent = co_await send(ByteChain());
      if (!sent) co_return;
    }
    Result<ByteChain> bytes =
        co_await store_.read_log(worker_, next_, configuration_.transfer_batch_size);
    if (!bytes) co_return;
    if (!bytes->empty()) {
      const bool sent = co_await send(std::move(*bytes));
      if (!sent) co_return;
      continue;
    }
    if (next_ < store_.commit_log().min_offset() && gives_up()) co_return;
    const bool go_on = co_await next_look();
    if (!go_on) co_return;
  }
}

// What comes next is deleted.
bool HaMaster::Link::gives_up() {
  const PhysicalOffset begin = store_.commit_log().min_offset();
  if (!std::exchange(stranded_, true)) {
    context_.observer.event(EventName::ha_slave_stranded, next_.value(), begin.value());
  }
  const Behaviour& behaviour = store_.configuration().behaviour;
  if (behaviour.faithful(BehaviourSwitch::ha_ships_nothing_deleted)) return false;
  context_.observer.log(LogLevel::error,
                        "a slave's log ends at " + std::to_string(next_.value()) +
                            ", and this one begins at " + std::to_string(begin.value()) +
                            ": it can't be brought up to date, but by an operator who clears its "
                            "store; connection closed");
  stream_->finish_writing();
  return true;
}

Task<bool> HaMaster::Link::first_report() {
  PollGrid grid(context_.clock, context_.clock.now(), kFirstReportPoll);
  const auto known = [this] { return acknowledged_.has_value(); };
  Result<void> waited = co_await grid.until(reported_, known);
  co_return waited.has_value();
}

// An empty slave gets the last file only: older ones are never shipped to it.
PhysicalOffset HaMaster::Link::first_to_ship() const {
  if (acknowledged_->value() > 0) return *acknowledged_;
  const std::int64_t end = store_.log_end().value();
  return PhysicalOffset(end - end % store_.configuration().mapped_file_size_commit_log);
}

void HaMaster::Link::wake() {
  woken_ = true;
  store_.log_grew().set();
}

Task<bool> HaMaster::Link::next_look() {
  const PollGrid grid(context_.clock, context_.clock.now(), kIdlePoll);
  const MonotonicTime heartbeat = grid.next_after(last_write_ + configuration_.heartbeat_interval);
  while (!woken_) {
    const bool has_data = next_ < store_.log_end();
    const MonotonicTime point = grid.next_after(context_.clock.now());
    const Deadline look = has_data && point < heartbeat ? point : heartbeat;
    store_.log_grew().reset();
    Result<void> grown = co_await store_.log_grew().wait(look);
    if (grown) continue;
    if (grown.error().code() != ErrorCode::timed_out) co_return false;
    co_return true;
  }
  woken_ = false;
  co_return true;
}

Task<bool> HaMaster::Link::send(ByteChain body) {
  const auto size = static_cast<std::int32_t>(body.size());
  last_write_ = context_.clock.now();
  Result<void> written = co_await stream_->write(encode_ha_header(next_, size));
  next_ = next_ + size;  // Before the bytes are out, as RocketMQ does.
  for (const SharedBytes& piece : body.pieces()) {
    if (!written) break;
    Result<void> more = co_await stream_->write(piece);
    written = more;
  }
  co_return written.has_value();
}

}  // namespace drydock
