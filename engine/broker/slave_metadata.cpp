#include "engine/broker/slave_metadata.hpp"

#include "engine/runtime/poll_grid.hpp"

namespace drydock {

namespace {

constexpr Duration kFirstLook = Duration::s(10);
constexpr Duration kLook = Duration::s(3);
constexpr Duration kPeriod = Duration::s(60);
constexpr Duration kAskTimeout = Duration::s(3);
constexpr RequestConnectionOptions kConnectionOptions{.connect_timeout = Duration::s(3)};

}  // namespace

SlaveMetadata::SlaveMetadata(Context& context, Endpoint self, SeededBugs bugs, Tables tables,
                             Worker& worker, ScheduledJobs& jobs)
    : context_(context),
      self_(self),
      bugs_(bugs),
      tables_(tables),
      worker_(worker),
      jobs_(jobs),
      asked_(context.clock.now()) {}

Task<void> SlaveMetadata::run() {
  const PollGrid looks(context_.clock, context_.clock.now() + kFirstLook - kLook, kLook);
  for (;;) {
    // The first look at which more than a period is over.
    const MonotonicTime due = looks.next_after(asked_ + kPeriod);
    Result<void> slept = co_await sleep_until(due);
    if (!slept) co_return;
    Result<Mutex::Permit> turn = co_await jobs_.turn();
    if (!turn) co_return;
    co_await pull_all();
    asked_ = context_.clock.now();
  }
}

Task<void> SlaveMetadata::close() {
  if (connection_ != nullptr) co_await connection_->close();
  connection_.reset();
  connected_to_.reset();
}

Task<void> SlaveMetadata::pull_all() {
  if (!master_ || *master_ == self_) co_return;
  if (connected_to_ != master_) {
    co_await close();
    connected_to_ = master_;
    connection_ = std::make_unique<RequestConnection>(context_, *connected_to_, kConnectionOptions);
  }
  const std::array<Part, 4> parts = {{
      {RequestCode::get_all_topic_config, &SlaveMetadata::take_topics, &tables_.topics_file},
      {RequestCode::get_all_consumer_offset, &SlaveMetadata::take_offsets, &tables_.offsets_file},
      {RequestCode::get_all_delay_offset, &SlaveMetadata::take_delays, &tables_.delays_file},
      {RequestCode::get_all_subscription_groups, &SlaveMetadata::take_groups, &tables_.groups_file},
  }};
  std::int64_t taken = 0;
  for (const Part& part : parts) {
    const bool took = co_await pull(part);
    taken += took ? 1 : 0;
  }
  context_.observer.event(EventName::slave_metadata_pulled, taken);
}

Task<bool> SlaveMetadata::pull(Part part) {
  const Deadline deadline = context_.clock.now() + kAskTimeout;
  SharedBytes request = encode_command(request_head(part.code, 0), NoFields(), {}, {});
  Result<RemotingCommand> answer = co_await connection_->ask(std::move(request), deadline);
  if (!answer && answer.error().code() == ErrorCode::cancelled) co_return false;
  const bool good = answer && answer->is(ResponseCode::success);
  if (!good || !(this->*part.take)(as_text(answer->body.span()))) {
    context_.observer.log(LogLevel::error, "the master did not answer request " +
                                               std::to_string(static_cast<int>(part.code)));
    co_return false;
  }
  co_await part.file->save(worker_);
  co_return true;
}

bool SlaveMetadata::take_offsets(std::string_view text) {
  return bugs_.has(SeededBug::slave_pulls_no_offsets) || tables_.offsets.follow(text);
}

}  // namespace drydock
