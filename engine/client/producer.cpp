#include "engine/client/producer.hpp"

#include <algorithm>
#include <array>

#include "engine/client/routes.hpp"
#include "engine/client/send_outcome.hpp"
#include "engine/wire/message_properties.hpp"
#include "engine/wire/send_message.hpp"

namespace drydock {

namespace {

constexpr Duration kEarly = Duration::ms(10);  // When a buggify site makes an attempt impatient.
constexpr Duration kCloseIfLeft = Duration::ms(100);

// FNV-1a, 32 bits.
std::int32_t hash_of(std::string_view name) {
  std::uint32_t hash = 0x811c9dc5;
  for (const char c : name) hash = (hash ^ static_cast<std::uint8_t>(c)) * 0x01000193;
  return static_cast<std::int32_t>(hash);
}

}  // namespace

class Producer::Implementation {
 public:
  Implementation(Context& context, ProducerOptions options, std::string_view name)
      : context_(context),
        options_(std::move(options)),
        loader_(hash_of(name)),
        in_flight_(std::clamp<std::uint32_t>(options_.sends_in_flight_max, 1, kInFlightMax)),
        selector_(first_queue(context, name)),
        brokers_(context, {options_.connect_timeout, options_.reconnect_delay,
                           options_.reconnect_delay_max}) {}

  void send_to(Endpoint broker) { broker_ = broker; }
  void ask(NameServers name_servers) {
    ENSURE(!name_servers.endpoints.empty());
    const RouteOptions options{.name_servers = std::move(name_servers.endpoints),
                               .groups = {.producer_group = options_.producer_group},
                               .default_topic_queue_nums = options_.default_topic_queue_nums};
    routes_ = std::make_unique<Routes>(context_, options, brokers_);
    routes_->start();
  }

  Task<SendOutcome> send(OutgoingMessage message) {
    SendOutcome outcome;
    const Deadline deadline = context_.clock.now() + options_.send_timeout;
    Result<Semaphore::Permit> slot = co_await in_flight_.acquire(1, deadline);
    if (!slot) {
      outcome.detail = slot.error().code() == ErrorCode::cancelled ? SendDetail::cancelled
                                                                   : SendDetail::not_sent_in_time;
      co_return outcome;
    }
    std::shared_ptr<const MessageQueues> queues;
    if (routes_ != nullptr) {
      std::shared_ptr<const MessageQueues> found = co_await routes_->find(topic_of(message));
      if (found->empty()) {
        outcome.detail = SendDetail::no_route;
        co_return outcome;
      }
      queues = std::move(found);
    }
    const MessageIdText unique_key = next_unique_key();
    std::string last_broker;
    for (int i = 0; i <= options_.retries; ++i) {
      if (context_.clock.now() >= deadline) break;
      const Target target = choose(message, queues.get(), last_broker);
      const bool last = i == options_.retries;
      AttemptResult attempt = co_await attempt_send(message, target, unique_key, deadline, last);
      const bool again = !last && retry_after(attempt.attempt);
      note_attempt(outcome, attempt);
      if (!again) break;
      last_broker = target.broker_name;
    }
    if (outcome.status == SendStatus::acked) {
      context_.observer.event(EventName::send_acknowledged, static_cast<std::int64_t>(message.key),
                              outcome.physical_offset->value());
    }
    co_return outcome;
  }

  Task<void> close() {
    if (routes_ != nullptr) co_await routes_->close();
    co_await brokers_.close();
  }

 private:
  // Heartbeats take a call of a connection, too.
  static constexpr std::uint32_t kInFlightMax = RequestConnection::kCallsMax - 1;

  // Where one attempt goes.
  struct Target {
    std::string broker_name;  // Empty without name servers.
    std::int32_t queue_id = 0;
    std::optional<Endpoint> broker;
  };

  static std::uint32_t first_queue(Context& context, std::string_view name) {
    RandomStream stream = context.random.stream("first-queue/" + std::string(name));
    return static_cast<std::uint32_t>(stream.next());
  }
  static std::string topic_of(const OutgoingMessage& message) {
    return std::string(as_text(message.topic.span()));
  }

  // The queue is chosen from the list that the send began with; its broker's address is the latest.
  Target choose(const OutgoingMessage& message, const MessageQueues* queues,
                std::string_view last_broker) {
    if (queues == nullptr) return {.queue_id = message.queue_id, .broker = broker_};
    const MessageQueue& queue = selector_.next(*queues, last_broker);
    return {queue.broker_name, queue.queue_id, routes_->master_of(queue.broker_name)};
  }

