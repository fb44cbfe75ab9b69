#include "engine/client/pull_consumer.hpp"

#include <algorithm>
#include <deque>
#include <set>

#include "engine/client/client_id.hpp"
#include "engine/client/queue_source.hpp"
#include "engine/runtime/join.hpp"

namespace drydock {

namespace {

constexpr Duration kFirstOffsetStore = Duration::s(10);
constexpr Duration kSmallRequestTimeout = Duration::s(3);  // mqClientApiTimeout
constexpr std::int64_t kMasterId = 0;
constexpr Duration kLockInterval = Duration::s(20);
constexpr Duration kLockLifetime = Duration::s(30);
constexpr Duration kLockTimeout = Duration::s(1);
constexpr Duration kUnlockedPause = Duration::s(3);  // pullTimeDelayMillsWhenException, of pushes

}  // namespace

class PullConsumer::Implementation {
 public:
  Implementation(Context& context, std::string topic, PullConsumerOptions options)
      : context_(context),
        topic_(std::move(topic)),
        options_(std::move(options)),
        tags_(options_.subscription),
        brokers_(context, {.connect_timeout = options_.connect_timeout}),
        client_(brokers_, options_.consumer_group),
        tasks_(context.scope) {}

  void read_from(Endpoint broker) { source_ = std::make_unique<QueueSource>(brokers_, broker); }
  void ask(NameServers name_servers) {
    ENSURE(!name_servers.endpoints.empty());
    RouteOptions options{.name_servers = std::move(name_servers.endpoints),
                         .groups = {.consumer_group = options_.consumer_group},
                         .poll_interval = options_.route_interval};
    source_ = std::make_unique<QueueSource>(context_, brokers_, std::move(options));
  }

  Task<Result<void>> start(Deadline deadline) {
    Result<MessageQueues> queues = co_await source_->queues_of(topic_, deadline);
    if (!queues) co_return queues.error();
    for (const MessageQueue& queue : *queues) add_reader(queue);
    if (options_.ordered) tasks_.spawn(keep_locks());
    tasks_.spawn(look_for_queues());
    if (options_.store_offsets) tasks_.spawn(store_offsets_in_time());
    co_return Result<void>();
  }

  Task<Result<std::vector<ReceivedMessage>>> poll(Deadline deadline, std::size_t count_max) {
    note_consumed();
    for (;;) {
      if (Reader* const reader = next_with_messages()) co_return take(*reader, count_max);
      arrived_.reset();
      Result<void> woken = co_await arrived_.wait(deadline);
      if (!woken) co_return woken.error();
    }
  }

  void note_consumed() {
    for (const auto& reader : readers_) reader->consumed = reader->given;
  }

  std::uint64_t damaged() const { return damaged_; }

  Task<void> close() {
    tasks_.cancel();
    co_await tasks_.join();
    if (options_.store_offsets) co_await store_offsets();
    if (options_.ordered) co_await give_locks_back();
    co_await source_->close();
    co_await brokers_.close();
  }

 private:
  // One queue.
  struct Reader {
    explicit Reader(MessageQueue which) : queue(std::move(which)) {}

    MessageQueue queue;
    std::optional<QueueOffset> next;  // To be pulled next; none: not known yet.
    std::int64_t suggested_id = kMasterId;
    std::deque<ReceivedMessage> waiting;
    std::size_t waiting_bytes = 0;
    Event room;                           // Set when something was taken.
    std::optional<QueueOffset> given;     // Behind the last message that a poll gave.
    std::optional<QueueOffset> consumed;  // Behind the last one that counts as consumed.
    std::optional<QueueOffset> stored;    // As the broker has it from us.
    std::optional<MonotonicTime> locked;  // When it was last found to be ours alone.
  };

  bool may_read(const Reader& reader) const {
    if (!options_.ordered) return true;
    return reader.locked && context_.clock.now() - *reader.locked <= kLockLifetime;
  }

  LockBatch batch_of(const Reader& reader) const {
    return {.consumer_group = options_.consumer_group,
            .client_id = client_id_of(context_),
            .queues = {{reader.queue.broker_name, topic_, reader.queue.queue_id}}};
  }

