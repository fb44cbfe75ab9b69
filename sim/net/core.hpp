// What all parts of a simulated network share.
#pragma once

#include <cstdint>

#include "sim/kernel/kernel.hpp"
#include "sim/net/link.hpp"
#include "sim/net/segment.hpp"

namespace drydock::sim {

// Sizes are of payload. Linux counts its buffers with their overhead; the defaults are where its
// automatic tuning ends. Source: tcp(7), kernel documentation ip-sysctl.
struct NetworkOptions {
  LinkProfile link = LinkProfile::same_zone();
  LinkProfile loopback = LinkProfile::loopback();
  std::int64_t send_buffer_bytes = 4 * 1024 * 1024;     // net.ipv4.tcp_wmem, its maximum.
  std::int64_t receive_window_bytes = 3 * 1024 * 1024;  // Half of tcp_rmem's maximum:
                                                        // tcp_adv_win_scale 1 keeps the other half
                                                        // for overhead.
  std::uint32_t backlog = 128;                          // As the seam promises.
};

// Retransmission, in Linux's figures (include/net/tcp.h; net/ipv4/tcp_timer.c).
inline constexpr Duration kRetransmitMin = Duration::ms(200);  // TCP_RTO_MIN
inline constexpr Duration kRetransmitMax = Duration::s(120);   // TCP_RTO_MAX
// Silence after which a connection breaks: 15 retransmissions (tcp_retries2), first at 200 ms.
inline constexpr Duration kGiveUpAfter = Duration::ms(924'600);
// The same for a socket that no process holds any more: 8 (tcp_orphan_retries 0 means 8).
inline constexpr Duration kOrphanGiveUpAfter = Duration::ms(102'200);
inline constexpr Duration kHandshakeRetry = Duration::s(1);  // TCP_TIMEOUT_INIT, doubling.
inline constexpr int kSynRetries = 6;                        // tcp_syn_retries: 127 s in all.
inline constexpr int kSynAckRetries = 5;                     // tcp_synack_retries: 63 s in all.

struct NetworkCounters {
  std::uint64_t sent = 0;           // Segments, all kinds, also those that were lost.
  std::uint64_t lost = 0;           // By loss, by a cut, or at a dark host.
  std::uint64_t retransmitted = 0;  // Segments sent again, and probes.
  std::uint64_t resets = 0;         // RST segments sent.
};

struct NetworkCore {
  NetworkCore(Kernel& the_kernel, NetworkOptions the_options)
      : kernel(the_kernel), options(std::move(the_options)) {}

  Kernel& kernel;
  const NetworkOptions options;
  NetworkCounters counters;
  SegmentPool segments;
  IntrusiveList connections;  // By id.
  std::uint32_t connections_made = 0;
  std::uint32_t held_by_processes = 0;  // Streams and listeners.
};

}  // namespace drydock::sim
