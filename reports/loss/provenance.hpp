// How each copy of a lost message came and went. Pure.
//
// A run that lost something is made again with every append and flush of every broker written down
// (a run keeps only the latest between two faults). From these traces each lost message gets one
// history per broker, and the fault that took its last copy.
//
//   appended   the broker's log held it: the first append of that offset since the message was
//              sent. The broker with the earliest one took it from the client. Another one has it
//              from there, so an append after recovery has given the offset to other messages, or
//              after the log it came from was gone, is none of this message
//   flushed    the first completed flush that covered it
//   ended      host.destroy took the disk; or it was in the transient pool, of which no commit had
//              brought it to the page cache, and went with the process, whatever ended that; or
//              host.power-loss or host.panic took the page cache, no flush had covered it and
//              recovery did not find it; or host.power-loss took the
//              volatile cache of the disk, and the disk had confirmed the flushes that covered it
//              without doing them (disk.flush-lie); or its file system could not be mounted after
//              the power loss; or recovery cut the log before it
//
// A flush of a lying disk covers nothing; the first one after the lie covers all that came before.
//
// What the kernel had written back by itself is not in the traces: such a copy shows as one that no
// flush had covered, and yet is kept.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reports/record/history.hpp"
#include "reports/record/run_result.hpp"

namespace drydock::reports {

// What happened to a broker's log.
struct StoreEvent {
  enum class Kind : std::uint8_t {
    appended,   // [from, to)
    flushed,    // Everything before `to`.
    recovered,  // The log ends at `to`.
    committed,  // With the transient pool: everything before `to`, also told at the start.
  };
  Kind kind = Kind::appended;
  std::int64_t time_ns = 0;
  std::int64_t from = 0;
  std::int64_t to = 0;
};

// All of it, in the order of time.
struct StoreTrace {
  std::string broker;
  std::string host;
  std::vector<StoreEvent> events;
  bool damaged = false;  // Its file system can never be mounted again.
};

// Beyond these a run's lost messages have no histories.
inline constexpr std::size_t kHistoriesMax = 100;

// The lie by which that flush was confirmed and not done; null if it was done. `host`: of the log.
const FaultFact* lie_about(const std::vector<FaultFact>& faults, const std::string& host,
                           std::int64_t flushed_ns);

// Sets `histories` and `last_copy_fault` of the lost messages. What offsets alone had said of them
// follows: `copies` and `behind_last_flush`, as of `fault_ns`, and with these `at_risk`. `traces`
// in the order of the run's replicas.
void trace_copies(const History& history, const std::vector<StoreTrace>& traces,
                  const std::vector<FaultFact>& faults, std::int64_t fault_ns, LossReport& loss);

// "broker-a had it from 3.10 ms before the fault, in no flush, until the fault: its page cache was
// lost (host.power-loss on h); broker-a-s never received it". Empty without histories.
std::string describe_copies(const RunResult& run, const LostMessage& message);

}  // namespace drydock::reports
