#include "scenarios/world_sim/event_log.hpp"

#include <algorithm>
#include <utility>

namespace drydock::scenarios {

Context& EventLog::traced(Context& context, std::size_t broker) {
  if (broker != kNoBroker && ends_.size() <= broker) ends_.resize(broker + 1);
  if (broker != kNoBroker) life_begins(broker);
  traced_.push_back(std::make_unique<Traced>(*this, context, broker));
  return traced_.back()->context;
}

void EventLog::keep(const Entry& entry) {
  BrokerState& it = state(entry.broker);
  if (entry.name == EventName::store_recovery_finished) {
    it.last_append.reset();
    it.last_flush.reset();
    it.last_commit.reset();
    entries_.push_back(entry);
    return;
  }
  auto& last = entry.name == EventName::store_appended    ? it.last_append
               : entry.name == EventName::store_committed ? it.last_commit
                                                          : it.last_flush;
  // What a fault has found stays.
  const bool replaces =
      provenance_ == Provenance::latest && last && entries_[*last].time_ns > latest_fault_ns_();
  if (replaces) {
    entries_[*last] = entry;
    return;
  }
  last = entries_.size();
  entries_.push_back(entry);
}

void EventLog::life_begins(std::size_t broker) {
  BrokerState& it = state(broker);
  reports::BrokerLife life = std::exchange(it.next, {});
  life.started_ns = kernel_.now();
  it.new_slaves.clear();
  it.registered_ns = kernel_.now();
  ++it.lives;
  it.life = way_.lives.size();
  way_.lives.push_back(life);
}

EventLog::BrokerState& EventLog::state(std::size_t broker) {
  if (broker >= states_.size()) states_.resize(broker + 1);
  return states_[broker];
}

reports::BrokerLife* EventLog::latest_life(std::size_t broker) {
  if (broker == kNoBroker || state(broker).lives == 0) return nullptr;
  return &way_.lives[state(broker).life];
}

void EventLog::power_back(std::size_t broker) {
  next_life(broker).power_back_ns = kernel_.now();
  next_life(broker).mounted_ns = -1;
}

// A process that starts before waits for it in its first call.
void EventLog::mounted(std::size_t broker) {
  reports::BrokerLife& next = next_life(broker);
  reports::BrokerLife* const life = latest_life(broker);
  if (next.power_back_ns >= 0) {
    next.mounted_ns = kernel_.now();
  } else if (life != nullptr && life->power_back_ns >= 0 && life->mounted_ns < 0) {
    life->mounted_ns = kernel_.now();
  }
}

// The first word of a slave after it has connected.
void EventLog::slave_acknowledged(std::size_t broker, std::int64_t address) {
  if (std::erase(state(broker).new_slaves, address) > 0) {
    way_.slave_acks_ns.push_back(kernel_.now());
  }
}

void EventLog::registered_again(std::size_t broker) {
  BrokerState& it = state(broker);
  const std::int64_t gap = kernel_.now() - it.registered_ns;
  it.registration_gap_ns = std::max(it.registration_gap_ns, gap);
  it.registered_ns = kernel_.now();
}

std::int64_t EventLog::registration_gap_ns(std::size_t broker, std::int64_t until_ns) const {
  if (broker >= states_.size()) return 0;
  const BrokerState& it = states_[broker];
  return std::max(it.registration_gap_ns, until_ns - it.registered_ns);
}

void EventLog::Tap::event(EventName name, std::int64_t a, std::int64_t b) {
  switch (name) {
    case EventName::store_recovery_finished:
    case EventName::store_appended:
      log_.ends_.at(broker_) = name == EventName::store_appended ? a + b : a;
      [[fallthrough]];
    case EventName::store_committed:
    case EventName::store_flushed: log_.keep({name, broker_, log_.kernel_.now(), a, b}); break;
    case EventName::store_file_deleted: log_.state(broker_).expired_to = b; break;
    case EventName::serving_started:
      log_.serving_.push_back(a);
      if (reports::BrokerLife* const life = log_.latest_life(broker_)) {
        life->serving_ns = log_.kernel_.now();
      }
      break;
    case EventName::ha_slave_connected: log_.state(broker_).new_slaves.push_back(a); break;
    case EventName::ha_slave_acknowledged: log_.slave_acknowledged(broker_, b); break;
    case EventName::client_route_changed:
      if (a > 0) log_.way_.routes_ns.push_back(log_.kernel_.now());
      break;
    case EventName::broker_registered:
      log_.registered_.push_back(a);
      log_.registered_again(broker_);
      break;
    default: break;
  }
  behind_.event(name, a, b);
}

// Nothing of a killed process or a dark host is told after the fault in the same moment, so "at the
// time of the fault" is before it.
reports::StoreFacts EventLog::store_facts(std::size_t broker, std::int64_t fault_ns) const {
  reports::StoreFacts facts;
  facts.fault_ns = fault_ns;
  for (const Entry& entry : entries_) {
    if (entry.broker != broker) continue;
    const bool recovery = entry.name == EventName::store_recovery_finished;
    if (fault_ns >= 0 && entry.time_ns > fault_ns) {
      if (!recovery) continue;
      facts.recovered_to = entry.a;
      break;
    }
    if (recovery) {
      facts.appended_to = entry.a;
      facts.flushed_to = entry.a;
      facts.committed_to = -1;
    } else if (entry.name == EventName::store_appended) {
      facts.appended_to = entry.a + entry.b;
    } else if (entry.name == EventName::store_committed) {
      facts.committed_to = entry.a;
    } else {
      facts.flushed_to = entry.a;
      facts.last_flush_ns = entry.time_ns;
    }
  }
  return facts;
}

std::vector<reports::StoreEvent> EventLog::store_events(std::size_t broker) const {
  ENSURE(provenance_ == Provenance::full);
  using Kind = reports::StoreEvent::Kind;
  std::vector<reports::StoreEvent> events;
  for (const Entry& entry : entries_) {
    if (entry.broker != broker) continue;
    reports::StoreEvent event;
    event.time_ns = entry.time_ns;
    event.to = entry.a;
    if (entry.name == EventName::store_appended) {
      event.from = entry.a;
      event.to = entry.a + entry.b;
    } else if (entry.name == EventName::store_committed) {
      event.kind = Kind::committed;
    } else {
      event.kind = entry.name == EventName::store_flushed ? Kind::flushed : Kind::recovered;
    }
    events.push_back(event);
  }
  return events;
}

std::int64_t EventLog::end_of_log(std::size_t broker) const {
  return broker < ends_.size() ? ends_[broker] : 0;
}

std::int64_t EventLog::expired_to(std::size_t broker) const {
  return broker < states_.size() ? states_[broker].expired_to : 0;
}

namespace {

bool among(const std::vector<std::int64_t>& processes, ProcessId process) {
  return std::ranges::find(processes, static_cast<std::int64_t>(process.value())) !=
         processes.end();
}

}  // namespace

bool EventLog::serving(ProcessId process) const { return among(serving_, process); }

bool EventLog::registered(ProcessId process) const { return among(registered_, process); }

}  // namespace drydock::scenarios
