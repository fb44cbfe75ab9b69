// A process with a consumer on host 0, which reads the topic "orders" as long as the test lets the
// world run.
#pragma once

#include "engine/client/pull_consumer.hpp"
#include "tests/support/route_world.hpp"

namespace drydock::test {

class Consumer {
 public:
  // Reads the broker on host 1, or whatever `name_servers` say.
  explicit Consumer(BrokerWorld& world, PullConsumerOptions options = {},
                    std::vector<Endpoint> name_servers = {})
      : world_(world),
        options_(std::move(options)),
        name_servers_{std::move(name_servers)},
        process_(world.host(0).spawn("consumer" +
                                     std::to_string(world.host(0).clock().now().count_ns()))) {
    process_.attach(world.network.attach(world.host(0), process_), std::make_unique<NoFiles>());
    process_.start([this](Context& context) { return run(context); });
    world.run_for(Duration());
  }
  Consumer(const Consumer&) = delete;
  Consumer& operator=(const Consumer&) = delete;

  sim::SimProcess& process() { return process_; }
  std::optional<ErrorCode> start_error() const { return start_error_; }
  // While false, nothing is polled.
  bool polls = true;
  // In the order of arrival.
  std::vector<ReceivedMessage> received;
  std::vector<Duration> times;
  std::uint64_t damaged = 0;  // Records that were passed over.

  std::vector<std::uint64_t> keys() const {
    std::vector<std::uint64_t> all;
    for (const ReceivedMessage& message : received) {
      all.push_back(parse_decimal<std::uint64_t>(message.property("KEYS")).value_or(0));
    }
    return all;
  }
  std::vector<std::uint64_t> sorted_keys() const {
    std::vector<std::uint64_t> all = keys();
    std::ranges::sort(all);
    return all;
  }
  // Whether each queue came in its order, without a gap or a repetition.
  bool in_order() const {
    std::map<std::pair<std::string, std::int32_t>, QueueOffset> next;
    for (const ReceivedMessage& message : received) {
      const std::pair queue(message.queue.broker_name, message.queue.queue_id);
      const auto [entry, first] = next.emplace(queue, message.queue_offset);
      if (entry->second != message.queue_offset) return false;
      entry->second = message.queue_offset + 1;
    }
    return true;
  }

 private:
  Task<void> run(Context& context) {
    std::unique_ptr<PullConsumer> consumer =
        name_servers_.endpoints.empty()
            ? std::make_unique<PullConsumer>(context, BrokerWorld::broker_endpoint(), "orders",
                                             options_)
            : std::make_unique<PullConsumer>(context, name_servers_, "orders", options_);
    const Deadline patience = context.clock.now() + Duration::s(3);
    Result<void> started = co_await consumer->start(patience);
    if (!started) start_error_ = started.error().code();
    while (started && !context.terminate.is_set()) {
      const Deadline soon = context.clock.now() + Duration::ms(100);
      if (!polls) {
        Result<void> slept = co_await sleep_until(soon);
        if (!slept) co_return;
        continue;
      }
      Result<std::vector<ReceivedMessage>> messages = co_await consumer->poll(soon);
      damaged = consumer->damaged();
      if (!messages) continue;
      for (ReceivedMessage& message : *messages) {
        received.push_back(std::move(message));
        times.push_back(world_.now());
      }
    }
    consumer->note_consumed();
    co_await consumer->close();
  }

  BrokerWorld& world_;
  PullConsumerOptions options_;
  NameServers name_servers_;
  sim::SimProcess& process_;
  std::optional<ErrorCode> start_error_;
};

inline std::vector<std::uint64_t> numbers(std::uint64_t first, std::uint64_t last) {
  std::vector<std::uint64_t> all;
  for (std::uint64_t i = first; i <= last; ++i) all.push_back(i);
  return all;
}

}  // namespace drydock::test
