#include "scenarios/world_sim/event_log.hpp"

#include <algorithm>

namespace drydock::scenarios {

Context& EventLog::traced(Context& context, std::size_t broker) {
  if (broker != kNoBroker && ends_.size() <= broker) ends_.resize(broker + 1);
  traced_.push_back(std::make_unique<Traced>(*this, context, broker));
  return traced_.back()->context;
}

void EventLog::Tap::event(EventName name, std::int64_t a, std::int64_t b) {
  ++log_.counts_[static_cast<std::size_t>(name)];
  switch (name) {
    case EventName::store_recovery_finished:
    case EventName::store_appended:
      log_.ends_.at(broker_) = name == EventName::store_appended ? a + b : a;
      [[fallthrough]];
    case EventName::store_flushed:
      log_.entries_.push_back({name, broker_, log_.kernel_.now(), a, b});
      break;
    case EventName::serving_started: log_.serving_.push_back(a); break;
    case EventName::broker_registered: log_.registered_.push_back(a); break;
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
    } else if (entry.name == EventName::store_appended) {
      facts.appended_to = entry.a + entry.b;
    } else {
      facts.flushed_to = entry.a;
      facts.last_flush_ns = entry.time_ns;
    }
  }
  return facts;
}

std::int64_t EventLog::end_of_log(std::size_t broker) const {
  return broker < ends_.size() ? ends_[broker] : 0;
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
