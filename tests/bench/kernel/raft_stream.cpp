// raft-hb through the seam: a host and a process per node, a connection per pair of nodes, messages
// of eight bytes written to streams and read from them. The state machine, its generator and the
// counts are those of the other contestants.
//
// A killed node's process dies with its sockets. Its successor is started 10 ms before the node's
// return, so that its connections stand when it returns; what reaches it before is dropped, as at a
// dead node. So the counts stay equal to those of kernels without a network.
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "sim/net/network.hpp"
#include "tests/bench/kernel/workloads.hpp"
#include "tests/bench/workloads/raft_hb.hpp"
#include "tests/support/no_services.hpp"

namespace drydock::bench {
namespace {

constexpr std::uint16_t kPort = 10'000;
constexpr std::size_t kReadBytesMax = 64 * sizeof(RaftMessage);

SharedBytes encode(const RaftMessage& message) {
  return SharedBytes::copy_of(std::as_bytes(std::span(&message, 1)));
}

// What a node's process holds; it lives in the frame of the process's main coroutine.
struct Session {
  explicit Session(std::size_t nodes) : streams(nodes) {}

  std::vector<std::unique_ptr<Stream>> streams;  // By peer; null while there is none.
  std::vector<RaftMessage> outbox;               // Decided, not written yet.
  Event rearmed;
  Deadline sleeps_until = kNever;
};

class StreamCluster {
 public:
  StreamCluster(sim::Kernel& kernel, const RaftLoad& load)
      : kernel_(kernel),
        network_(kernel, options()),
        deadlines_(load.nodes, kNever),
        sessions_(load.nodes),
        processes_(load.nodes) {
    for (std::uint32_t id = 0; id < load.nodes; ++id) {
      nodes_.emplace_back(id, load.nodes, counts_);
      const sim::HostOptions host{.name = "h" + std::to_string(id), .address = address_of(id)};
      hosts_.push_back(std::make_unique<sim::Host>(kernel, HostId(id), host));
      network_.add_host(*hosts_.back());
    }
    for (std::uint32_t id = 0; id < load.nodes; ++id) start_process(id, id);
    for (RaftNode& node : nodes_) node.start(*this);
    kernel_.after(kill_, Duration::ns(RaftLoad::kKillPeriodNs));
  }

  const RaftCounts& counts() const { return counts_; }

  // The node's port.
  void send(const RaftMessage& message) { sessions_[message.from]->outbox.push_back(message); }
  void arm(std::uint32_t id, std::int64_t delay) {
    deadlines_[id] = MonotonicTime::at_ns(kernel_.now() + delay);
    Session* const session = sessions_[id];
    if (session != nullptr && deadlines_[id] < session->sleeps_until) session->rearmed.set();
  }
  void disarm(std::uint32_t id) { deadlines_[id] = kNever; }

 private:
  static constexpr std::int64_t kHeadStartNs = 10'000'000;

  static sim::NetworkOptions options() {
    const Duration latency = Duration::ns(RaftLoad::kLatencyNs);
    return {.link = {.latency = sim::QuantileTable::constant(latency)}};
  }
  static std::uint32_t address_of(std::uint32_t id) { return 0x0a000001 + id; }

  // It connects to the nodes before `connects_to`; those behind it connect to it.
  void start_process(std::uint32_t id, std::uint32_t connects_to) {
    sim::Host& host = *hosts_[id];
    sim::SimProcess& process = host.spawn("n" + std::to_string(++processes_started_));
    process.attach(network_.attach(host, process), std::make_unique<test::NoFiles>());
    process.start([this, id, connects_to](Context& context) {
      return run_process(context, id, connects_to);
    });
    processes_[id] = &process;
  }

  Task<void> run_process(Context& context, std::uint32_t id, std::uint32_t connects_to) {
    Session session(nodes_.size());
    sessions_[id] = &session;
    Result<std::unique_ptr<Listener>> listener = context.network.listen(kPort);
    ENSURE(listener.has_value());
    context.scope.spawn(run_timer(id, session));
    context.scope.spawn(run_acceptor(context, id, session, **listener));
    for (std::uint32_t peer = 0; peer < connects_to; ++peer) {
      if (peer != id) context.scope.spawn(connect(context, id, session, peer));
    }
    Result<void> told = co_await context.terminate.wait();
    ENSURE(told.has_value());
  }

  Task<void> connect(Context& context, std::uint32_t id, Session& session, std::uint32_t peer) {
    const Endpoint to{.address = address_of(peer), .port = kPort};
    const ConnectOptions options;
    Result<std::unique_ptr<Stream>> made = co_await context.network.connect(to, options);
    ENSURE(made.has_value());
    RaftMessage hello{};
    hello.from = static_cast<std::uint8_t>(id);
    Result<void> greeted = co_await (*made)->write(encode(hello));
    ENSURE(greeted.has_value());
    hold(context, id, session, peer, std::move(*made));
  }

