#include "sim/net/network.hpp"

#include <set>

#include "sim/net/process_network.hpp"

namespace drydock::sim {
namespace {

constexpr std::uint32_t kLoopbackNet = 127;  // 127.0.0.0/8

}  // namespace

SimNetwork::SimNetwork(Kernel& kernel, NetworkOptions options) : core_(kernel, std::move(options)) {
  ENSURE(core_.options.send_buffer_bytes > 0);
  ENSURE(core_.options.receive_window_bytes > 0);
}

SimNetwork::~SimNetwork() {
  ENSURE(core_.held_by_processes == 0);  // Hosts go before their network.
  for_each_connection([](Connection& connection) { delete &connection; });
}

void SimNetwork::add_host(Host& host) {
  const auto index = static_cast<std::uint32_t>(stacks_.size());
  stacks_.push_back(std::make_unique<HostStack>(core_, host, index));
  const bool new_id = by_id_.emplace(host.id(), stacks_.back().get()).second;
  const bool new_address = by_address_.emplace(host.address(), stacks_.back().get()).second;
  ENSURE(new_id);
  ENSURE(new_address);
  host.add_listener(*this);
}

std::unique_ptr<Network> SimNetwork::attach(Host& host, SimProcess& process) {
  return std::make_unique<ProcessNetwork>(*this, stack(host.id()), process);
}

HostStack& SimNetwork::stack(HostId host) const {
  const auto found = by_id_.find(host);
  ENSURE(found != by_id_.end());
  return *found->second;
}

HostStack* SimNetwork::find(std::uint32_t address, HostStack& asking) {
  if (address >> 24 == kLoopbackNet) return &asking;
  const auto found = by_address_.find(address);
  return found == by_address_.end() ? nullptr : found->second;
}

Socket& SimNetwork::open(HostStack& client, HostStack& server, Endpoint to) {
  const Endpoint from{&client == &server ? to.address : client.address(), client.pick_port()};
  return (new Connection(core_, client, server, from, to))->client();
}

template <class Visit>
void SimNetwork::for_each_connection(Visit visit) {
  if (core_.connections.empty()) return;
  ListLink* next = nullptr;
  for (ListLink* link = core_.connections.front(); link != nullptr; link = next) {
    next = core_.connections.after(link);
    visit(static_cast<Connection&>(*link));
  }
}

std::size_t SimNetwork::count_connections() {
  std::size_t count = 0;
  for_each_connection([&](Connection&) { ++count; });
  return count;
}

void SimNetwork::set_link(HostId from, HostId to, const LinkProfile& profile) {
  stack(from).link_to(stack(to)).set_profile(profile);
}

const LinkProfile& SimNetwork::link(HostId from, HostId to) {
  return stack(from).link_to(stack(to)).profile();
}

CutId SimNetwork::cut(std::span<const HostId> from, std::span<const HostId> to, Direction direction,
                      const TrafficFilter& filter) {
  std::set<std::pair<HostId, HostId>> pairs;
  for (const HostId a : from) {
    for (const HostId b : to) {
      if (a == b) continue;
      pairs.emplace(a, b);
      if (direction == Direction::both) pairs.emplace(b, a);
    }
  }
  Cut cut{.filter = filter};
  for (const auto& [a, b] : pairs) cut.links.push_back(&stack(a).link_to(stack(b)));
  for (Link* link : cut.links) link->begin_cut(filter);
  for_each_connection([](Connection& connection) {
    for (Socket* socket : {&connection.client(), &connection.server()}) {
      // Its peer's acknowledgements are what it would have heard.
      if (socket->peer().out().cut(connection.server_port())) {
        socket->sender().lose_acknowledgements();
      }
    }
  });
  last_cut_ = last_cut_.next();
  cuts_.emplace(last_cut_, std::move(cut));
  return last_cut_;
}

void SimNetwork::heal(CutId id) {
  const auto found = cuts_.find(id);
  if (found == cuts_.end()) return;
  end_cut(found->second);
  cuts_.erase(found);
}

void SimNetwork::heal_all() {
  for (const auto& [id, cut] : cuts_) end_cut(cut);
  cuts_.clear();
}

void SimNetwork::end_cut(const Cut& cut) {
  for (Link* link : cut.links) link->end_cut(cut.filter);
}

void SimNetwork::reset_connections(HostId a, HostId b) {
  for_each_connection([&](Connection& connection) {
    const HostId client = connection.client().host().id();
    const HostId server = connection.server().host().id();
    const bool between = (client == a && server == b) || (client == b && server == a);
    if (!between) return;
    for (Socket* socket : {&connection.client(), &connection.server()}) {
      if (socket->state() == Socket::State::established) socket->fail(ErrorCode::connection_reset);
    }
  });
}

void SimNetwork::power_lost(Host& host) {
  stack(host.id()).go_dark(core_.kernel.now());
  for_each_connection([&](Connection& connection) {
    for (Socket* socket : {&connection.client(), &connection.server()}) {
      if (socket->host().id() == host.id()) socket->go_dark();
    }
  });
}

}  // namespace drydock::sim