  Task<AttemptResult> attempt_send(const OutgoingMessage& message, Target target,
                                   const MessageIdText& unique_key, Deadline deadline, bool last) {
    AttemptResult result;
    result.attempt.id = ++attempts_;
    result.attempt.invoked = context_.clock.now();
    result.attempt.queue_id = target.queue_id;
    if (!target.broker) {
      result.attempt.detail = SendDetail::no_broker;
      result.attempt.completed = context_.clock.now();
      co_return result;
    }
    result.attempt.broker = *target.broker;
    RequestConnection& connection = brokers_.to(*target.broker);
    const Deadline limit = attempt_deadline(deadline, last);
    Result<void> ready = co_await connection.ready(limit);
    if (!ready) {
      result.attempt.detail = ready.error().code() == ErrorCode::cancelled
                                  ? SendDetail::cancelled
                                  : SendDetail::not_connected;
      result.attempt.completed = context_.clock.now();
      co_return result;
    }
    const Duration left = limit - context_.clock.now();
    RequestConnection::Call call(connection);
    connection.send(call, encode(message, unique_key, result.attempt, call.opaque()));
    Result<void> done = co_await call.done().wait(limit);
    result.attempt.completed = context_.clock.now();
    result.attempt.status = SendStatus::unknown;
    if (!done) {
      const bool cancelled = done.error().code() == ErrorCode::cancelled;
      result.attempt.detail = cancelled ? SendDetail::cancelled : SendDetail::timed_out;
      if (!cancelled) close_after_timeout(connection, left);
    } else if (call.state() == RequestConnection::Call::State::lost) {
      result.attempt.detail = SendDetail::connection_lost;
    } else {
      read_response(call.response(), result);
    }
    co_return result;
  }

  Deadline attempt_deadline(Deadline whole, bool last) {
    const MonotonicTime now = context_.clock.now();
    Deadline limit = whole;
    if (!last && options_.attempt_timeout) limit = std::min(limit, now + *options_.attempt_timeout);
    if (context_.chaos.fire(BuggifySite::client_retry_early)) limit = std::min(limit, now + kEarly);
    return limit;
  }

  // RocketMQ's client gives up the connection of a synchronous request that timed out, unless the
  // time it had was short (clientCloseSocketIfTimeout).
  void close_after_timeout(RequestConnection& connection, Duration had) const {
    if (!options_.close_connection_on_timeout) return;
    if (had > kCloseIfLeft || had > options_.send_timeout / 4) connection.disconnect();
  }

  SharedBytes encode(const OutgoingMessage& message, const MessageIdText& unique_key,
                     const SendAttempt& attempt, std::int32_t opaque) {
    const DecimalText key(message.key);
    const DecimalText attempt_text(attempt.id);
    const std::array<Property, 5> parts = {
        Property{property::kKeys, key.view()},
        Property{property::kTags, as_text(message.tags.span())},
        Property{property::kWait, message.wait_store_ok ? "true" : "false"},
        Property{property::kUniqueKey, view_of(unique_key)},
        Property{property::kAttempt, attempt_text.view()}};
    const SharedBytes properties = encode_properties(parts);
    SendMessageHeader header;
    header.producer_group = options_.producer_group;
    header.topic = as_text(message.topic.span());
    header.default_topic_queue_nums = options_.default_topic_queue_nums;
    header.queue_id = attempt.queue_id;
    header.born_timestamp_ms = context_.clock.wall_now().count_ms();
    header.properties = as_text(properties.span());
    const CommandHead head = request_head(RequestCode::send_message_v2, opaque);
    return encode_command(head, header, {}, message.body.span());
  }

  MessageIdText next_unique_key() {
    const UniqueKey key{.address = context_.network.address(),
                        .process = static_cast<std::int16_t>(context_.scope.process().id().value()),
                        .loader = loader_,
                        .made = context_.clock.wall_now(),
                        .counter = static_cast<std::int16_t>(sends_++)};
    return encode_unique_key(key);
  }

  Context& context_;
  ProducerOptions options_;
  std::int32_t loader_;
  std::uint64_t attempts_ = 0;
  std::uint16_t sends_ = 0;
  Semaphore in_flight_;
  QueueSelector selector_;
  BrokerConnections brokers_;
  Endpoint broker_;                 // Without name servers.
  std::unique_ptr<Routes> routes_;  // With them.
};

Producer::Producer(Context& context, Endpoint broker, ProducerOptions options,
                   std::string_view name)
    : implementation_(std::make_unique<Implementation>(context, std::move(options), name)) {
  implementation_->send_to(broker);
}

Producer::Producer(Context& context, NameServers name_servers, ProducerOptions options,
                   std::string_view name)
    : implementation_(std::make_unique<Implementation>(context, std::move(options), name)) {
  implementation_->ask(std::move(name_servers));
}

Producer::~Producer() = default;

Task<SendOutcome> Producer::send(OutgoingMessage message) {
  return implementation_->send(std::move(message));
}

Task<void> Producer::close() { return implementation_->close(); }

}  // namespace drydock
