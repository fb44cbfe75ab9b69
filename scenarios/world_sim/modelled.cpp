#include "scenarios/world_sim/modelled.hpp"

#include <span>
#include <string_view>

#include "scenarios/drill/units.hpp"
#include "scenarios/world_sim/cpu_of_host.hpp"
#include "scenarios/world_sim/host_disk.hpp"
#include "scenarios/world_sim/jvm_of_program.hpp"
#include "scenarios/world_sim/memory_of_host.hpp"
#include "sim/disk/limits.hpp"
#include "sim/fs/limits.hpp"
#include "sim/host/limits.hpp"
#include "sim/net/limits.hpp"
#include "sim/pagecache/limits.hpp"
#include "sim/profiles/limits.hpp"

namespace drydock::scenarios {
namespace {

using Lines = std::span<const std::string_view>;

const char* way_back_of(faults::FaultKind kind) {
  if (kind == faults::FaultKind::process_kill) return "the killed process starts again";
  if (kind == faults::FaultKind::host_panic) return "the host is reset";
  if (kind == faults::FaultKind::net_partition) return "the network is whole again";
  if (kind == faults::FaultKind::net_stray_client) return "the stray client has gone";
  if (kind == faults::FaultKind::fs_lock) return "the directory is no longer locked";
  if (kind == faults::FaultKind::disk_hang) return "the disk goes on";
  if (kind == faults::FaultKind::disk_slow) return "the disk has its old speed";
  if (kind == faults::FaultKind::disk_flush_lie) return "the disk obeys a flush again";
  if (kind == faults::FaultKind::disk_cut) return "the link to the disk is back";
  if (kind == faults::FaultKind::disk_fill) return "the other tenant's file is gone";
  if (kind == faults::FaultKind::disk_error) return "the disk makes no errors any more";
  return "the power is back";
}

void add_mount(const std::string& disk, const MountSpec& mount, std::vector<std::string>& lines) {
  if (mount == MountSpec()) return;
  lines.push_back(disk + ": the scenario says how its file system is made and mounted");
  if (!mount.names_with_directory) return;
  lines.push_back(
      disk +
      ": names wait for a sync of a directory, as fsync(2) allows; Linux's ext4 and xfs "
      "make them durable with any");
}

}  // namespace

void check_simulated(const Drill& drill) {
  for (const auto& [values, variant] : drill.variants) check_simulated(*variant);
  for (const HostSpec& host : drill.hosts) {
    if (host.disk) check_own_disk(drill, host);
    if (!sim::kernel_named(host.kernel)) {
      throw InputError(drill.source.at("/topology/hosts/" + host.name + "/kernel") +
                       ": there is no '" + host.kernel + "'; known here: el7, el8, el9, 6.x");
    }
    if (host.memory) check_memory(drill, host);
    if (host.cpu) check_cpu(drill, host);
  }
  for (const SharedDiskSpec& shared : drill.shared_disks) check_shared_disk(drill, shared);
  check_disk_faults(drill);
}

std::vector<std::string> assumptions_of(const Drill& drill) {
  std::vector<std::string> lines;
  for (const HostSpec& host : drill.hosts) {
    if (host.disk) {
      lines.push_back("disk of " + host.name + ": " + assumptions_of(*host.disk));
      add_mount("disk of " + host.name, host.disk->mount, lines);
    }
    if (host.kernel != HostSpec().kernel) {
      lines.push_back("host " + host.name + ": the scenario has it run a kernel " + host.kernel);
    }
    if (host.dirty) {
      lines.push_back("host " + host.name + ": the scenario sets its vm.dirty_* limits");
    }
    if (host.cpu) lines.push_back("host " + host.name + ": " + cpu_assumption(*host.cpu));
    for (std::string& line : memory_assumptions(drill, host)) lines.push_back(std::move(line));
    if (host.open_files_max != HostSpec().open_files_max) {
      lines.push_back("host " + host.name + ": the scenario lets a program have " +
                      std::to_string(host.open_files_max) + " files and sockets open");
    }
    if (host.boot > Duration()) {
      lines.push_back("host " + host.name + " needs " + text_of(host.boot) +
                      " from power to the start of its programs (the scenario says so); rto "
                      "follows it one to one");
    }
  }
  for (const SharedDiskSpec& shared : drill.shared_disks) {
    lines.push_back("disk " + shared.name + ": " + assumptions_of(shared.disk));
    add_mount("disk " + shared.name, shared.disk.mount, lines);
    lines.push_back("disk " + shared.name +
                    ": reservations as the NVMe specification has them; what a preempted host has "
                    "in flight is aborted");
  }
  for (const StandbySpec& standby : drill.standbys) {
    if (standby.pause == Duration()) continue;
    lines.push_back(standby.name + ": its node agent takes " + text_of(standby.pause) +
                    " from one step of a takeover to the next (the scenario says so)");
  }
  for (std::string& line : jvm_assumptions(drill)) lines.push_back(std::move(line));
  if (!drill.links.empty()) {
    lines.push_back("network: the scenario sets latency, bandwidth or loss of some links");
  }
  for (const auto& [name, set] : drill.fault_sets) {
    for (const FaultSpec& fault : set) {
      if (!fault.lasts) continue;
      lines.push_back(name + ": " + way_back_of(fault.kind) + " after " + text_of(*fault.lasts));
    }
  }
  for (const Lines part :
       {Lines(sim::kNetAssumed), Lines(sim::kDiskAssumed), Lines(sim::kPageCacheAssumed),
        Lines(sim::kFsAssumed), Lines(sim::kHostAssumed), Lines(sim::kProfilesAssumed)}) {
    lines.insert(lines.end(), part.begin(), part.end());
  }
  lines.push_back(
      "addresses: the topology's hosts have their own; brokerIP1, brokerIP2, haMasterAddress and "
      "namesrvAddr of broker.conf are replaced by them");
  lines.push_back(
      "client: connects again after 100 ms, twice as long after each failure, at most "
      "1 s (whether RocketMQ's own waits was not looked up)");
  return lines;
}

std::vector<std::string> not_modelled() {
  std::vector<std::string> lines = {
      "consumer groups that share queues, delayed and transactional messages",
      "CPU time: it costs nothing but for sends and their dispatch on hosts with a cpu, so no "
      "throughput is printed"};
  for (const Lines part : {Lines(sim::kNetNotModelled), Lines(sim::kDiskNotModelled),
                           Lines(sim::kPageCacheNotModelled), Lines(sim::kFsNotModelled),
                           Lines(sim::kHostNotModelled)}) {
    lines.insert(lines.end(), part.begin(), part.end());
  }
  return lines;
}

}  // namespace drydock::scenarios
