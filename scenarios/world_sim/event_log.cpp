#include "scenarios/world_sim/event_log.hpp"

namespace drydock::scenarios {

Context& EventLog::traced(Context& context) {
  traced_.push_back(std::make_unique<Traced>(*this, context));
  return traced_.back()->context;
}

void EventLog::Tap::event(EventName name, std::int64_t a, std::int64_t b) {
  switch (name) {
    case EventName::store_recovery_finished:
    case EventName::store_appended:
    case EventName::store_flushed: log_.entries_.push_back({name, log_.kernel_.now(), a, b}); break;
    default: break;
  }
  behind_.event(name, a, b);
}

// Nothing of a killed process or a dark host is told after the fault in the same moment, so "at the
// time of the fault" is before it.
reports::StoreFacts EventLog::store_facts(std::int64_t fault_ns) const {
  reports::StoreFacts facts;
  facts.fault_ns = fault_ns;
  for (const Entry& entry : entries_) {
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

std::int64_t EventLog::end_of_log() const {
  std::int64_t end = 0;
  for (const Entry& entry : entries_) {
    if (entry.name == EventName::store_recovery_finished) end = entry.a;
    if (entry.name == EventName::store_appended) end = entry.a + entry.b;
  }
  return end;
}

}  // namespace drydock::scenarios
