#include "engine/broker/metrics_endpoint.hpp"

#include "engine/broker/metrics_text.hpp"
#include "engine/broker/topics.hpp"
#include "engine/runtime/join.hpp"

namespace drydock {

namespace {

constexpr Duration kPatience = Duration::s(10);
constexpr Duration kAcceptRetryPause = Duration::ms(100);
constexpr std::size_t kReadBytes = 4'096;
// What a client sends behind its request, at most.
constexpr std::size_t kDroppedBytesMax = 1 << 20;

std::string_view truth(bool value) { return value ? "true" : "false"; }

void add_puts(MetricsText& text, const StoreStats& stats) {
  text.family("drydock_put_messages_total", MetricKind::counter,
              "Puts by the time that they took, in RocketMQ's buckets.");
  for (std::size_t i = 0; i < PutTimes::kBuckets; ++i) {
    text.sample(stats.all_put_times().count(i), {{"took", PutTimes::label_of(i)}});
  }
  text.family("drydock_put_messages_failed_total", MetricKind::counter,
              "Puts of which the log took nothing.");
  text.sample(stats.put_failed_times());
}

void add_pool(MetricsText& text, const CommitLog& log) {
  text.family("drydock_transient_pool_free_buffers", MetricKind::gauge,
              "Buffers of the transient pool that no file of the log has.");
  text.sample(log.free_buffers());
  text.family("drydock_transient_pool_uncommitted_bytes", MetricKind::gauge,
              "Bytes of the log that no commit covers yet: they go with the process.");
  text.sample(log.uncommitted_bytes());
}

void add_traffic(MetricsText& text, const Traffic& traffic) {
  const auto in = [&](std::string_view name, std::string_view help, auto figure) {
    text.family(name, MetricKind::counter, help);
    for (const auto& [topic, count] : traffic.in()) {
      text.sample(figure(count), {{"topic", topic}, {"is_system", truth(is_system_topic(topic))}});
    }
  };
  const auto out = [&](std::string_view name, std::string_view help, auto figure) {
    text.family(name, MetricKind::counter, help);
    for (const auto& [group, topics] : traffic.out()) {
      for (const auto& [topic, count] : topics) {
        text.sample(figure(count), {{"topic", topic},
                                    {"consumer_group", group},
                                    {"is_retry", truth(topic.starts_with(kRetryTopicPrefix))},
                                    {"is_system", truth(is_system_topic(topic))}});
      }
    }
  };
  const auto messages = [](const Traffic::Count& count) { return count.messages; };
  const auto bytes = [](const Traffic::Count& count) { return count.bytes; };
  in("rocketmq_messages_in_total", "Messages that were sent and stored.", messages);
  in("rocketmq_throughput_in_total", "Bytes of their records.", bytes);
  out("rocketmq_messages_out_total", "Messages that pulls returned.", messages);
  out("rocketmq_throughput_out_total", "Bytes of their records.", bytes);
}

}  // namespace

MetricsEndpoint::MetricsEndpoint(Context& context, BrokerParts parts)
    : context_(context),
      parts_(parts),
      worker_(context.workers.add("PrometheusHttpServer")),
      acceptor_(context.scope),
      connections_(context.scope) {}

Result<void> MetricsEndpoint::listen(std::uint16_t port) {
  Result<std::unique_ptr<Listener>> listener = context_.network.listen(port);
  if (!listener) return listener.error();
  acceptor_.spawn(accept_connections(std::move(*listener)));
  return {};
}

Task<void> MetricsEndpoint::stop() {
  acceptor_.cancel();
  co_await acceptor_.join();
  connections_.cancel();
  co_await connections_.join();
}

Task<void> MetricsEndpoint::accept_connections(std::unique_ptr<Listener> listener) {
  for (;;) {
    Result<Semaphore::Permit> place = co_await places_.acquire();
    if (!place) co_return;
    Result<std::unique_ptr<Stream>> stream = co_await listener->accept();
    if (stream) {
      connections_.spawn(serve(std::move(*stream), std::move(*place)));
      continue;
    }
    if (stream.error().code() == ErrorCode::cancelled) co_return;
    Result<void> slept = co_await sleep_for(context_.clock, kAcceptRetryPause);
    if (!slept) co_return;
  }
}

Task<void> MetricsEndpoint::serve(std::unique_ptr<Stream> stream,
                                  [[maybe_unused]] Semaphore::Permit place) {
  const Deadline deadline = context_.clock.now() + kPatience;
  std::string received;
  HttpRequest request = HttpRequest::incomplete;
  while (request == HttpRequest::incomplete) {
    Result<ByteChain> bytes = co_await stream->read(kReadBytes, deadline);
    if (!bytes) co_return;
    received += as_text(bytes->flatten().span());
    request = read_http_request(received);
  }
  std::string metrics;
  if (request == HttpRequest::metrics || request == HttpRequest::metrics_head) {
    std::string all = co_await page();
    metrics = std::move(all);
  }
  SharedBytes response = SharedBytes::copy_of(http_response(request, metrics));
  Result<void> written = co_await stream->write(std::move(response), deadline);
  if (!written) co_return;
  stream->finish_writing();
  // A close with bytes unread would be a reset, which may overtake the answer.
  for (std::size_t dropped = 0; dropped < kDroppedBytesMax;) {
    Result<ByteChain> rest = co_await stream->read(kReadBytes, deadline);
    if (!rest) co_return;
    dropped += rest->size();
  }
}

Task<std::string> MetricsEndpoint::page() {
  Result<std::int64_t> earliest = co_await parts_.store.earliest_store_ms(worker_);
  const std::int64_t now_ms = context_.clock.wall_now().count_ms();
  const bool known = earliest.has_value() && *earliest > 0;
  const std::int64_t since_ms = known ? now_ms - *earliest : 0;
  std::string text = render(since_ms);
  co_return std::move(text);
}

std::string MetricsEndpoint::render(std::int64_t oldest_ms) const {
  const BrokerConfiguration& configuration = parts_.configuration;
  MessageStore& store = parts_.store;
  MetricsText text({{"cluster", configuration.broker_cluster_name},
                    {"node_type", "broker"},
                    {"node_id", configuration.broker_name}});
  text.family("rocketmq_processor_watermark", MetricKind::gauge,
              "Requests that wait for a thread of their pool.");
  const auto watermark = [&text](std::string_view name, const WorkerPool& pool) {
    text.sample(static_cast<std::int64_t>(pool.queued()), {{"processor", name}});
  };
  watermark("send", parts_.sends);
  watermark("pull", parts_.pulls);
  watermark("transaction", parts_.transaction_ends);
  add_traffic(text, parts_.traffic);

  const auto storage = [&text](std::string_view name, std::string_view help, std::int64_t value) {
    text.family(name, MetricKind::gauge, help);
    text.sample(value, {{"storage_type", "local"}, {"storage_medium", "disk"}});
  };
  const CommitLog& log = store.commit_log();
  storage("rocketmq_storage_flush_behind_bytes", "Bytes of the log that no flush covers yet.",
          log.max_offset() - log.flushed_to());
  storage("rocketmq_storage_dispatch_behind_bytes", "Bytes of the log that no queue leads to yet.",
          store.dispatch_behind());
  storage("rocketmq_storage_message_reserve_time",
          "Milliseconds since the oldest message was stored.", oldest_ms);

  text.family("drydock_page_cache_lock_time_milliseconds", MetricKind::gauge,
              "How long the present holder has had the put lock.");
  text.sample(log.lock_held_for().count_ms());
  if (configuration.store.has_transient_pool()) add_pool(text, log);
  add_puts(text, store.stats());
  return text.take();
}

}  // namespace drydock
