// pp-timers on ns-3's core.
#include "tests/bench/workloads/pp_timers.hpp"

#include <ns3/core-module.h>

#include <deque>

#include "tests/bench/peers/ns3/workloads.hpp"

namespace drydock::bench {
namespace {

struct Counts {
  std::uint64_t messages = 0;
  std::uint64_t timeouts = 0;
};

class Node {
 public:
  Node(std::uint32_t id, std::uint32_t rounds, Counts& counts)
      : counts_(counts), loss_(id), initiator_(PingPong::is_initiator(id)), rounds_left_(rounds) {}

  void set_peer(Node& peer) { peer_ = &peer; }

  void on_start() {
    if (initiator_) ping();
    wait();
  }

 private:
  void on_message() {
    timer_.Cancel();
    ++counts_.messages;
    const bool more = --rounds_left_ != 0;
    if (!initiator_) {
      send();
    } else if (more) {
      ping();
    }
    if (more) wait();
  }

  void on_timeout() {
    ++counts_.timeouts;
    if (initiator_) ping();
    wait();
  }

  void ping() {
    if (!loss_.loses_next()) send();
  }
  void send() {
    ns3::Simulator::Schedule(ns3::NanoSeconds(PingPong::kLatencyNs), &Node::on_message, peer_);
  }
  void wait() {
    timer_ =
        ns3::Simulator::Schedule(ns3::NanoSeconds(PingPong::kTimeoutNs), &Node::on_timeout, this);
  }

  Counts& counts_;
  Node* peer_ = nullptr;
  ns3::EventId timer_;
  LossRule loss_;
  bool initiator_;
  std::uint32_t rounds_left_;
};

}  // namespace

Record ns3_pp_timers(const Options& options) {
  const PingPong load(options.n, options.messages);
  Record record;
  Stopwatch watch;
  Counts counts;
  std::deque<Node> nodes;
  for (std::uint32_t id = 0; id < load.nodes; ++id) nodes.emplace_back(id, load.rounds, counts);
  for (std::uint32_t id = 0; id < load.nodes; ++id) {
    nodes[id].set_peer(nodes[PingPong::peer(id)]);
    ns3::Simulator::Schedule(ns3::NanoSeconds(PingPong::start_ns(id)), &Node::on_start, &nodes[id]);
  }
  watch.started();
  ns3::Simulator::Run();
  watch.finish(record);
  record.messages = counts.messages;
  record.timeouts = counts.timeouts;
  record.events = ns3::Simulator::GetEventCount();
  record.virtual_s = ns3::Simulator::Now().GetSeconds();
  return record;
}

}  // namespace drydock::bench
