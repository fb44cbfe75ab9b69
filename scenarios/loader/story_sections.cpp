// phases, faults, matrix, expectations: what happens, and what should follow.
#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>

#include "scenarios/drill/conf_key.hpp"
#include "scenarios/drill/units.hpp"
#include "scenarios/loader/did_you_mean.hpp"
#include "scenarios/loader/sections.hpp"

namespace drydock::scenarios {
namespace {

// A judge waits for a second pass of the dispatch before it reads: see scenarios/audit.
constexpr Duration kJudgeMin = Duration::s(2);

using Names = std::vector<std::string_view>;
void append(Names& names, const Names& more) {
  names.insert(names.end(), more.begin(), more.end());
}

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

void read_phase_end(const JsonAt& until, PhaseSpec& phase) {
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
  } else if (text == "slaves-caught-up") {
    phase.until = PhaseEnd::slaves_caught_up;
  } else {
    until.refuse(
        "not supported; known here: writes-resume, brokers-serving, slaves-caught-up, and an event "
        "as {\"event\": NAME}" +
        did_you_mean(text, {"writes-resume", "brokers-serving", "slaves-caught-up"}));
  }
}

PhaseSpec read_phase(const JsonAt& json) {
  PhaseSpec phase;
  if (!json.is_object()) {
    phase.at_most = json.duration();
    return phase;
  }
  json.allow_only({"at_most", "until", "then"});
  phase.at_most = json.at("at_most").duration();
  read_phase_end(json.at("until"), phase);
  if (json.has("then")) phase.then = json.at("then").duration();
  return phase;
}

template <typename Specs>
bool has_name(const Specs& specs, const std::string& name) {
  return std::ranges::any_of(specs, [&](const auto& spec) { return spec.name == name; });
}

// Whether something of the topology has that role at the start.
bool has_role(const Drill& drill, const std::string& role) {
  if (role == "nameserver") return !drill.name_servers.empty();
  return std::ranges::any_of(drill.brokers,
                             [&](const BrokerSpec& broker) { return broker.role == role; });
}

Names roles_of(const Drill& drill) {
  Names roles;
  for (const char* role : {"master", "slave", "nameserver"}) {
    if (has_role(drill, role)) roles.push_back(role);
  }
  return roles;
}

// Whom a fault of this kind may hit: a process, for some kinds a host, too.
faults::Selector read_selector(const JsonAt& json, faults::FaultKind kind, const Drill& drill) {
  const std::string text = json.text();
  const std::string role = "role:";
  if (text.starts_with(role)) {
    const std::string value = text.substr(role.size());
    if (!has_role(drill, value)) {
      json.refuse("nothing in the topology has the role '" + value + "'" +
                  did_you_mean(value, roles_of(drill)));
    }
    return faults::Selector{faults::Selector::By::role, value};
  }
  const bool of_broker = kind == faults::FaultKind::operator_promote;
  const bool of_host = !of_broker && kind != faults::FaultKind::process_kill;
  const bool known = has_name(drill.brokers, text) ||
                     (!of_broker && has_name(drill.name_servers, text)) ||
                     (of_host && has_name(drill.hosts, text));
  if (!known) {
    const std::string what = of_broker ? "broker '" : of_host ? "host or process '" : "process '";
    Names names = names_of(drill.brokers);
    if (!of_broker) append(names, names_of(drill.name_servers));
    if (of_host) append(names, names_of(drill.hosts));
    json.refuse("there is no " + what + text + "'; a role is written role:NAME" +
                did_you_mean(text, names));
  }
  return faults::Selector{faults::Selector::By::name, text};
}

void read_trigger(const JsonAt& when, FaultSpec& fault) {
  if (when.has("at")) {
    when.allow_only({"at"});
    const Duration at = when.at("at").duration();
    fault.when = BetweenTimes{at, at};
  } else if (when.has("between")) {
    when.allow_only({"between"});
    const std::vector<JsonAt> ends = when.at("between").items();
    if (ends.size() != 2) when.at("between").refuse("must be two durations");
    const BetweenTimes between{ends[0].duration(), ends[1].duration()};
    if (between.high < between.low) when.at("between").refuse("ends before it begins");
    fault.when = between;
  } else if (when.has("event")) {
    when.allow_only({"event", "occurrence"});
    const EventName name = read_event(when.at("event"));
    fault.when = faults::AtEvent{name, read_occurrence(when)};
  } else if (when.has("crash_point")) {
    when.allow_only({"crash_point", "occurrence"});
    const auto point = faults::crash_point_named(when.at("crash_point").text());
    if (!point) {
      const std::string written = when.at("crash_point").text();
      when.at("crash_point")
          .refuse("there is no such point; drydock list shows them" +
                  did_you_mean<CrashPoint>(written));
    }
    fault.when = faults::AtCrashPoint{*point, read_occurrence(when)};
  } else {
    when.refuse("must have one of at, between, event, crash_point");
  }
}

// "; did you mean 'x'?" among what has a host, or nothing.
std::string nearest_host(const Drill& drill, const std::string& name) {
  Names names = {kAllOthers};
  append(names, names_of(drill.hosts));
  append(names, names_of(drill.brokers));
  append(names, names_of(drill.name_servers));
  return did_you_mean(name, names);
}

// Whether a partition would cut a host off from itself. Only a promotion moves a role.
bool cuts_itself_off(const Drill& drill, const faults::Selector& on, const faults::Selector& from,
                     bool promotes) {
  if (on == from) return true;
  const bool by_names =
      on.by == faults::Selector::By::name && from.by == faults::Selector::By::name;
  if (promotes && !by_names) return false;
  return host_at_start(drill, on) == host_at_start(drill, from);
}

// Promotions are of slaves; crash points are places in a broker.
void refuse_pointless(const JsonAt& json, const FaultSpec& fault, const Drill& drill) {
  const bool by_role = fault.on.by == faults::Selector::By::role;
  const BrokerSpec* const broker = by_role ? nullptr : find_broker(drill, fault.on.value);
  if (fault.kind == faults::FaultKind::operator_promote) {
    const std::string role = by_role ? fault.on.value : broker->role;
    if (role != "slave") json.at("on").refuse("must be a slave: only a slave can be promoted");
  }
  if (!std::holds_alternative<faults::AtCrashPoint>(fault.when)) return;
  const std::string& name = fault.on.value;
  const bool has_broker =
      by_role ? name != "nameserver"
              : broker != nullptr || std::ranges::find(drill.brokers, name, &BrokerSpec::host) !=
                                         drill.brokers.end();
  if (!has_broker) json.at("on").refuse("runs no broker, and only brokers reach crash points");
}

faults::Separation read_separation(const JsonAt& json, const faults::Selector& on,
                                   const Drill& drill, bool promotes) {
  faults::Separation separation;
  if (json.has("direction")) {
    const auto direction = faults::cut_direction_named(json.at("direction").text());
    if (!direction) {
      json.at("direction")
          .refuse("must be both, incoming or outgoing" +
                  did_you_mean(json.at("direction").text(), {"both", "incoming", "outgoing"}));
    }
    separation.direction = *direction;
  }
  if (!json.has("from")) return separation;
  const JsonAt from = json.at("from");
  const std::string name = from.text();
  if (name == kAllOthers) return separation;
  const bool by_role = name.starts_with("role:");
  if (!by_role && host_named(drill, name).empty()) {
    from.refuse("there is no host or process '" + name + "'" + nearest_host(drill, name));
  }
  separation.from = read_selector(from, faults::FaultKind::net_partition, drill);
  if (cuts_itself_off(drill, on, *separation.from, promotes)) {
    from.refuse("a host is never cut off from itself");
  }
  return separation;
}

// Which kinds of faults have a member of their own.
bool takes(faults::FaultKind kind, std::string_view key) {
  if (key == "from" || key == "direction") return kind == faults::FaultKind::net_partition;
  return takes_of_disk(kind, key);
}

// `promotes`: its set has a promotion.
FaultSpec read_fault(const JsonAt& json, const Drill& drill, bool promotes) {
  json.allow_only({"do", "on", "when", "for", "from", "direction", "part", "factor", "times",
                   "range", "status", "abort", "reset", "late_by"});
  FaultSpec fault;
  const auto kind = faults::fault_kind_named(json.at("do").text());
  if (!kind) {
    const std::string name = json.at("do").text();
    json.at("do").refuse("'" + name + "' is not supported; drydock list shows the kinds of faults" +
                         did_you_mean<faults::FaultKind>(name));
  }
  fault.kind = *kind;
  fault.on = read_selector(json.at("on"), fault.kind, drill);
  read_trigger(json.at("when"), fault);
  refuse_pointless(json, fault, drill);
  if (json.has("for")) fault.lasts = json.at("for").duration();
  if (fault.lasts && !faults::is_taken_back(fault.kind)) {
    json.at("for").refuse(std::string(faults::name_of(fault.kind)) + " is never taken back");
  }
  for (const char* key : {"from", "direction", "part", "factor", "times", "range", "status",
                          "abort", "reset", "late_by"}) {
    if (!json.has(key) || takes(fault.kind, key)) continue;
    json.at(key).refuse(std::string(faults::name_of(fault.kind)) + " has no such member");
  }
  if (fault.kind == faults::FaultKind::net_partition) {
    fault.separation = read_separation(json, fault.on, drill, promotes);
  }
  if (faults::of_disk(fault.kind)) fault.trouble = read_disk_trouble(json, fault, drill);
  return fault;
}

// Places that cells may differ in: the world and what happens in it. The rest makes the cells.
void refuse_fixed_path(const JsonAt& json, const std::string& path) {
  for (const char* part :
       {"topology/hosts/", "topology/disks/", "behaviour/set/", "load/", "phases/", "faults/"}) {
    if (path.starts_with(part)) return;
  }
  json.refuse(
      "only places in topology/hosts, topology/disks, behaviour/set, load, phases and faults can "
      "be "
      "varied");
}

// A named choice of several keys of broker.conf and places of the scenario.
void read_variants(const JsonAt& json, Axis& axis) {
  for (const std::string& name : json.keys()) {
    axis.values.push_back(name);
    std::vector<std::pair<std::string, std::string>>& settings = axis.variants[name];
    const JsonAt variant = json.at(name);
    for (const std::string& key : variant.keys()) {
      if (is_scenario_path(key)) {
        refuse_fixed_path(variant.at(key), key);
        settings.emplace_back(key, variant.at(key).any_text());
      } else {
        settings.emplace_back(key, read_conf_value(variant, key));
      }
    }
  }
  if (axis.values.empty()) json.refuse("must have a value");
}

Axis read_axis(const std::string& key, const JsonAt& json, const Drill& drill) {
  Axis axis;
  axis.key = key;
  if (json.is_object() && key != kFaultAxis) {
    read_variants(json, axis);
    return axis;
  }
  const bool path = is_scenario_path(key);
  if (path) refuse_fixed_path(json, key);
  if (key != kFaultAxis && !path) {
    const std::string why = why_unknown(key);
    if (!why.empty()) json.refuse(why);
  }
  for (const JsonAt& item : json.items()) {
    const std::string value = path ? item.any_text() : item.scalar();
    if (key == kFaultAxis && !drill.fault_sets.contains(value)) {
      item.refuse("there is no '" + value + "' in /faults" +
                  did_you_mean(value, keys_of(drill.fault_sets)));
    }
    if (std::find(axis.values.begin(), axis.values.end(), value) != axis.values.end()) {
      item.refuse("occurs twice");
    }
    axis.values.push_back(value);
  }
  if (axis.values.empty()) json.refuse("must have a value");
  return axis;
}

// Every quantity that an expectation may speak of, as an expectation that says nothing else.
std::vector<reports::Expectation> quantities() {
  std::vector<reports::Expectation> all;
  for (int i = 0; i < static_cast<int>(reports::Metric::count_); ++i) {
    const auto metric = static_cast<reports::Metric>(i);
    if (!reports::is_of_waits(metric)) {
      all.push_back({.metric = metric});
      continue;
    }
    for (std::size_t place = 1; place < kWaitPlaces; ++place) {
      all.push_back({.metric = metric, .place = static_cast<WaitPlace>(place)});
    }
  }
  return all;
}

void read_quantity(const JsonAt& json, const std::string& name, reports::Expectation& expectation) {
  std::vector<std::string> known;
  for (const reports::Expectation& quantity : quantities()) {
    known.push_back(reports::quantity_of(quantity));
    if (known.back() != name) continue;
    expectation.metric = quantity.metric;
    expectation.place = quantity.place;
    return;
  }
  json.refuse("there is no quantity '" + name + "'; drydock list shows them" +
              did_you_mean(name, {known.begin(), known.end()}));
}

std::optional<reports::Comparison> comparison_named(const std::string& name) {
  using reports::Comparison;
  for (const Comparison c : {Comparison::equal, Comparison::less_equal, Comparison::less,
                             Comparison::greater_equal, Comparison::greater}) {
    if (name == reports::name_of(c)) return c;
  }
  return std::nullopt;
}

// No quantity is ever below 0: what speaks of that always holds, or never.
void refuse_negative(const JsonAt& json, const reports::Expectation& expectation) {
  const std::int64_t bound = expectation.bound.value_or(0);
  const bool below = expectation.comparison == reports::Comparison::less && bound == 0;
  if (bound < 0 || below) json.refuse("nothing that is counted or measured is ever below 0");
}

// "acked_loss = 0", "rto.client <= 30 s".
void read_condition(const JsonAt& json, reports::Expectation& expectation) {
  std::istringstream words(json.text());
  std::string metric;
  std::string comparison;
  std::string bound;
  words >> metric >> comparison >> std::ws;
  std::getline(words, bound);
  read_quantity(json, metric, expectation);
  const auto known_comparison = comparison_named(comparison);
  if (!known_comparison) json.refuse("must compare with one of = < <= > >=");
  expectation.comparison = *known_comparison;
  if (reports::is_time(expectation.metric)) {
    const bool may_never_come = reports::is_outage(expectation.metric);
    if (may_never_come && bound == "never" && *known_comparison == reports::Comparison::equal) {
      expectation.bound.reset();
      return;
    }
    const auto time = parse_duration(bound);
    if (!time) json.refuse("must end with a duration: " + std::string(kDurationForm));
    if (*time > kDurationMax) json.refuse("must end with at most " + text_of(kDurationMax));
    expectation.bound = time->count_ns();
    refuse_negative(json, expectation);
    return;
  }
  const auto [end, error] =
      std::from_chars(bound.data(), bound.data() + bound.size(), *expectation.bound);
  if (error != std::errc() || end != bound.data() + bound.size()) {
    json.refuse("must end with an integer");
  }
  refuse_negative(json, expectation);
}

// Over what of a cell's runs an expectation speaks: the one member that says so.
reports::Over read_over(const JsonAt& json) {
  using reports::Over;
  std::optional<Over> found;
  for (const Over over : {Over::every_run, Over::total, Over::p50, Over::p90, Over::p99}) {
    if (!json.has(std::string(reports::name_of(over)).c_str())) continue;
    if (found) json.refuse("must have only one of every_run, total, p50, p90, p99");
    found = over;
  }
  if (!found) json.refuse("must have one of every_run, total, p50, p90, p99");
  return *found;
}

// Whose waits an expectation speaks of.
void read_process_of(const JsonAt& json, const Drill& drill, reports::Expectation& expectation) {
  if (!reports::is_of_waits(expectation.metric)) json.refuse("only waits are somebody's");
  expectation.process = json.name();
  Names known = names_of(drill.brokers);
  append(known, names_of(drill.writers));
  append(known, names_of(drill.readers));
  append(known, names_of(drill.standbys));
  if (std::ranges::find(known, expectation.process) == known.end()) {
    json.refuse("there is no broker, writer, reader or standby '" + expectation.process + "'" +
                did_you_mean(expectation.process, known));
  }
}

reports::Expectation read_expectation(const JsonAt& json, const Drill& drill) {
  json.allow_only({"cells", "every_run", "total", "p50", "p90", "p99", "of"});
  reports::Expectation expectation;
  expectation.over = read_over(json);
  const std::string over(reports::name_of(expectation.over));
  read_condition(json.at(over), expectation);
  if (expectation.over == reports::Over::total && reports::is_time(expectation.metric)) {
    json.at(over).refuse("times have no total");
  }
  if (json.has("of")) read_process_of(json.at("of"), drill, expectation);
  if (!json.has("cells")) return expectation;
  const JsonAt cells = json.at("cells");
  for (const std::string& key : cells.keys()) {
    const bool known = std::any_of(drill.matrix.begin(), drill.matrix.end(),
                                   [&](const Axis& axis) { return axis.key == key; });
    if (!known) cells.at(key).refuse("the matrix has no such axis");
    expectation.cells[key] = cells.at(key).scalar();
  }
  return expectation;
}

}  // namespace