  Task<void> keep_locks() {
    for (;;) {
      for (std::size_t i = 0; i < readers_.size(); ++i) {
        Reader& reader = *readers_[i];
        const std::optional<Endpoint> master = source_->master_of(reader.queue);
        if (!master) continue;
        const Deadline soon = context_.clock.now() + kLockTimeout;
        LockBatch wanted = batch_of(reader);
        Result<std::vector<LockQueue>> ours =
            co_await client_.lock(*master, std::move(wanted), soon);
        if (!ours) continue;  // It is not known: what was ours stays so for a while.
        reader.locked.reset();
        if (ours->empty()) continue;
        reader.locked = context_.clock.now();
        arrived_.set();  // What waits may be handed out.
      }
      Result<void> slept = co_await sleep_for(context_.clock, kLockInterval);
      if (!slept) co_return;
    }
  }

  Task<void> give_locks_back() {
    for (std::size_t i = 0; i < readers_.size(); ++i) {
      const std::optional<Endpoint> master = source_->master_of(readers_[i]->queue);
      if (!master || !may_read(*readers_[i])) continue;
      const Deadline soon = context_.clock.now() + kLockTimeout;
      LockBatch wanted = batch_of(*readers_[i]);
      [[maybe_unused]] Result<void> given =
          co_await client_.unlock(*master, std::move(wanted), soon);
    }
  }

  // Unless it has one.
  void add_reader(const MessageQueue& queue) {
    if (readers_.size() >= kRouteQueuesMax || !known_.insert(queue).second) return;
    readers_.push_back(std::make_unique<Reader>(queue));
    tasks_.spawn(read(*readers_.back()));
  }

  Task<void> read(Reader& reader) {
    while (!tasks_.cancelled()) {
      if (is_full(reader)) {
        reader.room.reset();
        Result<void> woken = co_await reader.room.wait();
        if (!woken) co_return;
        continue;
      }
      if (!may_read(reader)) {
        co_await rest(kUnlockedPause);
        continue;
      }
      const std::optional<Endpoint> broker = source_->broker_of(reader.queue, reader.suggested_id);
      if (!broker) {
        co_await source_->refresh(topic_);
        co_await rest(options_.retry_pause);
        continue;
      }
      const Duration pause = co_await step(reader, *broker);
      if (pause > Duration()) co_await rest(pause);
    }
  }

  // One request. Gives how long the queue should rest.
  Task<Duration> step(Reader& reader, Endpoint broker) {
    const QueueAt at{broker, topic_, reader.queue.queue_id};
    if (!reader.next) {
      const Deadline soon = context_.clock.now() + kSmallRequestTimeout;
      Result<QueueOffset> first = co_await client_.first_offset(at, options_.from, soon);
      if (!first) co_return options_.retry_pause;
      reader.next = *first;
      co_return Duration();
    }
    const Deadline deadline = context_.clock.now() + options_.request_timeout;
    PullOrder order{.queue = at, .from = *reader.next, .count_max = options_.batch};
    order.subscription = options_.subscription;
    order.suspend = options_.suspend;
    Result<PulledBatch> batch = co_await client_.pull(std::move(order), deadline);
    if (!batch) co_return options_.retry_pause;
    const bool moved = take_in(reader, *batch);
    co_return moved || batch->status == PullStatus::nothing_new ? Duration() : options_.idle_pause;
  }

  // True if the reader has come to another offset.
  bool take_in(Reader& reader, const PulledBatch& batch) {
    if (batch.status == PullStatus::offset_moved) {
      context_.observer.log(LogLevel::warning,
                            "queue " + std::to_string(reader.queue.queue_id) + " has no offset " +
                                std::to_string(reader.next->value()) + "; reading goes on at " +
                                std::to_string(batch.next.value()));
    }
    const bool moved = batch.next != *reader.next;
    ReadRecords read = read_records(batch.records, reader.queue, tags_);
    note_damage(read.damaged);
    for (ReceivedMessage& message : read.messages) {
      reader.waiting_bytes += message.record.size();
      reader.waiting.push_back(std::move(message));
    }
    reader.next = batch.next;
    reader.suggested_id = batch.suggested_broker_id;
    if (!reader.waiting.empty()) arrived_.set();
    return moved;
  }

  void note_damage(const std::vector<DamagedRecord>& damaged) {
    for (const DamagedRecord& record : damaged) {
      context_.observer.log(LogLevel::warning, describe(record));
    }
    damaged_ += damaged.size();
  }

