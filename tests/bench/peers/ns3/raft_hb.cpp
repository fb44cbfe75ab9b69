// raft-hb on ns-3's core.
#include "tests/bench/workloads/raft_hb.hpp"

#include <ns3/core-module.h>

#include <vector>

#include "tests/bench/peers/ns3/workloads.hpp"

namespace drydock::bench {
namespace {

class RaftCluster {
 public:
  explicit RaftCluster(const RaftLoad& load) : timers_(load.nodes) {
    for (std::uint32_t id = 0; id < load.nodes; ++id) nodes_.emplace_back(id, load.nodes, counts_);
    for (RaftNode& node : nodes_) node.start(*this);
    ns3::Simulator::Schedule(ns3::NanoSeconds(RaftLoad::kKillPeriodNs), &RaftCluster::kill, this);
  }

  const RaftCounts& counts() const { return counts_; }

  void send(const RaftMessage& message) {
    ns3::Simulator::Schedule(ns3::NanoSeconds(RaftLoad::kLatencyNs), &RaftCluster::deliver, this,
                             message);
  }
  void arm(std::uint32_t node, std::int64_t delay) {
    timers_[node].Cancel();
    timers_[node] =
        ns3::Simulator::Schedule(ns3::NanoSeconds(delay), &RaftCluster::on_timer, this, node);
  }
  void disarm(std::uint32_t node) { timers_[node].Cancel(); }

 private:
  void deliver(RaftMessage message) { nodes_[message.to].on_message(message, *this); }
  void on_timer(std::uint32_t node) { nodes_[node].on_timer(*this); }

  void kill() {
    const std::uint32_t victim = kill_leader(nodes_, *this);
    if (victim < nodes_.size()) {
      ns3::Simulator::Schedule(ns3::NanoSeconds(RaftLoad::kDownNs), &RaftCluster::revive, this,
                               victim);
    }
    ns3::Simulator::Schedule(ns3::NanoSeconds(RaftLoad::kKillPeriodNs), &RaftCluster::kill, this);
  }
  void revive(std::uint32_t node) { nodes_[node].start(*this); }

  std::vector<ns3::EventId> timers_;
  std::vector<RaftNode> nodes_;
  RaftCounts counts_;
};

}  // namespace

Record ns3_raft_hb(const Options& options) {
  const RaftLoad load{options.n, options.virtual_s};
  Record record;
  Stopwatch watch;
  RaftCluster cluster(load);
  ns3::Simulator::Stop(ns3::NanoSeconds(load.end_ns()));
  watch.started();
  ns3::Simulator::Run();
  watch.finish(record);
  record.messages = cluster.counts().messages;
  record.elections = cluster.counts().elections;
  record.leaders = cluster.counts().leaders;
  record.events = ns3::Simulator::GetEventCount();
  record.virtual_s = static_cast<double>(load.virtual_s);
  return record;
}

}  // namespace drydock::bench
