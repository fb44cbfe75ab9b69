// Workload pp-timers: N nodes in pairs play ping-pong, every wait guarded by a timer.
//
// The even node of a pair sends a ping, the odd one answers with a pong; a message takes 1 ms one
// way. Whoever waits arms a 50 ms timer first; the message cancels it or leaves it to go stale.
// Pairs start at different instants within the first millisecond.
//
// Every 1000th ping of a pair is lost, at a phase of the pair's own, so that time-outs happen and
// are part of the gate: both sides then time out, the odd node waits again, the even one repeats
// the ping. A lost ping delays its pair by 50 ms and no two events of a pair share an instant,
// hence the counts do not depend on how a kernel orders simultaneous events. The load ends when
// every pair has completed its rounds; nobody waits after the last round.
//
// Scored: delivered messages per CPU second. Gate: messages and time-outs equal in all kernels; the
// bare heap's equal expected_messages() and expected_timeouts().
#pragma once

#include <cstdint>

#include "tests/bench/workloads/draws.hpp"

namespace drydock::bench {

struct PingPong {
  static constexpr std::int64_t kLatencyNs = 1'000'000;
  static constexpr std::int64_t kTimeoutNs = 50'000'000;
  static constexpr std::int64_t kStartWindowNs = 1'000'000;
  static constexpr std::uint32_t kLossPeriod = 1000;

  PingPong(std::uint32_t node_count, std::uint64_t message_count)
      : nodes(node_count & ~1u), rounds(static_cast<std::uint32_t>(message_count / nodes)) {}

  std::uint32_t nodes;   // Even.
  std::uint32_t rounds;  // Completed pings and pongs per pair.

  static bool is_initiator(std::uint32_t node) { return (node & 1u) == 0; }
  static std::uint32_t peer(std::uint32_t node) { return node ^ 1u; }

  // When the pair of this node starts to play.
  static std::int64_t start_ns(std::uint32_t node) {
    return static_cast<std::int64_t>(Draws(1, node / 2).below(kStartWindowNs));
  }

  std::uint64_t expected_messages() const { return std::uint64_t{nodes} * rounds; }
  std::uint64_t expected_timeouts() const;
};

// Decides which of a pair's pings are lost. The initiator asks it once per ping, repeats included.
class LossRule {
 public:
  explicit LossRule(std::uint32_t node) : until_loss_(first_gap(node)) {}

  bool loses_next() {
    if (--until_loss_ != 0) return false;
    until_loss_ = PingPong::kLossPeriod;
    return true;
  }

 private:
  static std::uint32_t first_gap(std::uint32_t node) {
    return static_cast<std::uint32_t>(Draws(2, node / 2).below(PingPong::kLossPeriod)) + 1;
  }

  std::uint32_t until_loss_;
};

inline std::uint64_t PingPong::expected_timeouts() const {
  std::uint64_t lost = 0;
  for (std::uint32_t node = 0; node < nodes; node += 2) {
    LossRule rule(node);
    for (std::uint32_t delivered = 0; delivered < rounds;) {
      if (rule.loses_next()) {
        ++lost;
      } else {
        ++delivered;
      }
    }
  }
  return 2 * lost;
}

}  // namespace drydock::bench
