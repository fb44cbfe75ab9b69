#include "scenarios/world_sim/sim_world.hpp"

#include <algorithm>
#include <span>
#include <string_view>

#include "engine/broker/broker.hpp"
#include "engine/nameserver/name_server.hpp"
#include "scenarios/drill/units.hpp"
#include "scenarios/workload/consumer_program.hpp"
#include "scenarios/workload/node_key.hpp"
#include "scenarios/workload/owner_program.hpp"
#include "scenarios/workload/producer_program.hpp"
#include "scenarios/workload/reader_program.hpp"
#include "scenarios/workload/standby_program.hpp"
#include "scenarios/workload/writer_program.hpp"
#include "scenarios/world_sim/host_disk.hpp"
#include "scenarios/world_sim/jvm_of_program.hpp"
#include "scenarios/world_sim/memory_of_host.hpp"
#include "scenarios/world_sim/no_files.hpp"
#include "sim/disk/limits.hpp"
#include "sim/fs/limits.hpp"
#include "sim/host/limits.hpp"
#include "sim/net/limits.hpp"
#include "sim/pagecache/limits.hpp"
#include "sim/profiles/limits.hpp"

namespace drydock::scenarios {
namespace {

// Addresses 10.0.0.1 and up, in the order of the topology.
constexpr std::uint32_t kFirstAddress = 0x0a000001;
// 2023-11-14 22:13:20 UTC: any date does, but a store with timestamps of 1970 is refused by tools.
constexpr std::int64_t kWallOffsetNs = 1'700'000'000'000'000'000;
// A supervisor looks again after this time if the old process has not ended yet.
constexpr Duration kRestartRetry = Duration::ms(100);

// Disks of hosts have the numbers of their hosts.
constexpr std::size_t kFirstSharedDisk = 1'001;

using Lines = std::span<const std::string_view>;

// The path of a shared disk on every host that attaches it.
std::string device_of(const std::string& disk) { return "/dev/" + disk; }

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
  }
  for (const SharedDiskSpec& shared : drill.shared_disks) check_shared_disk(drill, shared);
  check_disk_faults(drill);
}

SimWorld::SimWorld(const Experiment& experiment, const Cell& cell, std::uint64_t seed,
                   Provenance provenance)
    : kernel_(sim::KernelOptions{.seed = seed, .perturb_schedule = experiment.perturb}),
      recorder_([this] { return kernel_.now(); }),
      events_(kernel_, provenance, [this] { return injector_.latest_began_ns(); }),
      buggify_(drill_of(experiment, cell).behaviour.buggify),
      behaviour_(behaviour_in(drill_of(experiment, cell))),
      injector_(kernel_, *this),
      network_(kernel_) {
  const Drill& drill = drill_of(experiment, cell);
  for (const SharedDiskSpec& spec : drill.shared_disks) add_shared_disk(spec);
  for (const HostSpec& spec : drill.hosts) add_machine(spec, drill);
  for (const LinkSpec& spec : drill.links) set_link(spec);
  for (const NameServerSpec& spec : drill.name_servers) add_name_server(spec);
  for (std::size_t i = 0; i < drill.brokers.size(); ++i) {
    add_broker(drill.brokers[i], cell.brokers[i]);
  }
  follow_masters();
  for (const ProducerSpec& spec : drill.producers) add_producer(spec, drill, cell);
  for (const ConsumerSpec& spec : drill.consumers) add_consumer(spec, drill, cell);
  for (const WriterSpec& spec : drill.writers) add_writer(spec);
  for (const ReaderSpec& spec : drill.readers) add_reader(spec);
  for (const SharedDiskSpec& spec : drill.shared_disks) add_owner(spec);
  takeovers_.resize(drill.standbys.size());
  for (const StandbySpec& spec : drill.standbys) add_standby(spec, drill);
}

SimWorld::~SimWorld() {
  // Frames go while everything that they refer to is still there. The power goes, not the processes
  // one by one, because a process in a device wait would outlive its kill.
  injector_.disarm();
  for (const auto& machine : machines_) machine->host->lose_power();
  for (std::size_t i = 0; i < machines_.size(); ++i) kernel_.step(kernel_.now());
}

