// The programs of a drill, each with what it has to know of the others.
#include "engine/broker/broker.hpp"
#include "engine/nameserver/name_server.hpp"
#include "scenarios/workload/consumer_program.hpp"
#include "scenarios/workload/node_key.hpp"
#include "scenarios/workload/owner_program.hpp"
#include "scenarios/workload/producer_program.hpp"
#include "scenarios/workload/reader_program.hpp"
#include "scenarios/workload/standby_program.hpp"
#include "scenarios/workload/writer_program.hpp"
#include "scenarios/world_sim/device_path.hpp"
#include "scenarios/world_sim/jvm_of_program.hpp"
#include "scenarios/world_sim/sim_world.hpp"

namespace drydock::scenarios {

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
    Service& broker = *brokers_[index];
    broker.stats.push_back(std::make_shared<StoreStats>());
    BrokerWatch watch;
    watch.stats = broker.stats.back();
    return run_broker(events_.traced(context, index), *broker.configuration, std::move(watch));
  };
  brokers_.push_back(std::make_unique<Service>(*this, spec.name, spec.role, machine(spec.host),
                                               std::move(program)));
  // A user's file speaks of the user's hosts; these have addresses of their own.
  BrokerConfiguration here = configuration;
  here.broker_ip1 = 0;
  here.broker_ip2 = 0;
  here.name_servers = name_server_endpoints_;
  here.store.cpu = machine(spec.host).prices;
  const std::int64_t memory = brokers_.back()->machine.memory_bytes;
  if (memory > 0) here.store.total_memory_bytes = memory;
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

}  // namespace drydock::scenarios