  Task<void> run_acceptor(Context& context, std::uint32_t id, Session& session,
                          Listener& listener) {
    while (true) {
      Result<std::unique_ptr<Stream>> made = co_await listener.accept();
      ENSURE(made.has_value());
      Result<ByteChain> hello = co_await (*made)->read(sizeof(RaftMessage));
      ENSURE(hello.has_value());
      RaftMessage message{};
      hello->copy_to(0, std::as_writable_bytes(std::span(&message, 1)));
      hold(context, id, session, message.from, std::move(*made));
    }
  }

  void hold(Context& context, std::uint32_t id, Session& session, std::uint32_t peer,
            std::unique_ptr<Stream> stream) {
    ENSURE(session.streams[peer] == nullptr);
    session.streams[peer] = std::move(stream);
    context.scope.spawn(run_reader(id, session, peer));
  }

  Task<void> run_reader(std::uint32_t id, Session& session, std::uint32_t peer) {
    Stream& stream = *session.streams[peer];
    while (true) {
      Result<ByteChain> got = co_await stream.read(kReadBytesMax);
      if (!got) break;
      handle(id, *got);
      co_await write_out(session);
    }
    session.streams[peer].reset();
  }

  // Nothing is decided meanwhile: writes this small never wait.
  static Task<void> write_out(Session& session) {
    for (std::size_t i = 0; i < session.outbox.size(); ++i) {
      const RaftMessage message = session.outbox[i];
      Stream* const to = session.streams[message.to].get();
      if (to == nullptr) continue;
      Result<void> written = co_await to->write(encode(message));
      if (!written) continue;  // Its reader hears of it.
    }
    session.outbox.clear();
  }

  // Messages are written whole and never fill a buffer, so none is cut in two.
  void handle(std::uint32_t id, const ByteChain& bytes) {
    RaftMessage message{};
    for (std::size_t at = 0; at < bytes.size(); at += sizeof message) {
      bytes.copy_to(at, std::as_writable_bytes(std::span(&message, 1)));
      nodes_[id].on_message(message, *this);
    }
  }

  // Sleeps to the deadline as it was when it fell asleep; one that moved ahead meanwhile is slept
  // towards again, only an earlier one wakes it.
  Task<void> run_timer(std::uint32_t id, Session& session) {
    while (true) {
      session.sleeps_until = deadlines_[id];
      session.rearmed.reset();
      Result<void> moved = co_await session.rearmed.wait(session.sleeps_until);
      if (moved || kernel_.now() < deadlines_[id].count_ns()) continue;
      nodes_[id].on_timer(*this);
      co_await write_out(session);
    }
  }

  // A step of the load, as an event.
  class Step : public Wakeup {
   public:
    using Action = void (StreamCluster::*)();
    Step(StreamCluster& cluster, Action action)
        : Wakeup(&Step::on_run, EventKind::user, 0), cluster_(cluster), action_(action) {}

   private:
    static void on_run(Wakeup& wakeup) {
      auto& self = static_cast<Step&>(wakeup);
      (self.cluster_.*self.action_)();
    }
    StreamCluster& cluster_;
    Action action_;
  };

  void kill() {
    kernel_.after(kill_, Duration::ns(RaftLoad::kKillPeriodNs));
    victim_ = kill_leader(nodes_, *this);
    if (victim_ == nodes_.size()) return;
    sessions_[victim_] = nullptr;
    processes_[victim_]->kill();
    kernel_.after(prepare_, Duration::ns(RaftLoad::kDownNs - kHeadStartNs));
    kernel_.after(revive_, Duration::ns(RaftLoad::kDownNs));
  }
  void prepare() { start_process(victim_, static_cast<std::uint32_t>(nodes_.size())); }
  void revive() { nodes_[victim_].start(*this); }

  sim::Kernel& kernel_;
  sim::SimNetwork network_;
  RaftCounts counts_;
  std::vector<RaftNode> nodes_;
  std::vector<Deadline> deadlines_;
  std::vector<Session*> sessions_;  // Null while the node has no process that runs.
  std::vector<sim::SimProcess*> processes_;
  std::uint32_t processes_started_ = 0;
  std::uint32_t victim_ = 0;
  Step kill_{*this, &StreamCluster::kill};
  Step prepare_{*this, &StreamCluster::prepare};
  Step revive_{*this, &StreamCluster::revive};
  std::vector<std::unique_ptr<sim::Host>> hosts_;  // Last: their frames use all of the above.
};

}  // namespace

Record stream_raft_hb(const Options& options) {
  const RaftLoad load{options.n, options.virtual_s};
  Record record;
  Stopwatch watch;
  sim::Kernel kernel({.seed = 1});
  StreamCluster cluster(kernel, load);
  watch.started();
  kernel.run_until(load.end_ns() - 1);
  watch.finish(record);
  record.messages = cluster.counts().messages;
  record.elections = cluster.counts().elections;
  record.leaders = cluster.counts().leaders;
  take_totals(kernel, record);
  record.virtual_s = static_cast<double>(load.virtual_s);
  return record;
}

}  // namespace drydock::bench
