#include "scenarios/world_sim/sim_world.hpp"

#include <algorithm>

namespace drydock::scenarios {

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
  for (const SharedDiskSpec& spec : drill.shared_disks) add_shared_disk(spec, drill);
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

}  // namespace drydock::scenarios
