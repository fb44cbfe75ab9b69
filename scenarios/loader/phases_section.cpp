// phases: how long each part of a run lasts, and what it waits for.
#include <algorithm>

#include "scenarios/drill/units.hpp"
#include "scenarios/loader/did_you_mean.hpp"
#include "scenarios/loader/sections.hpp"

namespace drydock::scenarios {
namespace {

// A judge waits for a second pass of the dispatch before it reads: see scenarios/audit.
constexpr Duration kJudgeMin = Duration::s(2);

void read_phase_end(const JsonAt& until, const Drill& drill, PhaseSpec& phase) {
  if (until.is_object()) {
    until.allow_only({"event", "occurrence"});
    phase.until = PhaseEnd::event;
    phase.event = read_event(until.at("event"));
    phase.occurrence = read_occurrence(until);
    return;
  }
  const std::string text = until.text();
  if (text == "writes-resume") {
    phase.until = PhaseEnd::writes_resume;
  } else if (text == "brokers-serving") {
    phase.until = PhaseEnd::brokers_serving;
    if (drill.brokers.empty()) until.refuse("the topology has no broker to wait for");
  } else if (text == "slaves-caught-up") {
    phase.until = PhaseEnd::slaves_caught_up;
    const bool slave = std::ranges::any_of(
        drill.brokers, [](const BrokerSpec& broker) { return broker.role == "slave"; });
    if (!slave) until.refuse("the topology has no slave to wait for");
  } else {
    until.refuse(
        "not supported; known here: writes-resume, brokers-serving, slaves-caught-up, and an event "
        "as {\"event\": NAME}" +
        did_you_mean(text, {"writes-resume", "brokers-serving", "slaves-caught-up"}));
  }
}

PhaseSpec read_phase(const JsonAt& json, const Drill& drill) {
  PhaseSpec phase;
  if (!json.is_object()) {
    phase.at_most = json.duration();
    return phase;
  }
  json.allow_only({"at_most", "until", "then"});
  phase.at_most = json.at("at_most").duration();
  read_phase_end(json.at("until"), drill, phase);
  if (json.has("then")) phase.then = json.at("then").duration();
  if (phase.then > Duration() && phase.then >= phase.at_most) {
    json.at("then").refuse("must be less than at_most, which ends the phase in any case");
  }
  return phase;
}

}  // namespace

std::uint64_t read_occurrence(const JsonAt& when) {
  if (!when.has("occurrence")) return 1;
  return static_cast<std::uint64_t>(when.at("occurrence").count(1, 1'000'000'000));
}

EventName read_event(const JsonAt& json) {
  const auto name = faults::event_named(json.text());
  if (!name) {
    json.refuse("there is no such event; drydock list shows them" +
                did_you_mean<EventName>(json.text()));
  }
  return *name;
}

void read_phases(const JsonAt& phases, Drill& drill) {
  phases.allow_only({"warm", "inject", "hold", "heal", "settle", "judge"});
  const auto phase = [&](const char* name) { return read_phase(phases.at(name), drill); };
  drill.phases = Phases{phase("warm"), phase("inject"), phase("hold"),
                        phase("heal"), phase("settle"), phase("judge")};
  if (drill.phases.judge.at_most < kJudgeMin) {
    phases.at("judge").refuse("must be at least " + text_of(kJudgeMin) +
                              ": it begins with a second for what is on its way");
  }
}

}  // namespace drydock::scenarios
