#include "engine/client/queue_source.hpp"

namespace drydock {

QueueSource::QueueSource(BrokerConnections& brokers, Endpoint broker)
    : client_(brokers, {}), broker_(broker) {}

QueueSource::QueueSource(Context& context, BrokerConnections& brokers, RouteOptions options)
    : client_(brokers, {}),
      routes_(std::make_unique<Routes>(context, std::move(options), brokers)) {
  routes_->start();
}

Task<Result<MessageQueues>> QueueSource::queues_of(std::string topic, Deadline deadline) {
  if (routes_ != nullptr) {
    std::shared_ptr<const MessageQueues> queues = co_await routes_->find_readable(topic, deadline);
    if (queues->empty()) co_return ErrorCode::not_found;
    co_return *queues;
  }
  Result<std::int32_t> count = co_await client_.read_queues(broker_, topic, deadline);
  if (!count) co_return count.error();
  MessageQueues queues;
  for (std::int32_t i = 0; i < *count; ++i) queues.push_back(MessageQueue{{}, i});
  co_return queues;
}

MessageQueues QueueSource::known_queues(std::string_view topic) const {
  if (routes_ == nullptr) return {};
  return *routes_->readable(topic);
}

std::optional<Endpoint> QueueSource::broker_of(const MessageQueue& queue,
                                               std::int64_t suggested_id) const {
  if (routes_ == nullptr) return broker_;
  return routes_->broker_of(queue.broker_name, suggested_id);
}

std::optional<Endpoint> QueueSource::master_of(const MessageQueue& queue) const {
  return routes_ == nullptr ? broker_ : routes_->master_of(queue.broker_name);
}

Task<void> QueueSource::refresh(std::string topic) {
  if (routes_ != nullptr) co_await routes_->refresh(topic);
}

Task<void> QueueSource::close() {
  if (routes_ != nullptr) co_await routes_->close();
}

}  // namespace drydock
