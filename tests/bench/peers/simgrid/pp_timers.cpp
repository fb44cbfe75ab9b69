// pp-timers on SimGrid: an actor per node, `get` with a time-out on the node's mailbox. All even
// nodes live on one host, all odd ones on another; the link between them has 1 ms of latency and is
// not shared.
#include "tests/bench/workloads/pp_timers.hpp"

#include <deque>
#include <simgrid/s4u.hpp>

#include "tests/bench/peers/simgrid/workloads.hpp"

namespace drydock::bench {
namespace {

namespace sg4 = simgrid::s4u;

class PingPongWorld {
 public:
  PingPongWorld(const PingPong& load, sg4::Host* even, sg4::Host* odd) {
    for (std::uint32_t id = 0; id < load.nodes; ++id) {
      nodes_.push_back(Node{sg4::Mailbox::by_name(std::to_string(id)), LossRule(id), load.rounds});
    }
    for (std::uint32_t id = 0; id < load.nodes; ++id) {
      sg4::Actor::create(std::to_string(id), PingPong::is_initiator(id) ? even : odd,
                         [this, id] { play(id); });
    }
  }

  std::uint64_t messages() const { return messages_; }
  std::uint64_t timeouts() const { return timeouts_; }

 private:
  struct Node {
    sg4::Mailbox* mailbox;
    LossRule loss;
    std::uint32_t rounds_left;
  };

  void play(std::uint32_t id) {
    sg4::this_actor::sleep_until(static_cast<double>(PingPong::start_ns(id)) * 1e-9);
    Node& node = nodes_[id];
    const bool initiator = PingPong::is_initiator(id);
    while (node.rounds_left > 0) {
      if (initiator && !node.loss.loses_next()) send_to_peer(id);
      if (!receive(node)) {
        ++timeouts_;
        continue;
      }
      ++messages_;
      --node.rounds_left;
      if (!initiator) send_to_peer(id);
    }
  }

  bool receive(Node& node) {
    try {
      node.mailbox->get<Node>(static_cast<double>(PingPong::kTimeoutNs) * 1e-9);
      return true;
    } catch (const simgrid::TimeoutException&) {
      return false;
    }
  }

  void send_to_peer(std::uint32_t id) {
    nodes_[PingPong::peer(id)].mailbox->put_init(&nodes_[id], 1)->detach();
  }

  std::deque<Node> nodes_;
  std::uint64_t messages_ = 0;
  std::uint64_t timeouts_ = 0;
};

}  // namespace

Record simgrid_pp_timers(const Options& options, sg4::Engine& engine) {
  Record record;
  Stopwatch watch;
  auto* zone = sg4::create_full_zone("world");
  auto* even = zone->create_host("even", 1e9);
  auto* odd = zone->create_host("odd", 1e9);
  auto* link = zone->create_link("link", 1e15)
                   ->set_latency(static_cast<double>(PingPong::kLatencyNs) * 1e-9)
                   ->set_sharing_policy(sg4::Link::SharingPolicy::FATPIPE)
                   ->seal();
  zone->add_route(even->get_netpoint(), odd->get_netpoint(), nullptr, nullptr,
                  {sg4::LinkInRoute(link)}, true);
  zone->seal();
  PingPongWorld world(PingPong(options.n, options.messages), even, odd);
  watch.started();
  engine.run();
  watch.finish(record);
  record.messages = world.messages();
  record.timeouts = world.timeouts();
  record.virtual_s = sg4::Engine::get_clock();
  return record;
}

}  // namespace drydock::bench
