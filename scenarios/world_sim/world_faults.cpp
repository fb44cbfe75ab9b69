// What faults ask of the world: whom they mean, and what happens to it.
#include <algorithm>
#include <limits>

#include "scenarios/world_sim/disk_tenant.hpp"
#include "scenarios/world_sim/sim_world.hpp"
#include "scenarios/world_sim/stray_programs.hpp"

namespace drydock::scenarios {

const SimWorld::Service* SimWorld::meant(const faults::Selector& selector) const {
  for (const auto* const services : {&brokers_, &name_servers_, &writers_, &readers_, &standbys_}) {
    for (const auto& service : *services) {
      const bool by_role = selector.by == faults::Selector::By::role;
      if ((by_role ? service->role : service->name) == selector.value) return service.get();
    }
  }
  return nullptr;
}

std::string SimWorld::process_meant(const faults::Selector& selector) {
  const Service* const found = meant(selector);
  return found == nullptr ? "" : found->name;
}

std::string SimWorld::host_meant(const faults::Selector& selector) {
  if (const Service* const found = meant(selector)) return found->machine.host->name();
  for (const auto& machine : machines_) {
    if (selector.by == faults::Selector::By::name && machine->host->name() == selector.value) {
      return selector.value;
    }
  }
  return "";
}

sim::SimProcess* SimWorld::process(const std::string& name) {
  Service* const found = service(name);
  if (found == nullptr || found->process == nullptr || !found->process->alive()) return nullptr;
  return found->process;
}

sim::Host& SimWorld::host(const std::string& name) { return *machine(name).host; }

sim::SimDisk* SimWorld::disk(const std::string& host) {
  if (host.empty() || destroyed(host)) return nullptr;
  Machine& on = machine(host);
  return on.shared != nullptr ? on.shared : on.disk.get();
}

std::vector<sim::CommandSet::Range> SimWorld::bytes_of(const std::string& host,
                                                       const faults::DiskRange& range) {
  constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();
  const std::int64_t end = range.size_bytes ? range.from_bytes + *range.size_bytes : kEnd;
  if (range.file.empty()) return {{range.from_bytes, end}};
  std::vector<sim::CommandSet::Range> bytes;
  const Machine& on = machine(host);
  if (on.disk == nullptr || on.files == nullptr) return bytes;  // Files of a shared disk: nobody's.
  const std::int64_t page = sim::kPageBytes;
  const sim::PageRange pages{range.from_bytes / page, end == kEnd ? kEnd : (end + page - 1) / page};
  for (const sim::BlockRun& run : on.files->mount().blocks_of(range.file, pages)) {
    bytes.push_back({run.block * page, (run.block + run.count) * page});
  }
  return bytes;
}

void SimWorld::fill(const std::string& host, std::size_t fault, std::int32_t used_percent) {
  const std::string file = tenant_file(fault);
  spawn(machine(host), "tenant").start([file, used_percent](Context& context) {
    return take_room(context, file, used_percent);
  });
}

// A host that is dark then keeps the file.
void SimWorld::empty(const std::string& host, std::size_t fault) {
  Machine& on = machine(host);
  if (!on.host->powered()) return;
  const std::string file = tenant_file(fault);
  spawn(on, "tenant").start([file](Context& context) { return give_room_back(context, file); });
}

bool SimWorld::destroyed(const std::string& host) const {
  return std::ranges::any_of(machines_, [&](const auto& machine) {
    return machine->host->name() == host && machine->destroyed;
  });
}

void SimWorld::destroy(const std::string& host) {
  Machine& lost = machine(host);
  lost.destroyed = true;
  for (const auto& broker : brokers_) {
    if (&broker->machine == &lost) broker->role = "gone";
  }
}

bool SimWorld::promote(const std::string& name) {
  Service* const found = service(name);
  if (found == nullptr || found->role != "slave" || found->process == nullptr) return false;
  if (!found->process->runs_past(StopCause::safepoint)) return false;
  found->role = "master";
  found->master_since = ++promotions_;
  for (std::size_t i = 0; i < brokers_.size(); ++i) {
    if (brokers_[i].get() == found) events_.promoted(i);
  }
  found->configuration->ha = promoted_;
  found->configuration->broker_id = 0;
  found->start_when_ended = true;
  found->process->terminate();
  return true;
}

bool SimWorld::demote(const std::string& name) {
  Service* const found = service(name);
  if (found == nullptr || !found->configuration || found->role != "master") return false;
  found->role = "slave";
  found->configuration->ha.role = BrokerRole::slave;
  found->configuration->ha.master_address.reset();  // The name servers say who it is.
  std::int64_t free_id = 1;
  for (const auto& broker : brokers_) {
    if (broker->configuration->broker_id == free_id) ++free_id;
  }
  found->configuration->broker_id = free_id;
  if (found->process != nullptr && found->process->runs_past(StopCause::safepoint)) {
    found->start_when_ended = true;
    found->process->terminate();
  }
  return true;
}

// A disk of its own, and power.
bool SimWorld::has_files(const Machine& machine) {
  return machine.host->powered() && machine.disk != nullptr && machine.files != nullptr;
}

sim::SimProcess* SimWorld::stray_client(const std::string& host, const std::string& broker) {
  Machine& on = machine(host);
  const Service* const meant = service(broker);
  if (!on.host->powered() || meant == nullptr || !meant->configuration) return nullptr;
  const Endpoint port{meant->machine.host->address(), meant->configuration->ha_port()};
  sim::SimProcess& process = spawn(on, "stray#" + std::to_string(++strays_));
  process.start([port](Context& context) { return run_stray_client(context, port); });
  return &process;
}

bool SimWorld::remove_file(const std::string& host, const std::string& path) {
  Machine& on = machine(host);
  if (!has_files(on) || bytes_of(host, {.file = path}).empty()) return false;
  sim::SimProcess& process = spawn(on, "stray#" + std::to_string(++strays_));
  process.start([path](Context& context) { return run_removal(context, path); });
  return true;
}

bool SimWorld::sync_file(const std::string& host, const std::string& path) {
  Machine& on = machine(host);
  if (!has_files(on) || bytes_of(host, {.file = path}).empty()) return false;
  sim::SimProcess& process = spawn(on, "stray#" + std::to_string(++strays_));
  process.start([path](Context& context) { return run_sync(context, path); });
  return true;
}

bool SimWorld::lock_directory(const std::string& host, std::size_t fault, const std::string& path) {
  Machine& on = machine(host);
  return has_files(on) && on.files->mount().lock_directory(path, fault);
}

// Where the host lost its power meanwhile, that program and its lock went with it.
void SimWorld::unlock_directory(const std::string& host, std::size_t fault) {
  Machine& on = machine(host);
  if (has_files(on)) on.files->mount().unlock_directory(fault);
}

std::uint32_t SimWorld::cut(const std::string& host, const std::string& from,
                            faults::CutDirection direction) {
  const std::vector<HostId> here = {machine(host).host->id()};
  std::vector<HostId> there;
  for (const auto& other : machines_) {
    const std::string& name = other->host->name();
    if (from.empty() ? name != host : name == from) there.push_back(other->host->id());
  }
  switch (direction) {
    case faults::CutDirection::incoming:
      return network_.cut(there, here, sim::Direction::one_way).value();
    case faults::CutDirection::outgoing:
      return network_.cut(here, there, sim::Direction::one_way).value();
    case faults::CutDirection::both:
    case faults::CutDirection::count_: break;
  }
  return network_.cut(here, there, sim::Direction::both).value();
}

void SimWorld::restart(const std::string& name) {
  Service* const found = service(name);
  // A host that is still booting starts its programs itself.
  if (found != nullptr && kernel_.now() >= found->machine.up_at_ns) kernel_.post(*found);
}

}  // namespace drydock::scenarios
