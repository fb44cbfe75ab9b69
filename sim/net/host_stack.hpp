// The network part of a host's kernel: its ports and its links.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "sim/host/host.hpp"
#include "sim/net/core.hpp"

namespace drydock::sim {

class SimListener;

class HostStack {
 public:
  // `index`: its place among the network's hosts.
  HostStack(NetworkCore& core, Host& host, std::uint32_t index)
      : core_(core), host_(host), index_(index) {}

  NetworkCore& core() const { return core_; }
  HostId id() const { return host_.id(); }
  std::uint32_t address() const { return host_.address(); }
  bool powered() const { return host_.powered(); }

  // The link to another host, or to ourselves; made when it is first asked for.
  Link& link_to(const HostStack& to);
  // The host has lost its power: nothing that its network card has queued leaves it any more.
  void go_dark(std::int64_t now);

  // The listening socket of a port, or null.
  SimListener* listener(std::uint16_t port) const;
  void open_port(std::uint16_t port, SimListener& listener);
  void close_port(std::uint16_t port);
  // A port for a client, or for a listener that does not mind: in turn, passing over those that are
  // listened on. Source: net.ipv4.ip_local_port_range.
  std::uint16_t pick_port();

 private:
  static constexpr std::uint16_t kFirstPort = 32768;
  static constexpr std::uint16_t kLastPort = 60999;

  NetworkCore& core_;
  Host& host_;
  std::uint32_t index_;
  std::uint16_t next_port_ = kFirstPort;
  std::map<std::uint16_t, SimListener*> listeners_;
  std::vector<std::unique_ptr<Link>> links_;  // By the other host's index.
};

}  // namespace drydock::sim
