#include "scenarios/world_sim/pool_of_broker.hpp"

#include <algorithm>

#include "scenarios/world_sim/memory_of_host.hpp"
#include "sim/profiles/quantity.hpp"

namespace drydock::scenarios {
namespace {

std::string text_of_size(std::int64_t bytes) { return sim::text_of(sim::ProfileUnit::size, bytes); }

std::string place_of(const Drill& drill, const BrokerSpec& broker, const std::string& key) {
  return drill.source.at("/topology/brokers/" + broker.name + key);
}

void check_pool(const Drill& drill, const BrokerSpec& broker, std::int64_t bytes) {
  if (broker.jvm.transient_pool_bytes > 0) {
    throw InputError(place_of(drill, broker, "/jvm/transient_pool") +
                     ": transientStorePoolEnable of its broker.conf takes " + text_of_size(bytes) +
                     " already; leave it out");
  }
  if (bytes > broker.jvm.direct_bytes) {
    throw InputError(place_of(drill, broker, "") + ": the transient pool of its broker.conf has " +
                     text_of_size(bytes) + ", more than jvm/direct of " +
                     text_of_size(broker.jvm.direct_bytes) +
                     ": it ends with an OutOfMemoryError: Direct buffer memory");
  }
}

// The drill as if it said itself what the configurations of this cell take.
void check_hosts(Drill drill, const Cell& cell) {
  for (std::size_t i = 0; i < drill.brokers.size(); ++i) {
    drill.brokers[i].jvm.transient_pool_bytes += pool_bytes_of(cell.brokers[i]);
  }
  for (const HostSpec& host : drill.hosts) {
    if (host.memory) check_memory(drill, host);
  }
}

std::int64_t largest_pool(const Experiment& experiment, std::size_t broker) {
  std::int64_t largest = 0;
  for (const Cell& cell : experiment.cells) {
    largest = std::max(largest, pool_bytes_of(cell.brokers[broker]));
  }
  return largest;
}

}  // namespace

std::int64_t pool_bytes_of(const BrokerConfiguration& configuration) {
  const StoreConfiguration& store = configuration.store;
  const bool slave = configuration.ha.role == BrokerRole::slave;
  if (!store.transient_store_pool_enable || slave) return 0;
  return store.transient_store_pool_size * store.mapped_file_size_commit_log;
}

void check_pools(const Experiment& experiment) {
  for (const Cell& cell : experiment.cells) {
    const Drill& drill = drill_of(experiment, cell);
    bool any = false;
    for (std::size_t i = 0; i < drill.brokers.size(); ++i) {
      const std::int64_t bytes = pool_bytes_of(cell.brokers[i]);
      if (bytes == 0) continue;
      check_pool(drill, drill.brokers[i], bytes);
      any = true;
    }
    if (any) check_hosts(drill, cell);
  }
  for (std::size_t i = 0; i < experiment.drill.brokers.size(); ++i) {
    const BrokerSpec& broker = experiment.drill.brokers[i];
    const bool given = broker.jvm.direct_bytes != JvmSpec().direct_bytes;
    if (!given || broker.jvm.transient_pool_bytes > 0 || largest_pool(experiment, i) > 0) continue;
    throw InputError(
        place_of(experiment.drill, broker, "/jvm/direct") +
        ": without transient_pool, or transientStorePoolEnable in broker.conf, nothing "
        "takes of it");
  }
}

std::vector<std::string> pool_assumptions(const Experiment& experiment) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < experiment.drill.brokers.size(); ++i) {
    const std::int64_t bytes = largest_pool(experiment, i);
    if (bytes == 0) continue;
    lines.push_back(experiment.drill.brokers[i].name + ": its transient pool takes " +
                    text_of_size(bytes) + " of direct memory when it starts, all of it locked");
  }
  return lines;
}

}  // namespace drydock::scenarios
