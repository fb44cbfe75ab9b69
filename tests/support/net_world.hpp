// Hosts on a simulated network, with processes that do what the test tells them from outside: every
// call on a stream becomes a task of the process, and its outcome is noted with its time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/host/host.hpp"
#include "sim/net/network.hpp"
#include "tests/support/no_services.hpp"

namespace drydock::test {

// What came of a call: nothing yet, or a result and when.
template <class T>
struct Outcome {
  std::optional<Result<T>> result;
  Duration at;
  int times = 0;  // How often the call returned: 0 or 1.

  bool done() const { return result.has_value(); }
  bool ok() const { return done() && result->has_value(); }
  // The error, if the call is done and failed.
  std::optional<ErrorCode> error() const {
    if (!done() || result->has_value()) return std::nullopt;
    return result->error().code();
  }
  void note(Result<T> value, const sim::Kernel& kernel) {
    result.emplace(std::move(value));
    at = Duration::ns(kernel.now());
    ++times;
  }
};
template <class T>
using Pending = std::shared_ptr<Outcome<T>>;

inline std::string text_of(const ByteChain& chain) {
  const SharedBytes whole = chain.flatten();
  return std::string(reinterpret_cast<const char*>(whole.data()), whole.size());
}
inline std::string text_of(const Pending<ByteChain>& read) {
  return read->ok() ? text_of(**read->result) : "<nothing>";
}

// Calls, as tasks. They take part in no scope of their own.
inline Task<void> read_task(Stream& stream, std::size_t max_bytes, Deadline deadline,
                            Pending<ByteChain> outcome, const sim::Kernel& kernel) {
  Result<ByteChain> got = co_await stream.read(max_bytes, deadline);
  outcome->note(std::move(got), kernel);
}
inline Task<void> write_task(Stream& stream, SharedBytes bytes, Deadline deadline,
                             Pending<void> outcome, const sim::Kernel& kernel) {
  Result<void> written = co_await stream.write(bytes, deadline);
  outcome->note(written, kernel);
}
using Streams = std::vector<std::unique_ptr<Stream>>;
inline Task<void> connect_task(Network& network, Endpoint to, ConnectOptions options, Streams& into,
                               Pending<std::size_t> outcome, const sim::Kernel& kernel) {
  Result<std::unique_ptr<Stream>> made = co_await network.connect(to, options);
  if (made) into.push_back(std::move(*made));
  outcome->note(made ? Result<std::size_t>(into.size() - 1) : made.error(), kernel);
}
inline Task<void> accept_task(Listener& listener, Deadline deadline, Streams& into,
                              Pending<std::size_t> outcome, const sim::Kernel& kernel) {
  Result<std::unique_ptr<Stream>> made = co_await listener.accept(deadline);
  if (made) into.push_back(std::move(*made));
  outcome->note(made ? Result<std::size_t>(into.size() - 1) : made.error(), kernel);
}

// A process that obeys. Its streams and its listener belong to a frame of it, and go when it dies.
class Actor {
 public:
  Actor(sim::SimNetwork& network, sim::Host& host, std::string name)
      : host_(host), process_(host.spawn(std::move(name))) {
    process_.attach(network.attach(host, process_), std::make_unique<NoFiles>());
    process_.start([this](Context& context) { return hold(context); });
  }
  Actor(const Actor&) = delete;
  Actor& operator=(const Actor&) = delete;

  sim::Host& host() { return host_; }
  sim::SimProcess& process() { return process_; }
  Context& context() { return process_.context(); }
  // The scope of what it is told to do.
  TaskScope& tasks() { return holding_->tasks; }
  MonotonicTime in(Duration delay) { return host_.clock().now() + delay; }

  Result<void> listen(std::uint16_t port) {
    Result<std::unique_ptr<Listener>> made = context().network.listen(port);
    if (!made) return made.error();
    holding_->listener = std::move(*made);
    return {};
  }
  Listener& listener() { return *holding_->listener; }
  void stop_listening() { holding_->listener.reset(); }

  Pending<std::size_t> connect(Endpoint to, ConnectOptions options = {}) {
    auto outcome = std::make_shared<Outcome<std::size_t>>();
    tasks().spawn(
        connect_task(context().network, to, options, holding_->streams, outcome, host_.kernel()));
    return outcome;
  }
  Pending<std::size_t> accept(Deadline deadline = kNever) {
    auto outcome = std::make_shared<Outcome<std::size_t>>();
    tasks().spawn(accept_task(listener(), deadline, holding_->streams, outcome, host_.kernel()));
    return outcome;
  }
  Stream& stream(std::size_t index = 0) { return *holding_->streams.at(index); }
  void close(std::size_t index = 0) { holding_->streams.at(index).reset(); }

