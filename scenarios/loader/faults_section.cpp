// faults: what is done to whom, and when.
#include <algorithm>
#include <optional>

#include "scenarios/loader/did_you_mean.hpp"
#include "scenarios/loader/sections.hpp"

namespace drydock::scenarios {
namespace {

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
  const bool of_broker = kind == faults::FaultKind::operator_promote ||
                         kind == faults::FaultKind::operator_demote ||
                         kind == faults::FaultKind::net_stray_client;
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

// What operators do about the faults of a set.
struct Operators {
  bool promote = false;
  bool demote = false;
};

// Whether a partition would cut a host off from itself. Only operators move a role.
bool cuts_itself_off(const Drill& drill, const faults::Selector& on, const faults::Selector& from,
                     bool roles_move) {
  if (on == from) return true;
  const bool by_names =
      on.by == faults::Selector::By::name && from.by == faults::Selector::By::name;
  if (roles_move && !by_names) return false;
  return host_at_start(drill, on) == host_at_start(drill, from);
}

// Promotions are of slaves, or of who was made one; crash points are places in a broker.
void refuse_pointless(const JsonAt& json, const FaultSpec& fault, const Drill& drill,
                      Operators operators) {
  const bool by_role = fault.on.by == faults::Selector::By::role;
  const BrokerSpec* const broker = by_role ? nullptr : find_broker(drill, fault.on.value);
  if (fault.kind == faults::FaultKind::operator_promote) {
    const std::string role = by_role ? fault.on.value : broker->role;
    if (role != "slave" && !operators.demote) {
      json.at("on").refuse("must be a slave: only a slave can be promoted");
    }
  }
  const bool of_master = fault.kind == faults::FaultKind::operator_demote ||
                         fault.kind == faults::FaultKind::net_stray_client;
  if (of_master && by_role && fault.on.value == "nameserver") {
    json.at("on").refuse("must be a broker");
  }
  if (fault.kind == faults::FaultKind::operator_demote && drill.name_servers.empty()) {
    json.refuse("needs a name server: it says whom the slave should follow");
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
                                   const Drill& drill, bool roles_move) {
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
  if (cuts_itself_off(drill, on, *separation.from, roles_move)) {
    from.refuse("a host is never cut off from itself");
  }
  return separation;
}

// Which kinds of faults have a member of their own.
bool takes(faults::FaultKind kind, std::string_view key) {
  if (key == "from" && kind == faults::FaultKind::net_stray_client) return true;
  if (key == "from" || key == "direction") return kind == faults::FaultKind::net_partition;
  if (key == "file") {
    return kind == faults::FaultKind::fs_remove || kind == faults::FaultKind::fs_sync;
  }
  if (key == "directory") return kind == faults::FaultKind::fs_lock;
  return takes_of_disk(kind, key);
}

// The path of a file or directory below a root, as a host's programs name it.
std::string read_path_of_host(const JsonAt& json) {
  std::string path = json.text();
  if (!path.starts_with('/') || path.ends_with('/')) json.refuse("must be a path such as /store/x");
  return path;
}

FaultSpec read_fault(const JsonAt& json, const Drill& drill, Operators operators) {
  json.allow_only({"do", "on", "when", "for", "from", "direction", "part", "factor", "times",
                   "range", "status", "abort", "reset", "late_by", "file", "directory", "used"});
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
  refuse_pointless(json, fault, drill, operators);
  if (json.has("for")) fault.lasts = json.at("for").duration();
  if (fault.lasts && !faults::is_taken_back(fault.kind)) {
    json.at("for").refuse(std::string(faults::name_of(fault.kind)) + " is never taken back");
  }
  for (const char* key : {"from", "direction", "part", "factor", "times", "range", "status",
                          "abort", "reset", "late_by", "file", "directory", "used"}) {
    if (!json.has(key) || takes(fault.kind, key)) continue;
    json.at(key).refuse(std::string(faults::name_of(fault.kind)) + " has no such member");
  }
  if (fault.kind == faults::FaultKind::net_partition) {
    fault.separation =
        read_separation(json, fault.on, drill, operators.promote || operators.demote);
  }
  if (fault.kind == faults::FaultKind::net_stray_client) {
    fault.separation.from =
        faults::Selector{faults::Selector::By::name, read_host_name(json.at("from"), drill)};
  }
  if (faults::has_path(fault.kind)) {
    const bool directory = fault.kind == faults::FaultKind::fs_lock;
    fault.file = read_path_of_host(json.at(directory ? "directory" : "file"));
  }
  if (faults::of_disk(fault.kind)) fault.trouble = read_disk_trouble(json, fault, drill);
  return fault;
}

}  // namespace

void read_faults(const JsonAt& faults, Drill& drill) {
  for (const std::string& name : faults.keys()) {
    std::vector<FaultSpec>& set = drill.fault_sets[name];
    const JsonAt list = faults.at(name);
    const std::vector<JsonAt> items = list.items();
    const auto has = [&items](faults::FaultKind kind) {
      return std::ranges::any_of(items, [kind](const JsonAt& fault) {
        return fault.at("do").text() == faults::name_of(kind);
      });
    };
    const Operators operators{.promote = has(faults::FaultKind::operator_promote),
                              .demote = has(faults::FaultKind::operator_demote)};
    for (const JsonAt& fault : items) set.push_back(read_fault(fault, drill, operators));
    const bool breaks =
        std::ranges::any_of(set, [](const FaultSpec& fault) { return faults::breaks(fault.kind); });
    // An empty set is the cell in which nothing breaks, for comparison.
    if (!breaks && !set.empty()) {
      list.refuse("must hold a fault, not only what operators do about one");
    }
    refuse_hidden_lies(items, set);
  }
}

}  // namespace drydock::scenarios
