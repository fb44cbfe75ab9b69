// The network of a simulated world: its hosts, its links, and what can be broken.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "engine/runtime/network.hpp"
#include "sim/host/host.hpp"
#include "sim/net/connection.hpp"
#include "sim/net/host_stack.hpp"

namespace drydock::sim {

enum class Direction : std::uint8_t { one_way, both };

// A cut that lasts; what `heal` takes.
using CutId = Id<struct CutTag>;

// Outlives its hosts and their processes; made before them.
class SimNetwork : public HostListener {
 public:
  explicit SimNetwork(Kernel& kernel, NetworkOptions options = {});
  ~SimNetwork() override;
  SimNetwork(const SimNetwork&) = delete;
  SimNetwork& operator=(const SimNetwork&) = delete;

  // Connects a host. Its address and its id are unique in this network.
  void add_host(Host& host);
  // The network of one process of a host that was added.
  std::unique_ptr<Network> attach(Host& host, SimProcess& process);

  // Sets one direction of a pair, before or during the run. A host's link to itself is its loopback
  // device.
  void set_link(HostId from, HostId to, const LinkProfile& profile);
  const LinkProfile& link(HostId from, HostId to);

  // From now on, and until it is healed, nothing that matches arrives: neither what is sent nor
  // what is under way. Nobody is told. Cuts nest; a host is never cut off from itself.
  CutId cut(std::span<const HostId> from, std::span<const HostId> to, Direction direction,
            const TrafficFilter& filter = {});
  // What was lost comes again as its senders retransmit. No effect if it was healed before.
  void heal(CutId cut);
  void heal_all();
  // Breaks every connection between the two for both ends, now and through any cut, as a middle box
  // that sends resets to both.
  void reset_connections(HostId a, HostId b);

  const NetworkCounters& counters() const { return core_.counters; }
  // Segments that wait, travel or are unread: 0 in a network at rest.
  std::size_t segments_in_use() const { return core_.segments.in_use(); }
  std::size_t connections() { return count_connections(); }

  // For the processes' networks. Null if nobody has the address.
  HostStack* find(std::uint32_t address, HostStack& asking);
  // The client's end of a new connection.
  Socket& open(HostStack& client, HostStack& server, Endpoint to);

  // HostListener.
  void power_lost(Host& host) override;
  void power_restored(Host&) override {}
  void process_ended(Host&, SimProcess&) override {}  // Its sockets closed with its frames.

 private:
  struct Cut {
    std::vector<Link*> links;
    TrafficFilter filter;
  };

  HostStack& stack(HostId host) const;
  std::size_t count_connections();
  template <class Visit>
  void for_each_connection(Visit visit);
  void end_cut(const Cut& cut);

  NetworkCore core_;
  std::vector<std::unique_ptr<HostStack>> stacks_;
  std::map<HostId, HostStack*> by_id_;
  std::map<std::uint32_t, HostStack*> by_address_;
  CutId last_cut_;
  std::map<CutId, Cut> cuts_;
};

}  // namespace drydock::sim
