// bulk-link through the seam: per link a pair of hosts, one connection, and a process at either
// end. The source writes a burst whenever its time has come; the sink counts bytes.
#include "tests/bench/workloads/bulk_link.hpp"

#include <deque>
#include <memory>
#include <string>

#include "sim/net/network.hpp"
#include "tests/bench/kernel/workloads.hpp"
#include "tests/support/no_services.hpp"

namespace drydock::bench {
namespace {

constexpr std::uint16_t kPort = 10'000;
constexpr std::size_t kMessageBytes = BulkLink::kMessageBytes;

class LinkPair {
 public:
  // `number`: of the link, from 0.
  LinkPair(sim::Kernel& kernel, sim::SimNetwork& network, std::uint32_t number,
           const BulkLink& load)
      : kernel_(kernel), load_(load) {
    source_ = add_host(network, 2 * number);
    sink_ = add_host(network, 2 * number + 1);
    const sim::LinkProfile profile{
        .latency = sim::QuantileTable::constant(Duration::ns(load.latency_ns)),
        .bandwidth_bytes_per_s = load.bits_per_s / 8};
    network.set_link(source_->id(), sink_->id(), profile);
    network.set_link(sink_->id(), source_->id(), profile);
    start(network, *sink_, [this](Context& context) { return run_sink(context); });
    start(network, *source_, [this](Context& context) { return run_source(context); });
  }

  std::uint64_t delivered() const { return delivered_; }
  // Times count from the first hand-over, which has to wait for the connection.
  std::int64_t last_delivery() const { return last_delivery_ - first_burst_; }
  std::int64_t mean_sojourn() const { return sojourn_ / load_.messages; }

 private:
  std::unique_ptr<sim::Host> add_host(sim::SimNetwork& network, std::uint32_t id) {
    const sim::HostOptions options{.name = "h" + std::to_string(id), .address = 0x0a000001 + id};
    auto host = std::make_unique<sim::Host>(kernel_, HostId(id), options);
    network.add_host(*host);
    return host;
  }

  static void start(sim::SimNetwork& network, sim::Host& host, sim::Program program) {
    sim::SimProcess& process = host.spawn(host.name());
    process.attach(network.attach(host, process), std::make_unique<test::NoFiles>());
    process.start(std::move(program));
  }

  Task<void> run_source(Context& context) {
    const Endpoint to{.address = sink_->address(), .port = kPort};
    const ConnectOptions options;
    Result<std::unique_ptr<Stream>> stream = co_await context.network.connect(to, options);
    ENSURE(stream.has_value());
    const SharedBytes message = SharedBytes::zeros(kMessageBytes);
    first_burst_ = kernel_.now();
    for (std::int64_t burst = 0; burst < load_.burst_count(); ++burst) {
      const std::int64_t due = first_burst_ + burst * load_.burst_period_ns();
      Result<void> slept = co_await sleep_until(MonotonicTime::at_ns(due));
      ENSURE(slept.has_value());
      for (std::int64_t i = 0; i < BulkLink::kBurst; ++i) {
        handed_over_.push_back(kernel_.now());
        Result<void> written = co_await (*stream)->write(message);
        ENSURE(written.has_value());
      }
    }
    (*stream)->finish_writing();
    Result<ByteChain> closed = co_await (*stream)->read(1);
    ENSURE(!closed.has_value());
  }

  Task<void> run_sink(Context& context) {
    Result<std::unique_ptr<Listener>> listener = context.network.listen(kPort);
    ENSURE(listener.has_value());
    Result<std::unique_ptr<Stream>> stream = co_await (*listener)->accept();
    ENSURE(stream.has_value());
    std::size_t received = 0;
    while (true) {
      Result<ByteChain> got = co_await (*stream)->read(kMessageBytes);
      if (!got) break;
      received += got->size();
      if (received < kMessageBytes) continue;
      received -= kMessageBytes;
      last_delivery_ = kernel_.now();
      sojourn_ += last_delivery_ - handed_over_.front();
      handed_over_.pop_front();
      ++delivered_;
    }
  }

  sim::Kernel& kernel_;
  BulkLink load_;
  std::deque<std::int64_t> handed_over_;  // Of the messages under way.
  std::int64_t first_burst_ = 0;
  std::int64_t last_delivery_ = 0;
  std::int64_t sojourn_ = 0;
  std::uint64_t delivered_ = 0;
  std::unique_ptr<sim::Host> source_;  // Last: their frames use all of the above.
  std::unique_ptr<sim::Host> sink_;
};

}  // namespace

Record kernel_bulk_link(const Options& options) {
  const std::int64_t messages = BulkLink::messages_per_link(options.messages);
  Record record;
  Stopwatch watch;
  sim::Kernel kernel({.seed = 1});
  prepare(kernel, options);
  sim::SimNetwork network(kernel);
  LinkPair fast(kernel, network, 0, BulkLink::fast(messages));
  LinkPair slow(kernel, network, 1, BulkLink::slow(messages));
  watch.started();
  kernel.run_until_idle(kNever.count_ns());
  watch.finish(record);
  record.messages = fast.delivered() + slow.delivered();
  record.transfer_fast_ns = fast.last_delivery();
  record.transfer_slow_ns = slow.last_delivery();
  record.sojourn_fast_ns = fast.mean_sojourn();
  record.sojourn_slow_ns = slow.mean_sojourn();
  take_totals(kernel, record);
  return record;
}

}  // namespace drydock::bench
