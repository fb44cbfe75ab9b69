// The parts of rto.fault, from moments that the run has recorded. Pure.
//
//   detect   fault → somebody acts: the supervisor starts the process, power is back, the operator
//            promotes a slave. When an operator noticed, and how long he thought, nothing records:
//            both are here, and `decide` is 0.
//   mount    power is back → the host has booted, and its file system is mounted. Both go on at the
//            same time, so the later end counts.
//   recover  the broker's process starts (of a promoted slave: is told to stop and to start as the
//            master) → it serves
//   resync   → a slave has acknowledged to it, if sends wait for a slave
//   route    → the client knows where to send
//   client   → completion of the first SEND_OK invoked after the fault
//
// fence, attach and check have nothing to take time in this version. The moments are those of the
// last broker life that began to serve between the fault and that SEND_OK: the master's, started
// again; a promoted slave's; a slave's without which nothing was acknowledged. Without such a life
// (a partition) all of rto.fault up to a slave's acknowledgement is `resync`, if sends wait for
// one, and the rest is the client's.
#pragma once

#include <cstdint>
#include <vector>

#include "reports/record/run_result.hpp"

namespace drydock::reports {

// No stage took place.
inline constexpr StageTimes kNoStageEnds = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1};

// Spans that add up to exactly served_ns - fault_ns. An end before the one of an earlier stage, or
// after `served_ns`, is moved there; the end of `client` is `served_ns`.
StageTimes split_stages(std::int64_t fault_ns, std::int64_t served_ns, const StageTimes& ends);

// One life of a broker, as far as it got; ns, -1: it did not happen or nobody saw it.
struct BrokerLife {
  std::int64_t started_ns = -1;     // Its process.
  std::int64_t serving_ns = -1;     // It takes requests.
  std::int64_t promoted_ns = -1;    // When the operator gave the order that led to this life.
  std::int64_t power_back_ns = -1;  // Of its host, the last time before it started.
  std::int64_t mounted_ns = -1;     // Its file system, the first time after that.

  friend bool operator==(const BrokerLife&, const BrokerLife&) = default;
};

// What happened on the way back, in the order in which it began.
struct WayBack {
  std::vector<BrokerLife> lives;  // Of all brokers.
  std::vector<std::int64_t>
      slave_acks_ns;                    // A slave acknowledged the first time since it connected.
  std::vector<std::int64_t> routes_ns;  // A client learned of queues to which it can send.
};

// Whether a SEND_OK says that a slave has the message.
enum class Sends : std::uint8_t { wait_for_nobody, wait_for_slave };

// The ends of the stages between the fault and the SEND_OK that ends the outage.
StageTimes stage_ends(const WayBack& way, Sends sends, std::int64_t fault_ns,
                      std::int64_t served_ns);

}  // namespace drydock::reports
