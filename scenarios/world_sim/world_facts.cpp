// What is to be seen of the world from outside: how its programs stand, and what became of them.
#include <algorithm>
#include <functional>

#include "scenarios/world_sim/sim_world.hpp"

namespace drydock::scenarios {
namespace {

void add(const StoreStats& life, reports::BrokerCounts& counts) {
  counts.put_message_times_total += life.totals().put_times;
  counts.put_message_size_total += life.put_size_total();
  counts.put_message_failed_times += life.put_failed_times();
  for (std::size_t i = 0; i < PutTimes::kBuckets; ++i) {
    counts.put_message_distribute_time[i] += life.all_put_times().count(i);
  }
  counts.get_found_times += life.totals().get_found_times;
  counts.get_miss_times += life.totals().get_miss_times;
  counts.get_transferred += life.totals().get_transferred;
  const auto raise = [](std::int64_t& max, std::int64_t value) { max = std::max(max, value); };
  raise(counts.put_message_entire_time_max_ms, life.put_time_max_ms());
  raise(counts.get_message_entire_time_max_ms, life.get_time_max_ms());
  raise(counts.page_cache_lock_time_max_ms, life.lock_time_max().count_ms());
  raise(counts.dispatch_behind_bytes_max, life.dispatch_behind_max());
}

}  // namespace

bool SimWorld::shared_disks_mounted() const {
  return std::ranges::all_of(owners_, [](const auto& owner) {
    return owner->process != nullptr && !owner->process->alive();
  });
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

bool SimWorld::dispatching(std::size_t broker) const {
  const Service& service = *brokers_[broker];
  const bool lives = service.process != nullptr && service.process->alive();
  return lives && !service.stats.empty() && service.stats.back()->dispatching();
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

std::vector<reports::RefusedOpens> SimWorld::refused_opens() const {
  std::map<std::string, std::int64_t> counts = refused_opens_;
  for (const Services* const services : all_services()) {
    for (const auto& service : *services) {
      if (service->process == nullptr || !service->process->alive()) continue;
      counts[service->name] += service->process->descriptors().refused();
    }
  }
  std::vector<reports::RefusedOpens> facts;
  for (const auto& [process, count] : counts) {
    if (count > 0) facts.push_back({process, count});
  }
  return facts;
}

std::vector<reports::DiskUse> SimWorld::disk_use() {
  std::vector<reports::DiskUse> all;
  for (const auto& machine : machines_) {
    if (machine->disk == nullptr) continue;
    const sim::IoCounters io = machine->disk->queue_of(machine->host->id()).io();
    const sim::FaultCounters& pages = machine->files->cache().faults();
    all.push_back({.host = machine->host->name(),
                   .ended_ns = kernel_.now(),
                   .reads = io.reads,
                   .writes = io.writes,
                   .read_bytes = io.read_bytes,
                   .written_bytes = io.written_bytes,
                   .read_ns = io.read_ns,
                   .write_ns = io.write_ns,
                   .busy_ns = io.busy_ns,
                   .queue_ns = io.queue_ns,
                   .pages_touched = pages.touched,
                   .pages_read = pages.pages_read});
  }
  return all;
}

std::vector<reports::BrokerCounts> SimWorld::broker_counts(std::int64_t load_end_ns) const {
  std::vector<reports::BrokerCounts> all;
  for (const auto& broker : brokers_) {
    reports::BrokerCounts counts;
    counts.broker = broker->name;
    if (!name_servers_.empty()) {
      counts.registration_gap_max_ns = events_.registration_gap_ns(all.size(), load_end_ns);
    }
    for (const auto& life : broker->stats) add(*life, counts);
    all.push_back(std::move(counts));
  }
  return all;
}

reports::OwnershipReport SimWorld::ownership() const {
  reports::OwnershipReport report;
  for (const auto& disk : shared_disks_) {
    report.stale_reads += disk->ownership().stale_reads();
    report.foreign_writes += disk->ownership().foreign_writes();
  }
  return report;
}

bool SimWorld::files_damaged(const std::string& host) const {
  return std::ranges::any_of(machines_, [&](const auto& machine) {
    if (machine->host->name() != host || machine->shared != nullptr) return false;
    return machine->files != nullptr && machine->files->mount().damaged();
  });
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

}  // namespace drydock::scenarios
