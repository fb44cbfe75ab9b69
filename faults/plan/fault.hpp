// faults/plan holds faults as pure data: what, on whom, when, for how long. A plan is a plain list
// of them. It can be written by hand (a drill), drawn from a seed, compared, shrunk and printed;
// nothing in it refers to a world.
//
//   fault         kinds, selectors, triggers, the plan, and their names
//   disk_trouble  what a disk does wrong
//   injector      what a world offers to make a plan come true: faults/on_sim, faults/on_linux
//
// What it does not do: decide whether a fault is a good idea (faults/nemesis), or know how JSON
// spells it (scenarios/loader reads it, scenarios/drill prints it).
//
// This file: the data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/types/events.hpp"
#include "engine/types/time.hpp"
#include "faults/plan/disk_trouble.hpp"

namespace drydock::faults {

// `family.what-happens`. Each says what ends it.
enum class FaultKind : std::uint8_t {
  process_kill,     // SIGKILL. Ends with a start of the same program by its supervisor.
  host_power_loss,  // The host is dark. Ends with power; the host then boots and starts its
                    // programs.
  host_panic,       // The kernel stops; the disks keep their power, and so their write caches. Ends
                    // with a reset; the host then boots and starts its programs.
  host_destroy,     // The host and its disks are gone for good. Nothing takes it back.
  net_partition,  // Nothing arrives between a host and another one, or all others. Nobody is told.
                  // Ends with what was lost coming again as its senders repeat it.
  disk_hang,   // Commands of a part of a disk's work don't complete. Ends with their completion, in
               // the order in which they were sent.
  disk_slow,   // A disk takes longer for everything (fail-slow). Ends with its old speed.
  disk_error,  // Commands of a part of a disk's work fail and have no effect. Ends with the last
               // one that was to fail, or when it is taken back.
  disk_flush_lie,  // A disk with a volatile cache says that it has flushed, and has not. Ends with
                   // its obedience.
  disk_cut,   // The link in use between a host and its disk swallows what is on it. Ends with the
              // link.
  disk_fill,  // Another tenant of a disk's file system takes room until so much of it is used. Ends
              // with its file's removal.
  net_stray_client,  // A program of another host takes the replication port of a broker for that
                     // of a web server, and asks it for a page. Ends with its connection.
  fs_remove,  // A program removes a file of the host, as an operator's mistake does, and syncs its
              // directory. Nothing takes it back.
  fs_lock,    // A program takes the lock of a directory of the host and is stuck with it: whoever
              // makes, renames, removes or lists names there waits, and so does who opens a file
              // there to make it if need be. Ends with the lock.
  fs_sync,  // A program opens a file of the host and syncs it, as a backup does. It breaks nothing:
            // kernels before 4.13 tell an error of writing back to whoever syncs first, once.
            // Nothing takes it back.
  operator_promote,  // No fault but what people do about one: a slave is stopped, its configuration
                     // changed to the master's, and started again. Nothing takes it back.
  operator_demote,   // Its counterpart: a broker gets the configuration of a slave, of whoever the
                     // name servers say is the master, and is started again if it runs.
  count_,
};

// Whether it concerns the disk of a host.
constexpr bool of_disk(FaultKind kind) {
  return kind == FaultKind::disk_hang || kind == FaultKind::disk_slow ||
         kind == FaultKind::disk_error || kind == FaultKind::disk_flush_lie ||
         kind == FaultKind::disk_cut || kind == FaultKind::disk_fill;
}
// Whether it breaks something: the outage counts from such a fault.
constexpr bool breaks(FaultKind kind) {
  return kind != FaultKind::operator_promote && kind != FaultKind::operator_demote &&
         kind != FaultKind::fs_sync;
}
// Whether it names a file or a directory of a host.
constexpr bool has_path(FaultKind kind) {
  return kind == FaultKind::fs_remove || kind == FaultKind::fs_lock || kind == FaultKind::fs_sync;
}
// Whether it ends, after its span or at the phase `heal`.
constexpr bool is_taken_back(FaultKind kind) {
  return kind == FaultKind::process_kill || kind == FaultKind::host_power_loss ||
         kind == FaultKind::host_panic || kind == FaultKind::net_partition ||
         kind == FaultKind::net_stray_client || kind == FaultKind::fs_lock || of_disk(kind);
}

// Which part of the cluster, looked up at the moment at which the fault fires.
struct Selector {
  enum class By : std::uint8_t {
    name,  // A host or process by its name in the topology.
    role,  // The first process, in the order of the topology, that has this role then.
  };
  By by = By::name;
  std::string value;
  friend bool operator==(const Selector&, const Selector&) = default;
};

// Once this time has passed since the plan was armed.
struct AtTime {
  Duration since_armed;
  friend bool operator==(const AtTime&, const AtTime&) = default;
};
// At the n-th occurrence (from 1) of an event, counted since the plan was armed.
struct AtEvent {
  EventName name = EventName::count_;
  std::uint64_t occurrence = 1;
  friend bool operator==(const AtEvent&, const AtEvent&) = default;
};
// At the n-th time (from 1) that one life of the selected process reaches a crash point.
struct AtCrashPoint {
  CrashPoint point = CrashPoint::count_;
  std::uint64_t occurrence = 1;
  friend bool operator==(const AtCrashPoint&, const AtCrashPoint&) = default;
};
using Trigger = std::variant<AtTime, AtEvent, AtCrashPoint>;

// Which way a partition stops, seen from the host that is cut off.
enum class CutDirection : std::uint8_t {
  both,
  incoming,  // Nothing arrives there; what it sends does.
  outgoing,  // Nothing arrives that it sends.
  count_,
};
std::string_view name_of(CutDirection direction);
std::optional<CutDirection> cut_direction_named(std::string_view name);

// From whom a partition separates a host.
struct Separation {
  std::optional<Selector> from;  // A host, or that of a process; none: all other hosts.
  CutDirection direction = CutDirection::both;
  friend bool operator==(const Separation&, const Separation&) = default;
};

struct Fault {
  FaultKind kind = FaultKind::count_;
  Selector on;
  Trigger when;
  // From taking effect to being taken back. None: it stays until the phase `heal`.
  std::optional<Duration> lasts;
  Separation separation = {};  // Of net_partition; whose `from` net_stray_client has, too.
  DiskTrouble trouble = {};    // Of faults of a disk.
  std::string file = {};  // Of fs_remove and fs_sync: its path; of fs_lock: that of the directory.
  friend bool operator==(const Fault&, const Fault&) = default;
};

struct Plan {
  std::vector<Fault> faults;
  friend bool operator==(const Plan&, const Plan&) = default;
};

std::string_view name_of(FaultKind kind);
// "data-writes", "100 times slower": what of its target a fault concerns, or how; often nothing.
std::string detail_of(const Fault& fault);
// The kind, event or crash point with that name, if there is one.
std::optional<FaultKind> fault_kind_named(std::string_view name);
std::optional<EventName> event_named(std::string_view name);
std::optional<CrashPoint> crash_point_named(std::string_view name);

// "broker-a", "role:master": how scenarios and reports spell a selector.
std::string text_of(const Selector& selector);

}  // namespace drydock::faults
