// sim/net models TCP between simulated hosts: what a process sees through
// engine/runtime/network.hpp when links are slow, lossy or cut, when hosts go dark and when
// processes die.
//
//   link           one direction between two hosts: latency, bandwidth, loss, cuts
//   segment        what travels; one node that moves from list to list, never copied
//   receiver       receiving half of a socket: order, receive window, what is unread
//   sender         sending half: send buffer, window, acknowledgements, retransmission
//   socket         one end of a connection: handshake, closing, resets, keep-alive
//   connection     the two ends; what the simulator knows and neither end does
//   host_stack     a host's kernel: its ports and links
//   stream, listener, process_network    what a process holds: the interfaces of the seam
//   network        the whole: hosts, link profiles, and the faults of the family `net`
//
// One event per segment. The simulator knows the fate of a segment that its sender doesn't, and
// uses that: an acknowledgement is a note in the sender's list, dated for when it would arrive, and
// is looked at when the sender next does something; it becomes an event only if somebody waits for
// it. A retransmission timer runs only once something is known to be lost. So a connection in good
// health costs one event per segment, and an idle one none.
//
// What is modelled, with Linux's constants: handshake with its retries and backlog; send buffer,
// receive window, zero-window probes; exponential back-off of retransmission and its end after
// tcp_retries2; FIN, RST and their loss; orphaned sockets; keep-alive. A lost segment costs time,
// never bytes, and what follows it waits for it.
//
// What is not: congestion control and slow start (the receive window alone limits what is under
// way), fast retransmit (a loss always costs a retransmission time-out, which is pessimistic for
// bulk streams), delayed acknowledgements, headers on the wire, loss of a lone acknowledgement
// (they are cumulative), TIME_WAIT, and queues that overflow (a slow link queues what its senders'
// windows allow, first come first served). Network timers run on virtual time: drift of a host's
// clock moves its processes' deadlines, not its kernel's network timers.
//
// This file: links.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/types/ids.hpp"
#include "sim/kernel/kernel.hpp"
#include "sim/kernel/quantile_table.hpp"

namespace drydock::sim {

// One direction of a pair of hosts.
struct LinkProfile {
  QuantileTable latency;                   // From leaving the sender's queue to arrival.
  std::int64_t bandwidth_bytes_per_s = 0;  // 0: without limit.
  std::uint32_t loss_ppm = 0;              // Lost segments per million.

  // Two machines of one zone of a data centre: 10 Gb/s, median 100 us. Assumed.
  static LinkProfile same_zone();
  // Through the loopback device of one machine. Assumed.
  static LinkProfile loopback();
};

// A class of traffic: connections to any of these server ports, both their directions. Empty: all.
struct TrafficFilter {
  std::vector<std::uint16_t> ports;
};

class Link {
 public:
  Link(const Kernel& kernel, HostId from, HostId to, const LinkProfile& profile);

  const LinkProfile& profile() const { return profile_; }
  // For what is sent from now on; what is under way or queued keeps its time.
  void set_profile(const LinkProfile& profile);

  // Queues `bytes` behind what is being sent. Returns when their last byte has left, virtual ns.
  std::int64_t depart(std::int64_t now, std::size_t bytes) {
    if (profile_.bandwidth_bytes_per_s == 0) return now;
    free_at_ = std::max(free_at_, now) + transmit_ns(static_cast<std::int64_t>(bytes));
    return free_at_;
  }
  // The sending host goes dark, and with it what its network card has queued.
  void go_dark(std::int64_t now) {
    dark_at_ = now;
    free_at_ = std::min(free_at_, now);
  }
  // Whether what was queued at `sent_at`, to leave at `departs_at`, still waited in the card then.
  bool died_in_queue(std::int64_t sent_at, std::int64_t departs_at) const {
    return sent_at <= dark_at_ && departs_at > dark_at_;
  }
  // Draws whether the next segment is lost.
  bool loses() {
    return profile_.loss_ppm != 0 && losses_.chance(profile_.loss_ppm, QuantileTable::kMillion);
  }
  // Draws the latency of the next segment.
  std::int64_t latency_ns() { return profile_.latency.draw(latencies_).count_ns(); }
  // What the model takes for an acknowledgement's journey, which draws nothing.
  std::int64_t median_ns() const { return median_ns_; }

  // Cuts nest: a link is cut for a port while any cut that covers the port lasts.
  void begin_cut(const TrafficFilter& filter);
  void end_cut(const TrafficFilter& filter);
  bool cut(std::uint16_t server_port) const {
    if (cuts_ == 0) [[likely]]
      return false;
    return cut_for_port(server_port);
  }

 private:
  struct PortCut {
    std::uint16_t port;
    std::uint32_t count;
  };

  // Time on the wire, rounded up.
  std::int64_t transmit_ns(std::int64_t bytes) const {
    constexpr std::int64_t kBillion = 1'000'000'000;
    const std::int64_t rate = profile_.bandwidth_bytes_per_s;
    return (bytes * kBillion + rate - 1) / rate;
  }
  bool cut_for_port(std::uint16_t server_port) const;
  std::uint32_t& cuts_of(std::uint16_t port);

  std::uint32_t cuts_ = 0;  // All of them.
  std::uint32_t cuts_of_all_traffic_ = 0;
  std::int64_t free_at_ = 0;
  std::int64_t dark_at_ = -1;  // When the host last lost its power or panicked; -1: never.
  std::int64_t median_ns_ = 0;
  LinkProfile profile_;
  RandomStream latencies_;
  RandomStream losses_;  // Of their own: switching loss on moves no latency.
  std::vector<PortCut> port_cuts_;
};

}  // namespace drydock::sim
