#include "engine/client/queue_sweep.hpp"

#include <algorithm>
#include <utility>

namespace drydock {

namespace {

constexpr Duration kRequestTimeout = Duration::s(3);
constexpr Duration kPause = Duration::ms(100);

class Sweep {
 public:
  Sweep(Context& context, QueueSource& source, QueueClient& client, SweepOptions options,
        const MessageVisitor& visit)
      : context_(context),
        source_(source),
        client_(client),
        options_(std::move(options)),
        tags_(options_.subscription),
        visit_(visit) {}

  Task<Result<SweptQueues>> run() {
    const Deadline patience = context_.clock.now() + options_.patience;
    Result<MessageQueues> queues = co_await source_.queues_of(options_.topic, patience);
    if (!queues) co_return queues.error();
    SweptQueues swept;
    for (const MessageQueue& queue : *queues) {
      if (!wanted_) break;
      Result<QueueOffset> next = co_await read(queue);
      if (!next) co_return next.error();
      SweptQueue done{queue, *next, std::exchange(damaged_, 0)};
      swept.push_back(std::move(done));
    }
    co_return swept;
  }

 private:
  // How far one queue has been read.
  struct Place {
    bool known = false;  // The two are.
    QueueOffset next;
    QueueOffset end;
    std::int64_t suggested_id = 0;
    bool at_end() const { return known && next >= end; }
  };
  enum class Moved : std::uint8_t { yes, no };

  Task<Result<QueueOffset>> read(MessageQueue queue) {
    Place place;
    Deadline patience = context_.clock.now() + options_.patience;
    while (wanted_ && !place.at_end()) {
      Result<Moved> moved = ErrorCode::not_found;
      const std::optional<Endpoint> broker = source_.broker_of(queue, place.suggested_id);
      if (broker) {
        Result<Moved> stepped = co_await step(queue, *broker, place);
        moved = std::move(stepped);
      }
      if (moved && *moved == Moved::yes) {
        patience = context_.clock.now() + options_.patience;
        continue;
      }
      const Error error = moved ? Error(ErrorCode::io_error) : moved.error();
      if (context_.clock.now() >= patience) co_return error;
      if (!broker) co_await source_.refresh(options_.topic);
      Result<void> slept = co_await sleep_for(context_.clock, kPause);
      if (!slept) co_return slept.error();
    }
    co_return place.next;
  }

  Task<Result<Moved>> step(const MessageQueue& queue, Endpoint broker, Place& place) {
    const QueueAt at{broker, options_.topic, queue.queue_id};
    const Deadline deadline = context_.clock.now() + kRequestTimeout;
    if (!place.known) {
      Result<QueueOffset> end = co_await client_.max_offset(at, deadline);
      if (!end) co_return end.error();
      Result<QueueOffset> first = co_await client_.first_offset(at, options_.from, deadline);
      if (!first) co_return first.error();
      place.known = true;
      place.end = *end;
      place.next = *first;
      co_return Moved::yes;
    }
    PullOrder order{.queue = at, .from = place.next};
    order.subscription = options_.subscription;
    Result<PulledBatch> batch = co_await client_.pull(std::move(order), deadline);
    if (!batch) co_return batch.error();
    const QueueOffset before = place.next;
    place.suggested_id = batch->suggested_broker_id;
    // A queue that lost its end is read to where it ends now.
    if (batch->status == PullStatus::offset_moved) place.end = std::min(place.end, batch->max);
    place.next = show(*batch, queue, place.end);
    co_return place.next == before ? Moved::no : Moved::yes;
  }

  // Gives where to go on.
  QueueOffset show(const PulledBatch& batch, const MessageQueue& queue, QueueOffset end) {
    const ReadRecords read = read_records(batch.records, queue, tags_);
    for (const DamagedRecord& record : read.damaged) {
      context_.observer.log(LogLevel::warning, describe(record));
    }
    damaged_ += read.damaged.size();
    for (const ReceivedMessage& message : read.messages) {
      if (message.queue_offset >= end) return end;
      wanted_ = visit_(message);
      if (!wanted_) return message.queue_offset + 1;
    }
    return batch.next;
  }

  Context& context_;
  QueueSource& source_;
  QueueClient& client_;
  SweepOptions options_;
  TagSet tags_;  // Those of the subscription.
  const MessageVisitor& visit_;
  bool wanted_ = true;
  std::uint64_t damaged_ = 0;  // In the present queue.
};

}  // namespace

Task<Result<SweptQueues>> read_every_queue(Context& context, QueueSource& source,
                                           QueueClient& client, SweepOptions options,
                                           const MessageVisitor& visit) {
  Sweep sweep(context, source, client, std::move(options), visit);
  Result<SweptQueues> swept = co_await sweep.run();
  co_return swept;
}

}  // namespace drydock