void read_phases(const JsonAt& phases, Drill& drill) {
  phases.allow_only({"warm", "inject", "hold", "heal", "settle", "judge"});
  drill.phases = Phases{read_phase(phases.at("warm")),   read_phase(phases.at("inject")),
                        read_phase(phases.at("hold")),   read_phase(phases.at("heal")),
                        read_phase(phases.at("settle")), read_phase(phases.at("judge"))};
  if (drill.phases.judge.at_most < kJudgeMin) {
    phases.at("judge").refuse("must be at least " + text_of(kJudgeMin) +
                              ": it begins with a second for what is on its way");
  }
}

void read_faults(const JsonAt& faults, Drill& drill) {
  for (const std::string& name : faults.keys()) {
    std::vector<FaultSpec>& set = drill.fault_sets[name];
    const JsonAt list = faults.at(name);
    const std::vector<JsonAt> items = list.items();
    const bool promotes = std::ranges::any_of(items, [](const JsonAt& fault) {
      return fault.at("do").text() == faults::name_of(faults::FaultKind::operator_promote);
    });
    for (const JsonAt& fault : items) set.push_back(read_fault(fault, drill, promotes));
    const bool breaks =
        std::ranges::any_of(set, [](const FaultSpec& fault) { return faults::breaks(fault.kind); });
    if (!breaks) list.refuse("must hold a fault, not only what operators do about one");
    refuse_hidden_lies(items, set);
  }
}

void refuse_late_faults(const JsonAt& faults, const Drill& drill) {
  const Duration armed = drill.phases.inject.at_most + drill.phases.hold.at_most;
  for (const auto& [name, set] : drill.fault_sets) {
    const std::vector<JsonAt> items = faults.at(name).items();
    for (std::size_t i = 0; i < set.size(); ++i) {
      const auto* const between = std::get_if<BetweenTimes>(&set[i].when);
      if (between == nullptr || between->high <= armed) continue;
      items[i].at("when").refuse("is later than the phases inject and hold, which last " +
                                 text_of(armed) + " at most");
    }
  }
}

void read_matrix(const JsonAt& matrix, Drill& drill) {
  for (const std::string& key : matrix.keys()) {
    drill.matrix.push_back(read_axis(key, matrix.at(key), drill));
  }
}

void read_expectations(const JsonAt& expectations, Drill& drill) {
  for (const JsonAt& json : expectations.items()) {
    drill.expectations.push_back(read_expectation(json, drill));
  }
}

}  // namespace drydock::scenarios
