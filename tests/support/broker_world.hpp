// A broker on host 1 with files in memory, a client on host 0 with a producer, 1 ms apart.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/broker/broker.hpp"
#include "engine/client/producer.hpp"
#include "engine/wire/message_properties.hpp"
#include "engine/wire/message_record.hpp"
#include "tests/support/bytes_text.hpp"
#include "tests/support/memory_files.hpp"
#include "tests/support/net_world.hpp"

namespace drydock::test {

struct Send {
  std::optional<SendOutcome> outcome;
  Duration at;
  bool done() const { return outcome.has_value(); }
  std::optional<SendStatus> status() const {
    if (!outcome) return std::nullopt;
    return outcome->status;
  }
  std::optional<SendDetail> detail() const {
    if (!outcome) return std::nullopt;
    return outcome->detail;
  }
};
using PendingSend = std::shared_ptr<Send>;

inline BrokerConfiguration small_broker() {
  BrokerConfiguration configuration;
  configuration.store.flush_disk_type = FlushDiskType::sync_flush;
  configuration.store.mapped_file_size_commit_log = 256 * 1024;
  configuration.store.mapped_file_size_consume_queue = 2000;
  configuration.store.index = {.slots = 64, .entries = 1000};
  return configuration;
}

inline OutgoingMessage outgoing(std::uint64_t key, std::string_view topic = "orders") {
  OutgoingMessage message;
  message.topic = SharedBytes::copy_of(topic);
  message.key = key;
  message.body = SharedBytes::copy_of("body of " + std::to_string(key));
  return message;
}

class BrokerWorld : public NetWorld {
 public:
  static constexpr std::uint16_t kBrokerPort = 10'911;

  explicit BrokerWorld(BrokerConfiguration broker = small_broker())
      : configuration(std::move(broker)) {
    files.clock = &host(1).clock();
    for (const std::size_t index : {0u, 1u}) {
      host(index).clock().set_wall_offset(1'700'000'000'000'000'000);
    }
    host(1).set_log_sink(
        [this](const std::string&, LogLevel, const std::string& line) { log.push_back(line); });
  }

  MemoryFiles files;
  BrokerConfiguration configuration;
  std::vector<std::string> log;  // Lines of the broker's host.

  static Endpoint broker_endpoint() { return endpoint(1, kBrokerPort); }
  std::uint64_t count(EventName name) { return kernel.triggers().occurrences(name); }

  sim::SimProcess& start_broker() {
    sim::SimProcess& process = host(1).spawn("broker" + std::to_string(brokers_++));
    process.attach(network.attach(host(1), process), files.attach());
    const BrokerConfiguration copy = configuration;
    process.start([copy](Context& context) { return run_broker(context, copy); });
    run_for(Duration());
    return process;
  }

  // The records of the first log file, as far as they are good.
  std::vector<std::string> stored_properties() {
    std::vector<std::string> all;
    std::span<const std::byte> rest(files.at("/store/commitlog/00000000000000000000").cached);
    for (;;) {
      RecordView view;
      const RecordCheck check =
          check_record(rest, static_cast<std::int64_t>(rest.size()), ContentCheck::body_crc, view);
      if (!check.good()) return all;
      all.emplace_back(as_text(view.properties));
      rest = rest.subspan(static_cast<std::size_t>(check.size));
    }
  }

 private:
  int brokers_ = 0;
};

// A process with a producer, which sends to the broker on host 1, or asks name servers where to.
class Client {
 public:
  explicit Client(BrokerWorld& world, ProducerOptions options = {},
                  std::vector<Endpoint> name_servers = {},
                  Endpoint broker = BrokerWorld::broker_endpoint())
      : world_(world),
        options_(std::move(options)),
        name_servers_{std::move(name_servers)},
        broker_(broker),
        process_(world.host(0).spawn("client")) {
    process_.attach(world.network.attach(world.host(0), process_), std::make_unique<NoFiles>());
    process_.start([this](Context& context) { return hold(context); });
    world.run_for(Duration());
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  sim::SimProcess& process() { return process_; }
  PendingSend send(OutgoingMessage message) {
    auto pending = std::make_shared<Send>();
    process_.context().scope.spawn(send_task(std::move(message), pending));
    return pending;
  }
  // A send that is expected to be over within 20 s.
  SendOutcome send_now(OutgoingMessage message) {
    const PendingSend pending = send(std::move(message));
    world_.run_for(Duration::s(20));
    ENSURE(pending->done());
    return *pending->outcome;
  }
  void close() {
    process_.context().scope.spawn(close_task());
    world_.run_for(Duration());
  }

 private:
  Task<void> hold(Context& context) {
    const std::unique_ptr<Producer> producer = make_producer(context);
    producer_ = producer.get();
    Result<void> told = co_await context.terminate.wait();
    ENSURE(told.has_value());
  }
  std::unique_ptr<Producer> make_producer(Context& context) const {
    if (name_servers_.endpoints.empty()) {
      return std::make_unique<Producer>(context, broker_, options_);
    }
    return std::make_unique<Producer>(context, name_servers_, options_);
  }
  Task<void> send_task(OutgoingMessage message, PendingSend pending) {
    SendOutcome outcome = co_await producer_->send(std::move(message));
    pending->at = world_.now();
    pending->outcome = std::move(outcome);
  }
  Task<void> close_task() { co_await producer_->close(); }

  BrokerWorld& world_;
  ProducerOptions options_;
  NameServers name_servers_;
  Endpoint broker_;  // Without name servers.
  sim::SimProcess& process_;
  Producer* producer_ = nullptr;
};

}  // namespace drydock::test
