// Hosts, disks and the network of a drill, as its topology has them.
#include <algorithm>

#include "scenarios/world_sim/cpu_of_host.hpp"
#include "scenarios/world_sim/device_path.hpp"
#include "scenarios/world_sim/host_disk.hpp"
#include "scenarios/world_sim/memory_of_host.hpp"
#include "scenarios/world_sim/sim_world.hpp"

namespace drydock::scenarios {
namespace {

// Addresses 10.0.0.1 and up, in the order of the topology.
constexpr std::uint32_t kFirstAddress = 0x0a000001;
// 2023-11-14 22:13:20 UTC: any date does, but a store with timestamps of 1970 is refused by tools.
constexpr std::int64_t kWallOffsetNs = 1'700'000'000'000'000'000;

// RocketMQ begins such lines with it.
constexpr std::string_view kTroubleMark = "[NOTIFYME]";
constexpr std::size_t kBrokerLinesMax = 1'000;

// Disks of hosts have the numbers of their hosts.
constexpr std::size_t kFirstSharedDisk = 1'001;

reports::FileSystemEnd end_of(sim::FileSystemStop how) {
  switch (how) {
    case sim::FileSystemStop::journal_aborted: break;
    case sim::FileSystemStop::remounted_read_only:
      return reports::FileSystemEnd::remounted_read_only;
    case sim::FileSystemStop::panicked: return reports::FileSystemEnd::host_panicked;
    case sim::FileSystemStop::shut_down: return reports::FileSystemEnd::shut_down;
  }
  return reports::FileSystemEnd::journal_aborted;
}

}  // namespace

void SimWorld::add_shared_disk(const SharedDiskSpec& spec, const Drill& drill) {
  const auto number = static_cast<std::uint32_t>(kFirstSharedDisk + shared_disks_.size());
  sim::DiskOptions options;
  options.name = spec.name;
  options.capacity_bytes = spec.disk.bytes;
  options.reservations = sim::spec_reservations();
  put_profile(spec.disk, options);
  shared_disks_.push_back(
      std::make_unique<sim::SimDisk>(kernel_, DiskId(number), std::move(options)));
  const auto owner = std::ranges::find(drill.hosts, spec.mounted_by, &HostSpec::name);
  sim::HostFiles::make_file_system(*shared_disks_.back(), files_of(*owner, spec.disk));
}

void SimWorld::add_machine(const HostSpec& spec, const Drill& drill) {
  const auto index = static_cast<std::uint32_t>(machines_.size());
  auto machine = std::make_unique<Machine>();
  sim::HostOptions options;
  options.name = spec.name;
  options.address = kFirstAddress + index;
  options.wall_offset_ns = kWallOffsetNs;
  options.memory = memory_of(spec);
  options.open_files_max = spec.open_files_max;
  if (spec.cpu) set_cores(*spec.cpu, options);
  machine->host = std::make_unique<sim::Host>(kernel_, HostId(index + 1), options);
  machine->boot = spec.boot;
  if (spec.cpu) machine->prices = cpu_prices(*spec.cpu);
  machine->memory_bytes = spec.memory ? spec.memory->bytes : 0;
  machine->host->set_log_sink([this](const std::string& process, LogLevel level,
                                     const std::string& line) { take_line(process, level, line); });
  network_.add_host(*machine->host);
  if (spec.disk) {
    sim::DiskOptions disk;
    disk.name = spec.name + "/disk";
    disk.capacity_bytes = spec.disk->bytes;
    put_profile(*spec.disk, disk);
    machine->disk = std::make_unique<sim::SimDisk>(kernel_, DiskId(index + 1), std::move(disk));
    machine->files = std::make_unique<sim::HostFiles>(kernel_, *machine->host, *machine->disk,
                                                      files_of(spec, *spec.disk));
    machine->files->set_mounted([this, &host = *machine->host] { log(host, &EventLog::mounted); });
  }
  for (std::size_t i = 0; i < drill.shared_disks.size(); ++i) {
    const SharedDiskSpec& shared = drill.shared_disks[i];
    if (std::ranges::find(shared.attached_to, spec.name) == shared.attached_to.end()) continue;
    machine->shared = shared_disks_[i].get();
    machine->files =
        std::make_unique<sim::HostFiles>(kernel_, *machine->host, files_of(spec, shared.disk));
    machine->files->attach_disk(*machine->shared, device_of(shared.name));
    machine->control = std::make_unique<sim::SimHostControl>(*machine->files);
  }
  if (machine->files != nullptr) tell_stopped(*machine);
  // Last: files and network hear of power and ended processes first.
  machine->host->add_listener(*this);
  machines_.push_back(std::move(machine));
}

void SimWorld::take_line(const std::string& life, LogLevel level, const std::string& line) {
  if (level == LogLevel::error) last_error_ = life + ": " + line;
  if (!line.starts_with(kTroubleMark) || broker_lines_.size() >= kBrokerLinesMax) return;
  broker_lines_.push_back({life.substr(0, life.find('#')), kernel_.now(), line});
}

void SimWorld::tell_stopped(Machine& machine) {
  machine.files->set_stopped([this, &host = *machine.host](sim::FileSystemStop how) {
    stopped_file_systems_.push_back({host.name(), end_of(how), kernel_.now()});
  });
}

void SimWorld::set_link(const LinkSpec& spec) {
  for (const std::string& from : spec.from) {
    for (const std::string& to : spec.to) {
      if (from == to) continue;  // Its loopback device is no link of the topology.
      const HostId here = machine(from).host->id();
      const HostId there = machine(to).host->id();
      sim::LinkProfile profile = network_.link(here, there);
      if (spec.latency) profile.latency = sim::QuantileTable::constant(*spec.latency);
      if (spec.bandwidth_per_second) profile.bandwidth_bytes_per_s = *spec.bandwidth_per_second;
      if (spec.loss_ppm) profile.loss_ppm = *spec.loss_ppm;
      network_.set_link(here, there, profile);
    }
  }
}

}  // namespace drydock::scenarios
