// raft-hb on the kernel: a process per node, its state machine driven by one coroutine that awaits
// the mailbox until the node's timer. A killed node's scope is destroyed, its frame with it.
#include "tests/bench/workloads/raft_hb.hpp"

#include <deque>
#include <vector>

#include "tests/bench/kernel/delivery_pool.hpp"
#include "tests/bench/kernel/mailbox.hpp"
#include "tests/bench/kernel/node_process.hpp"
#include "tests/bench/kernel/workloads.hpp"

namespace drydock::bench {
namespace {

class RaftCluster {
 public:
  RaftCluster(sim::Kernel& kernel, const RaftLoad& load)
      : kernel_(kernel),
        clock_(kernel, [](std::uint32_t) { return true; }),
        deadlines_(load.nodes, kNever),
        mailboxes_(load.nodes),
        network_(kernel, *this) {
    for (std::uint32_t id = 0; id < load.nodes; ++id) {
      nodes_.emplace_back(id, load.nodes, counts_);
      processes_.emplace_back(id, kernel, clock_);
    }
    for (std::uint32_t id = 0; id < load.nodes; ++id) {
      processes_[id].scope().spawn(run_node(id));
    }
    kernel_.after(killer_, Duration::ns(RaftLoad::kKillPeriodNs));
  }

  const RaftCounts& counts() const { return counts_; }

  void send(const RaftMessage& message) {
    network_.send(message, message.to, Duration::ns(RaftLoad::kLatencyNs));
  }
  void arm(std::uint32_t node, std::int64_t delay) {
    deadlines_[node] = clock_.now() + Duration::ns(delay);
  }
  void disarm(std::uint32_t node) { deadlines_[node] = kNever; }

  Waiter* const* waiter_of(const RaftMessage& message) const {
    return mailboxes_[message.to].receiver();
  }
  // Called by the network. What arrives at a dead node is lost.
  void deliver(const RaftMessage& message) {
    if (nodes_[message.to].alive()) mailboxes_[message.to].deliver(message);
  }

 private:
  Task<void> run_node(std::uint32_t id) {
    RaftNode& node = nodes_[id];
    node.start(*this);
    while (true) {
      Result<RaftMessage> received = co_await mailboxes_[id].receive(deadlines_[id]);
      if (received) {
        node.on_message(*received, *this);
      } else {
        node.on_timer(*this);
      }
    }
  }

  // Kills the leader every 30 s, and brings the victim back.
  class Killer : public Wakeup {
   public:
    explicit Killer(RaftCluster& cluster)
        : Wakeup(&Killer::on_run, EventKind::kill, 0), cluster_(cluster) {}

   private:
    static void on_run(Wakeup& wakeup) { static_cast<Killer&>(wakeup).cluster_.kill(); }
    RaftCluster& cluster_;
  };
  class Reviver : public Wakeup {
   public:
    explicit Reviver(RaftCluster& cluster)
        : Wakeup(&Reviver::on_run, EventKind::user, 0), cluster_(cluster) {}

   private:
    static void on_run(Wakeup& wakeup) { static_cast<Reviver&>(wakeup).cluster_.revive(); }
    RaftCluster& cluster_;
  };

  void kill() {
    kernel_.after(killer_, Duration::ns(RaftLoad::kKillPeriodNs));
    victim_ = kill_leader(nodes_, *this);
    if (victim_ == nodes_.size()) return;
    processes_[victim_].scope().destroy_tasks();
    kernel_.after(reviver_, Duration::ns(RaftLoad::kDownNs));
  }
  void revive() { processes_[victim_].scope().spawn(run_node(victim_)); }

  sim::Kernel& kernel_;
  sim::HostClock clock_;
  RaftCounts counts_;
  std::vector<RaftNode> nodes_;
  std::vector<Deadline> deadlines_;
  std::vector<Mailbox<RaftMessage>> mailboxes_;
  DeliveryPool<RaftCluster, RaftMessage> network_;
  std::uint32_t victim_ = 0;
  Killer killer_{*this};
  Reviver reviver_{*this};
  std::deque<NodeProcess> processes_;  // Last: their frames use all of the above.
};

}  // namespace

Record kernel_raft_hb(const Options& options) {
  const RaftLoad load{options.n, options.virtual_s};
  Record record;
  Stopwatch watch;
  sim::Kernel kernel({.seed = 1});
  prepare(kernel, options);
  RaftCluster cluster(kernel, load);
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