  Pending<ByteChain> read(std::size_t index = 0, std::size_t max_bytes = 1 << 30,
                          Deadline deadline = kNever) {
    return read_in(tasks(), index, max_bytes, deadline);
  }
  Pending<ByteChain> read_in(TaskScope& scope, std::size_t index = 0,
                             std::size_t max_bytes = 1 << 30, Deadline deadline = kNever) {
    auto outcome = std::make_shared<Outcome<ByteChain>>();
    scope.spawn(read_task(stream(index), max_bytes, deadline, outcome, host_.kernel()));
    return outcome;
  }
  Pending<void> write(SharedBytes bytes, std::size_t index = 0, Deadline deadline = kNever) {
    return write_in(tasks(), std::move(bytes), index, deadline);
  }
  Pending<void> write(std::string_view text, std::size_t index = 0) {
    return write(SharedBytes::copy_of(text), index);
  }
  Pending<void> write_in(TaskScope& scope, SharedBytes bytes, std::size_t index = 0,
                         Deadline deadline = kNever) {
    auto outcome = std::make_shared<Outcome<void>>();
    scope.spawn(write_task(stream(index), std::move(bytes), deadline, outcome, host_.kernel()));
    return outcome;
  }

 private:
  // A local of the process's main coroutine.
  struct Holding {
    explicit Holding(TaskScope& root) : tasks(root) {}
    Streams streams;
    std::unique_ptr<Listener> listener;
    TaskScope tasks;  // Last: they use the others.
  };

  Task<void> hold(Context& context) {
    Holding holding(context.scope);
    holding_ = &holding;
    Result<void> told = co_await context.terminate.wait();
    ENSURE(told.has_value());
  }

  sim::Host& host_;
  sim::SimProcess& process_;
  Holding* holding_ = nullptr;
};

// All links alike, with one latency and no limit: times can be worked out by hand.
inline sim::LinkProfile flat_link(Duration latency) {
  return {.latency = sim::QuantileTable::constant(latency)};
}
inline sim::NetworkOptions flat_network(Duration latency = Duration::ms(1)) {
  return {.link = flat_link(latency), .loopback = flat_link(Duration::us(10))};
}

class NetWorld {
 public:
  static constexpr std::uint16_t kPort = 9876;

  explicit NetWorld(sim::NetworkOptions options = flat_network(),
                    sim::KernelOptions kernel_options = {.seed = 1})
      : kernel(kernel_options), network(kernel, std::move(options)) {}

  sim::Kernel kernel;
  sim::SimNetwork network;
  int open_files_max = sim::HostOptions().open_files_max;  // Of hosts that are still to be made.

  // Hosts are 10.0.0.1, 10.0.0.2, …, made when they are first asked for.
  sim::Host& host(std::size_t index) {
    while (hosts_.size() <= index) {
      const auto number = static_cast<std::uint32_t>(hosts_.size());
      const sim::HostOptions options{.name = "h" + std::to_string(number),
                                     .address = address(number),
                                     .open_files_max = open_files_max};
      hosts_.push_back(std::make_unique<sim::Host>(kernel, HostId(number), options));
      network.add_host(*hosts_.back());
    }
    return *hosts_[index];
  }
  static std::uint32_t address(std::size_t index) {
    return 0x0a000001 + static_cast<std::uint32_t>(index);
  }
  static Endpoint endpoint(std::size_t index, std::uint16_t port = kPort) {
    return {address(index), port};
  }

  // A fresh process on a host, ready for orders.
  Actor& actor(std::size_t on) {
    actors_.push_back(
        std::make_unique<Actor>(network, host(on), "actor" + std::to_string(actors_.size())));
    run_for(Duration());
    return *actors_.back();
  }

  void run_for(Duration length) { kernel.run_until(kernel.now() + length.count_ns()); }
  void run_to(Duration time) { kernel.run_until(time.count_ns()); }
  Duration now() const { return Duration::ns(kernel.now()); }

  sim::CutId cut(std::size_t a, std::size_t b, sim::Direction direction = sim::Direction::both,
                 const sim::TrafficFilter& filter = {}) {
    const HostId from[] = {host(a).id()};
    const HostId to[] = {host(b).id()};
    return network.cut(from, to, direction, filter);
  }
  void set_links(const sim::LinkProfile& profile) {
    for (const auto& from : hosts_) {
      for (const auto& to : hosts_) network.set_link(from->id(), to->id(), profile);
    }
  }

 private:
  std::vector<std::unique_ptr<sim::Host>> hosts_;  // Behind the network: they go first.
  std::vector<std::unique_ptr<Actor>> actors_;
};

// A client on host 0 and a server on host 1, connected: each has stream 0.
class PairWorld : public NetWorld {
 public:
  explicit PairWorld(sim::NetworkOptions options = flat_network(),
                     sim::KernelOptions kernel_options = {.seed = 1}, ConnectOptions connect = {})
      : NetWorld(std::move(options), kernel_options), client(actor(0)), server(actor(1)) {
    const bool listening = server.listen(kPort).has_value();
    ENSURE(listening);
    const Pending<std::size_t> accepted = server.accept();
    const Pending<std::size_t> connected = client.connect(endpoint(1), connect);
    run_for(Duration::s(1));
    ENSURE(connected->ok());
    ENSURE(accepted->ok());
  }

  Actor& client;
  Actor& server;
};

}  // namespace drydock::test