  bool is_full(const Reader& reader) const {
    return reader.waiting.size() >= options_.waiting_messages_max ||
           reader.waiting_bytes >= options_.waiting_bytes_max;
  }

  Reader* next_with_messages() {
    for (std::size_t i = 0; i < readers_.size(); ++i) {
      turn_ = (turn_ + 1) % readers_.size();
      const Reader& reader = *readers_[turn_];
      if (!reader.waiting.empty() && may_read(reader)) return readers_[turn_].get();
    }
    return nullptr;
  }

  std::vector<ReceivedMessage> take(Reader& reader, std::size_t count_max) {
    std::vector<ReceivedMessage> messages;
    while (!reader.waiting.empty() && messages.size() < count_max) {
      reader.waiting_bytes -= reader.waiting.front().record.size();
      messages.push_back(std::move(reader.waiting.front()));
      reader.waiting.pop_front();
    }
    reader.given = messages.back().queue_offset + 1;
    reader.room.set();
    return messages;
  }

  Task<void> look_for_queues() {
    for (;;) {
      Result<void> slept = co_await sleep_for(context_.clock, options_.route_interval);
      if (!slept) co_return;
      const MessageQueues queues = source_->known_queues(topic_);
      for (const MessageQueue& queue : queues) add_reader(queue);
    }
  }

  Task<void> store_offsets_in_time() {
    Duration pause = kFirstOffsetStore;
    for (;;) {
      Result<void> slept = co_await sleep_for(context_.clock, pause);
      if (!slept) co_return;
      co_await store_offsets();
      pause = options_.offset_interval;
    }
  }

  // At the master, or at whom there is; readers_ may grow meanwhile.
  Task<void> store_offsets() {
    for (std::size_t i = 0; i < readers_.size(); ++i) {
      Reader& reader = *readers_[i];
      const std::optional<QueueOffset> consumed = reader.consumed;
      if (!consumed || reader.stored == consumed) continue;
      const std::optional<Endpoint> broker = source_->broker_of(reader.queue, kMasterId);
      if (!broker) continue;
      const QueueAt at{*broker, topic_, reader.queue.queue_id};
      const Deadline soon = context_.clock.now() + kSmallRequestTimeout;
      Result<void> stored = co_await client_.store_offset(at, *consumed, soon);
      if (stored) reader.stored = consumed;
    }
  }

  Task<void> rest(Duration length) {
    [[maybe_unused]] Result<void> slept = co_await sleep_for(context_.clock, length);
  }

  Context& context_;
  std::string topic_;
  PullConsumerOptions options_;
  TagSet tags_;  // Those of the subscription.
  BrokerConnections brokers_;
  QueueClient client_;
  std::unique_ptr<QueueSource> source_;
  std::vector<std::unique_ptr<Reader>> readers_;
  std::set<MessageQueue> known_;  // Their queues.
  std::size_t turn_ = 0;
  std::uint64_t damaged_ = 0;
  Event arrived_;
  TaskScope tasks_;  // Last: its tasks use all of the above.
};

PullConsumer::PullConsumer(Context& context, Endpoint broker, std::string topic,
                           PullConsumerOptions options)
    : implementation_(
          std::make_unique<Implementation>(context, std::move(topic), std::move(options))) {
  implementation_->read_from(broker);
}

PullConsumer::PullConsumer(Context& context, NameServers name_servers, std::string topic,
                           PullConsumerOptions options)
    : implementation_(
          std::make_unique<Implementation>(context, std::move(topic), std::move(options))) {
  implementation_->ask(std::move(name_servers));
}

PullConsumer::~PullConsumer() = default;

Task<Result<void>> PullConsumer::start(Deadline deadline) {
  return implementation_->start(deadline);
}

Task<Result<std::vector<ReceivedMessage>>> PullConsumer::poll(Deadline deadline,
                                                              std::size_t count_max) {
  return implementation_->poll(deadline, count_max);
}

void PullConsumer::note_consumed() { implementation_->note_consumed(); }

std::uint64_t PullConsumer::damaged() const { return implementation_->damaged(); }

Task<void> PullConsumer::close() { return implementation_->close(); }

}  // namespace drydock