void SimWorld::add_shared_disk(const SharedDiskSpec& spec) {
  const auto number = static_cast<std::uint32_t>(kFirstSharedDisk + shared_disks_.size());
  sim::DiskOptions options;
  options.name = spec.name;
  options.capacity_bytes = spec.disk.bytes;
  options.reservations = sim::spec_reservations();
  put_profile(spec.disk, options);
  shared_disks_.push_back(
      std::make_unique<sim::SimDisk>(kernel_, DiskId(number), std::move(options)));
  sim::HostFiles::make_file_system(*shared_disks_.back(), {});
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
  machine->host = std::make_unique<sim::Host>(kernel_, HostId(index + 1), options);
  machine->boot = spec.boot;
  machine->host->set_log_sink(
      [this](const std::string& process, LogLevel level, const std::string& line) {
        if (level == LogLevel::error) last_error_ = process + ": " + line;
      });
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
  // Last: files and network hear of power and ended processes first.
  machine->host->add_listener(*this);
  machines_.push_back(std::move(machine));
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

void SimWorld::add_name_server(const NameServerSpec& spec) {
  const NameServerConfiguration configuration;
  sim::Program program = [this, configuration](Context& context) {
    return run_name_server(events_.traced(context, EventLog::kNoBroker), configuration);
  };
  Machine& on = machine(spec.host);
  name_server_endpoints_.push_back({on.host->address(), configuration.listen_port});
  name_servers_.push_back(
      std::make_unique<Service>(*this, spec.name, "nameserver", on, std::move(program)));
}

void SimWorld::add_broker(const BrokerSpec& spec, const BrokerConfiguration& configuration) {
  const std::size_t index = brokers_.size();
  sim::Program program = [this, index](Context& context) {
    return run_broker(events_.traced(context, index), *brokers_[index]->configuration);
  };
  brokers_.push_back(std::make_unique<Service>(*this, spec.name, spec.role, machine(spec.host),
                                               std::move(program)));
  // A user's file speaks of the user's hosts; these have addresses of their own.
  BrokerConfiguration here = configuration;
  here.broker_ip1 = 0;
  here.broker_ip2 = 0;
  here.name_servers = name_server_endpoints_;
  brokers_.back()->configuration = std::move(here);
  brokers_.back()->jvm = jvm_options(spec.jvm, behaviour_);
}

// Also if a slave's file says where its master is: that speaks of the user's hosts.
void SimWorld::follow_masters() {
  for (const auto& slave : brokers_) {
    HaConfiguration& ha = slave->configuration->ha;
    if (ha.role != BrokerRole::slave) continue;
    for (const auto& master : brokers_) {
      if (master->role != "master") continue;
      ha.master_address =
          Endpoint{master->machine.host->address(), master->configuration->ha_port()};
      promoted_ = master->configuration->ha;
    }
  }
}

Destination SimWorld::destination_of(const std::string& broker, const Drill& drill,
                                     const Cell& cell) {
  Destination to{.broker = std::nullopt, .name_servers = {name_server_endpoints_}};
  for (std::size_t i = 0; i < drill.brokers.size(); ++i) {
    if (drill.brokers[i].name != broker) continue;
    to.broker =
        Endpoint{machine(drill.brokers[i].host).host->address(), cell.brokers[i].listen_port};
  }
  return to;
}

void SimWorld::add_consumer(const ConsumerSpec& spec, const Drill& drill, const Cell& cell) {
  const Destination from = destination_of(spec.broker, drill, cell);
  sim::Program program = [this, &spec, from](Context& context) {
    return run_consumer(context, spec, from, recorder_);
  };
  consumers_.push_back(std::make_unique<Service>(*this, spec.name, "consumer", machine(spec.host),
                                                 std::move(program)));
}

void SimWorld::add_producer(const ProducerSpec& spec, const Drill& drill, const Cell& cell) {
  const Destination to = destination_of(spec.broker, drill, cell);
  sim::Program program = [this, &spec, to](Context& context) {
    return run_producer(events_.traced(context, EventLog::kNoBroker), spec, to, recorder_);
  };
  producers_.push_back(std::make_unique<Service>(*this, spec.name, "producer", machine(spec.host),
                                                 std::move(program)));
}

void SimWorld::add_writer(const WriterSpec& spec) {
  // Its file is a log like a broker's.
  const std::size_t index = brokers_.size() + writers_.size();
  sim::Program program = [this, &spec, index](Context& context) {
    return run_writer(events_.traced(context, index), spec, recorder_);
  };
  writers_.push_back(std::make_unique<Service>(*this, spec.name, "writer", machine(spec.host),
                                               std::move(program)));
  if (spec.jvm) writers_.back()->jvm = jvm_options(*spec.jvm, behaviour_);
}

void SimWorld::add_reader(const ReaderSpec& spec) {
  sim::Program program = [&spec](Context& context) { return run_reader(context, spec); };
  readers_.push_back(std::make_unique<Service>(*this, spec.name, "reader", machine(spec.host),
                                               std::move(program)));
}

void SimWorld::add_owner(const SharedDiskSpec& spec) {
  Machine& on = machine(spec.mounted_by);
  const ReservationKey key = node_key(on.host->id().value());
  sim::Program program = [&on, device = device_of(spec.name), key](Context& context) {
    return run_owner(context, device, key, *on.control);
  };
  owners_.push_back(
      std::make_unique<Service>(*this, spec.name + "-owner", "owner", on, std::move(program)));
}

void SimWorld::add_standby(const StandbySpec& spec, const Drill& drill) {
  reports::TakeoverFacts& facts = takeovers_[standbys_.size()];
  facts.standby = spec.name;
  facts.disk = spec.disk;
  Machine& on = machine(spec.host);
  StandbyPlace place{.device = device_of(spec.disk),
                     .key = node_key(on.host->id().value()),
                     .control = *on.control,
                     .files = {},
                     .now = [this] { return kernel_.now(); }};
  for (const WriterSpec& writer : drill.writers) {
    if (machine(writer.host).shared != on.shared) continue;
    place.files.push_back({.path = writer.file, .record_bytes = writer.record_bytes});
  }
  sim::Program program = [&spec, place, &facts](Context& context) {
    return run_standby(context, spec, place, facts);
  };
  standbys_.push_back(
      std::make_unique<Service>(*this, spec.name, "standby", on, std::move(program)));
}

bool SimWorld::shared_disks_mounted() const {
  return std::ranges::all_of(owners_, [](const auto& owner) {
    return owner->process != nullptr && !owner->process->alive();
  });
}

reports::OwnershipReport SimWorld::ownership() const {
  reports::OwnershipReport report;
  for (const auto& disk : shared_disks_) {
    report.stale_reads += disk->ownership().stale_reads();
    report.foreign_writes += disk->ownership().foreign_writes();
  }
  return report;
}

std::string SimWorld::final_owner(const std::string& host) const {
  for (std::size_t i = 0; i < standbys_.size(); ++i) {
    const Machine& standby = standbys_[i]->machine;
    if (!takeovers_[i].completed) continue;
    const auto owns = [&](const auto& machine) {
      return machine->host->name() == host && machine->shared == standby.shared;
    };
    if (std::ranges::any_of(machines_, owns)) return standby.host->name();
  }
  return host;
}

SimWorld::Machine& SimWorld::machine(const std::string& host_name) {
  const auto found = std::find_if(machines_.begin(), machines_.end(), [&](const auto& machine) {
    return machine->host->name() == host_name;
  });
  ENSURE(found != machines_.end());
  return **found;
}

SimWorld::Service* SimWorld::service(const std::string& name) {
  for (const auto* const services : {&brokers_, &name_servers_, &writers_, &readers_, &standbys_}) {
    for (const auto& service : *services) {
      if (service->name == name) return service.get();
    }
  }
  return nullptr;
}

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
  const std::int64_t page = sim::kPageBytes;
  const sim::PageRange pages{range.from_bytes / page, end == kEnd ? kEnd : (end + page - 1) / page};
  for (const sim::BlockRun& run : machine(host).files->mount().blocks_of(range.file, pages)) {
    bytes.push_back({run.block * page, (run.block + run.count) * page});
  }
  return bytes;
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

void SimWorld::count_waits(const Service& service, WaitLedger& ledger) const {
  const std::int64_t now = kernel_.now();
  const MonotonicTime host_now = service.machine.host->clock().now();
  for (const auto& worker : service.process->workers().all()) {
    for (std::size_t i = 0; i < kWaitPlaces; ++i) {
      const auto place = static_cast<WaitPlace>(i);
      const WaitTotals& totals = worker->waits_at(place);
      if (totals.count == 0) continue;
      reports::WaitFact& fact = ledger[{service.name, worker->name(), place}];
      fact.process = service.name;
      fact.worker = worker->name();
      fact.place = place;
      fact.count += totals.count;
      fact.total_ns += totals.total.count_ns();
      if (totals.longest.count_ns() <= fact.longest_ns) continue;
      fact.longest_ns = totals.longest.count_ns();
      fact.longest_began_ns = now - (host_now - totals.longest_began).count_ns();
    }
  }
}

std::vector<reports::WaitFact> SimWorld::waits() const {
  WaitLedger ledger = waits_;
  for (const auto* const services : {&brokers_, &writers_, &readers_, &standbys_}) {
    for (const auto& service : *services) {
      const bool lives = service->process != nullptr && service->process->alive();
      if (lives) count_waits(*service, ledger);
    }
  }
  std::vector<reports::WaitFact> facts;
  for (const auto& [key, fact] : ledger) facts.push_back(fact);
  return facts;
}

void SimWorld::process_ended(sim::Host&, sim::SimProcess& process) {
  for (const auto* const services : {&brokers_, &writers_, &readers_, &standbys_}) {
    for (const auto& service : *services) {
      if (service->process == &process) count_waits(*service, waits_);
    }
  }
  for (const auto& owner : owners_) {
    if (owner->process != &process || !loading_) continue;
    for (const auto& writer : writers_) {
      if (&writer->machine == &owner->machine) kernel_.post(*writer);
    }
  }
  for (const auto& broker : brokers_) {
    if (broker->process != &process || !std::exchange(broker->start_when_ended, false)) continue;
    kernel_.post(*broker);
  }
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

void SimWorld::start_services() {
  for (const auto& name_server : name_servers_) start(*name_server);
  for (const auto& broker : brokers_) start(*broker);
  for (const auto& owner : owners_) start(*owner);
}

void SimWorld::start_producers() {
  loading_ = true;
  for (const auto& producer : producers_) start(*producer);
  for (const auto& writer : writers_) start(*writer);
}

void SimWorld::start_consumers() {
  reading_ = true;
  for (const auto& consumer : consumers_) start(*consumer);
  for (const auto& reader : readers_) start(*reader);
  for (const auto& standby : standbys_) start(*standby);
}

void SimWorld::stop_producers() {
  loading_ = false;
  terminate(producers_);
  terminate(writers_);
}

void SimWorld::stop_consumers() {
  reading_ = false;
  terminate(consumers_);
  terminate(readers_);
  terminate(standbys_);
}

void SimWorld::terminate(const std::vector<std::unique_ptr<Service>>& services) {
  for (const auto& service : services) {
    if (service->process != nullptr && service->process->alive()) service->process->terminate();
  }
}

bool SimWorld::producers_running() const {
  const auto runs = [](const auto& service) {
    return service->process != nullptr && service->process->alive();
  };
  return std::ranges::any_of(producers_, runs) || std::ranges::any_of(writers_, runs);
}

bool SimWorld::serving(const Service& broker) const {
  const sim::SimProcess* const process = broker.process;
  // One that its virtual machine has stopped will go on.
  const bool runs = process != nullptr && process->runs_past(StopCause::safepoint);
  return runs && events_.serving(process->id());
}

bool SimWorld::brokers_serving() const {
  return std::ranges::all_of(brokers_, [this](const auto& broker) {
    if (broker->machine.destroyed) return true;
    return serving(*broker) && (name_servers_.empty() || events_.registered(broker->process->id()));
  });
}

bool SimWorld::slaves_caught_up() const {
  const std::optional<std::size_t> master = writable_broker();
  if (!master || !brokers_serving()) return false;
  for (std::size_t i = 0; i < brokers_.size(); ++i) {
    if (brokers_[i]->role != "slave") continue;
    if (events_.end_of_log(i) != events_.end_of_log(*master)) return false;
  }
  return true;
}

std::vector<std::size_t> SimWorld::writable_brokers() const {
  std::vector<std::size_t> masters;
  for (std::size_t i = 0; i < brokers_.size(); ++i) {
    if (brokers_[i]->role == "master" && serving(*brokers_[i])) masters.push_back(i);
  }
  std::ranges::stable_sort(masters, std::greater<>(),
                           [this](std::size_t i) { return brokers_[i]->master_since; });
  return masters;
}

std::optional<std::size_t> SimWorld::writable_broker() const {
  const std::vector<std::size_t> masters = writable_brokers();
  if (masters.empty()) return std::nullopt;
  return masters.front();
}

void SimWorld::log(const sim::Host& host, void (EventLog::*what)(std::size_t broker)) {
  for (std::size_t i = 0; i < brokers_.size(); ++i) {
    if (brokers_[i]->machine.host.get() == &host) (events_.*what)(i);
  }
  for (std::size_t i = 0; i < writers_.size(); ++i) {
    if (writers_[i]->machine.host.get() == &host) (events_.*what)(brokers_.size() + i);
  }
}

void SimWorld::power_restored(sim::Host& host) {
  log(host, &EventLog::power_back);
  const auto boot = [&](Service& service) {
    if (service.machine.host.get() != &host) return;
    service.machine.up_at_ns = kernel_.now() + service.machine.boot.count_ns();
    kernel_.after(service, service.machine.boot);
  };
  for (const auto& name_server : name_servers_) boot(*name_server);
  for (const auto& broker : brokers_) boot(*broker);
  for (const auto& owner : owners_) boot(*owner);
  if (loading_) {
    for (const auto& producer : producers_) boot(*producer);
    for (const auto& writer : writers_) {
      // On a shared disk: when its owner has mounted it.
      if (writer->machine.shared == nullptr) boot(*writer);
    }
  }
  if (reading_) {
    for (const auto& consumer : consumers_) boot(*consumer);
    for (const auto& reader : readers_) boot(*reader);
    for (const auto& standby : standbys_) boot(*standby);
  }
}

void SimWorld::start(Service& service) {
  if (!service.machine.host->powered()) return;
  if (service.process != nullptr && service.process->alive()) {
    if (service.process->ending()) kernel_.after(service, kRestartRetry);
    return;
  }
  // A life of its own draws numbers of its own.
  const std::string name = service.name + "#" + std::to_string(++service.lives);
  service.process = &spawn(service.machine, name);
  for (const auto& [site, percent] : buggify_) {
    service.process->chaos().enable(site, static_cast<std::uint32_t>(percent), 100);
  }
  injector_.process_starting(service.name, *service.process);
  if (service.jvm) service.process->use_jvm(*service.jvm);
  service.process->start(service.program);
}

sim::SimProcess& SimWorld::spawn(Machine& machine, const std::string& name) {
  sim::SimProcess& process = machine.host->spawn(name);
  std::unique_ptr<FileSystem> files;
  if (machine.files != nullptr) {
    files = machine.files->attach(process);
  } else {
    files = std::make_unique<NoFiles>();
  }
  process.attach(network_.attach(*machine.host, process), std::move(files));
  return process;
}

sim::SimProcess* SimWorld::start_judge(std::size_t broker, sim::Program program) {
  return start_judge(brokers_[broker]->machine.host->name(), std::move(program));
}

sim::SimProcess* SimWorld::start_judge(const std::string& host, sim::Program program) {
  Machine& on = machine(host);
  if (!on.host->powered()) return nullptr;
  sim::SimProcess& process = spawn(on, "judge");
  process.start(std::move(program));
  return &process;
}

namespace {

const char* way_back_of(faults::FaultKind kind) {
  if (kind == faults::FaultKind::process_kill) return "the killed process starts again";
  if (kind == faults::FaultKind::host_panic) return "the host is reset";
  if (kind == faults::FaultKind::net_partition) return "the network is whole again";
  if (kind == faults::FaultKind::disk_hang) return "the disk goes on";
  if (kind == faults::FaultKind::disk_slow) return "the disk has its old speed";
  if (kind == faults::FaultKind::disk_flush_lie) return "the disk obeys a flush again";
  if (kind == faults::FaultKind::disk_cut) return "the link to the disk is back";
  if (kind == faults::FaultKind::disk_error) return "the disk makes no errors any more";
  return "the power is back";
}

}  // namespace

std::vector<std::string> assumptions_of(const Drill& drill) {
  std::vector<std::string> lines;
  for (const HostSpec& host : drill.hosts) {
    if (host.disk) {
      lines.push_back("disk of " + host.name + ": " + assumptions_of(*host.disk));
      if (host.disk->mount != MountSpec()) {
        lines.push_back("disk of " + host.name +
                        ": the scenario says how its file system is made and mounted");
      }
    }
    if (host.kernel != HostSpec().kernel) {
      lines.push_back("host " + host.name + ": the scenario has it run a kernel " + host.kernel);
    }
    if (host.dirty) {
      lines.push_back("host " + host.name + ": the scenario sets its vm.dirty_* limits");
    }
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
      "CPU time: it costs nothing, so no throughput is printed"};
  for (const Lines part : {Lines(sim::kNetNotModelled), Lines(sim::kDiskNotModelled),
                           Lines(sim::kPageCacheNotModelled), Lines(sim::kFsNotModelled),
                           Lines(sim::kHostNotModelled), Lines(sim::kProfilesNotModelled)}) {
    lines.insert(lines.end(), part.begin(), part.end());
  }
  return lines;
}

}  // namespace drydock::scenarios
