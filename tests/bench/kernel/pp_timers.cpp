// pp-timers on the kernel: each node is a coroutine that awaits its mailbox with a deadline.
#include "tests/bench/workloads/pp_timers.hpp"

#include <deque>

#include "engine/runtime/sync.hpp"
#include "tests/bench/kernel/delivery_pool.hpp"
#include "tests/bench/kernel/mailbox.hpp"
#include "tests/bench/kernel/node_process.hpp"
#include "tests/bench/kernel/workloads.hpp"

namespace drydock::bench {
namespace {

class PingPongWorld {
 public:
  PingPongWorld(sim::Kernel& kernel, const PingPong& load)
      : clock_(kernel, [](std::uint32_t) { return true; }),
        network_(kernel, *this),
        process_(1, kernel, clock_) {
    for (std::uint32_t id = 0; id < load.nodes; ++id) nodes_.emplace_back(id, load.rounds);
    for (std::uint32_t id = 0; id < load.nodes; ++id) process_.scope().spawn(play(id));
  }

  std::uint64_t messages() const { return messages_; }
  std::uint64_t timeouts() const { return timeouts_; }

  // Called by the network: `ball` says to whom.
  struct Ball {
    std::uint32_t to;
  };
  Waiter* const* waiter_of(Ball ball) const { return nodes_[ball.to].mailbox.receiver(); }
  void deliver(Ball ball) { nodes_[ball.to].mailbox.deliver(ball); }

 private:
  struct Node {
    Node(std::uint32_t id, std::uint32_t rounds) : loss(id), rounds_left(rounds) {}
    Mailbox<Ball> mailbox;
    LossRule loss;
    std::uint32_t rounds_left;
  };

  Task<void> play(std::uint32_t id) {
    const auto start = MonotonicTime::at_ns(PingPong::start_ns(id));
    Result<void> started = co_await sleep_until(start);
    ENSURE(started.has_value());
    Node& node = nodes_[id];
    const bool initiator = PingPong::is_initiator(id);
    while (node.rounds_left > 0) {
      if (initiator && !node.loss.loses_next()) send_to_peer(id);
      const Deadline deadline = clock_.now() + Duration::ns(PingPong::kTimeoutNs);
      Result<Ball> received = co_await node.mailbox.receive(deadline);
      if (!received) {
        ++timeouts_;
        continue;
      }
      ++messages_;
      --node.rounds_left;
      if (!initiator) send_to_peer(id);
    }
  }

  void send_to_peer(std::uint32_t id) {
    const std::uint32_t peer = PingPong::peer(id);
    network_.send(Ball{peer}, peer, Duration::ns(PingPong::kLatencyNs));
  }

  sim::HostClock clock_;
  DeliveryPool<PingPongWorld, Ball> network_;
  std::deque<Node> nodes_;
  std::uint64_t messages_ = 0;
  std::uint64_t timeouts_ = 0;
  NodeProcess process_;  // Last: its frames use all of the above.
};

}  // namespace

Record kernel_pp_timers(const Options& options) {
  Record record;
  Stopwatch watch;
  sim::Kernel kernel({.seed = 1});
  prepare(kernel, options);
  PingPongWorld world(kernel, PingPong(options.n, options.messages));
  watch.started();
  kernel.run_until_idle(kNever.count_ns());
  watch.finish(record);
  record.messages = world.messages();
  record.timeouts = world.timeouts();
  take_totals(kernel, record);
  return record;
}

}  // namespace drydock::bench
