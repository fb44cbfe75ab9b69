// The supervisors: when programs start, what ends them, and when they start again.
#include <utility>

#include "scenarios/world_sim/no_files.hpp"
#include "scenarios/world_sim/pool_of_broker.hpp"
#include "scenarios/world_sim/sim_world.hpp"

namespace drydock::scenarios {
namespace {

// A supervisor looks again after this time if the old process has not ended yet.
constexpr Duration kRestartRetry = Duration::ms(100);

}  // namespace

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

void SimWorld::process_ended(sim::Host&, sim::SimProcess& process) {
  for (const Services* const services : all_services()) {
    for (const auto& service : *services) {
      if (service->process != &process) continue;
      refused_opens_[service->name] += process.descriptors().refused();
    }
  }
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

void SimWorld::log(const sim::Host& host, void (EventLog::*what)(std::size_t broker)) {
  for (std::size_t i = 0; i < brokers_.size(); ++i) {
    if (brokers_[i]->machine.host.get() == &host) (events_.*what)(i);
  }
  for (std::size_t i = 0; i < writers_.size(); ++i) {
    if (writers_[i]->machine.host.get() == &host) (events_.*what)(brokers_.size() + i);
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
  if (service.jvm) {
    sim::JvmOptions jvm = *service.jvm;
    if (service.configuration) jvm.transient_pool_bytes += pool_bytes_of(*service.configuration);
    service.process->use_jvm(jvm);
  }
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

}  // namespace drydock::scenarios
