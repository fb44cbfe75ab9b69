#include "scenarios/drill/cells.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/broker/properties_file.hpp"
#include "engine/broker/property_table.hpp"
#include "reports/expect/expect.hpp"
#include "scenarios/drill/conf_key.hpp"
#include "scenarios/drill/digest.hpp"
#include "scenarios/drill/effective.hpp"
#include "scenarios/drill/promises.hpp"

namespace drydock::scenarios {
namespace {

constexpr const char* kFlushDiskType = "flushDiskType";
constexpr const char* kNoBroker = ": the topology has no broker that could have it";

const char* name_of(FlushDiskType type) {
  return type == FlushDiskType::sync_flush ? "SYNC_FLUSH" : "ASYNC_FLUSH";
}

std::string place_of(const ConfigurationNote& note) {
  return note.line > 0 ? note.key + " (line " + std::to_string(note.line) + ")" : note.key;
}

// Notes of the broker's parser: errors end the matter, warnings are collected; what is said of
// several keys is said once.
void take_notes(const std::vector<ConfigurationNote>& notes, const std::string& source,
                std::vector<std::string>& warnings) {
  std::vector<std::string> texts;
  std::map<std::string, std::vector<const ConfigurationNote*>> by_text;
  for (const ConfigurationNote& note : notes) {
    if (note.severity != ConfigurationNote::Severity::warning) {
      throw InputError(source + ": " + describe(note));
    }
    auto& same = by_text[note.text];
    if (same.empty()) texts.push_back(note.text);
    same.push_back(&note);
  }
  for (const std::string& text : texts) {
    const auto& same = by_text[text];
    std::string line = source + ": " + describe(*same.front());
    if (same.size() > 1) {
      line = source + ": " + text + ":";
      for (const ConfigurationNote* note : same) {
        line += (note == same.front() ? " " : ", ") + place_of(*note);
      }
    }
    if (std::find(warnings.begin(), warnings.end(), line) == warnings.end()) {
      warnings.push_back(line);
    }
  }
}

void apply(BrokerConfiguration& configuration, const std::string& key, const std::string& value,
           const std::string& source, std::vector<std::string>& warnings) {
  std::vector<ConfigurationNote> notes;
  set_broker_property(configuration, key, value, 0, notes);
  take_notes(notes, source, warnings);
}

SeededBugs bugs_in(const Drill& drill) {
  SeededBugs bugs;
  for (const std::string& bug : drill.behaviour.bugs) bugs.plant(*seeded_bug_named(bug));
  return bugs;
}

// Builds the cells of one experiment.
class Expansion {
 public:
  Expansion(const Drill& drill, const UserConfigurations& users, const Settings& settings)
      : drill_(drill), settings_(settings) {
    refuse_unknown_settings();
    refuse_settings_of_axes();
    refuse_unused_faults();
    refuse_configurations_for_nobody(users);
    for (const BrokerSpec& broker : drill_.brokers) {
      const UserConfiguration user = configuration_for(users, broker);
      ConfigurationResult parsed = parse_broker_configuration(user.text);
      take_notes(parsed.notes, user.file.empty() ? "defaults" : user.file, warnings_);
      if (base_.empty()) {
        own_ = properties_of(user);
        given_ = drydock::Settings(parsed.settings);
      }
      BrokerConfiguration configuration = parsed.configuration;
      std::vector<ConfigurationNote> notes;
      for (const auto& [key, value] : broker.set) {
        set_broker_property(configuration, key, value, 0, notes);
        if (base_.empty()) own_[key] = value;  // The master's.
      }
      take_notes(notes, drill_.source.at("/conf/" + broker.name), warnings_);
      base_.push_back(configuration);
    }
  }

  std::vector<Cell> cells() {
    std::vector<Cell> cells;
    cells.emplace_back();
    refuse_too_many();
    for (const Axis& axis : drill_.matrix) {
      refuse_equal_values(axis);
      std::vector<Cell> wider;
      for (const Cell& cell : cells) {
        for (const std::string& value : axis.values) wider.push_back(extended(cell, axis, value));
      }
      cells = std::move(wider);
    }
    for (Cell& cell : cells) finish(cell);
    refuse_idle_expectations(cells);
    return cells;
  }
  const std::vector<BrokerConfiguration>& base() const { return base_; }
  std::vector<std::string>& warnings() { return warnings_; }

 private:
  static std::map<std::string, std::string> properties_of(const UserConfiguration& user) {
    std::map<std::string, std::string> own;
    for (const PropertyLine& line : read_properties(user.text)) own[line.key] = line.value;
    return own;
  }

  void refuse_configurations_for_nobody(const UserConfigurations& users) const {
    for (const UserConfiguration& user : users) {
      if (drill_.brokers.empty()) {
        throw InputError("--conf " + user.file + ": " + drill_.source.file + " has no broker");
      }
      if (user.target.empty()) continue;
      const bool known = std::ranges::any_of(drill_.brokers, [&](const BrokerSpec& broker) {
        return broker.name == user.target || broker.role == user.target;
      });
      if (!known) {
        throw InputError("--conf " + user.target + "=" + user.file + ": " + drill_.source.file +
                         " has no broker and no role of that name");
      }
    }
  }

  static bool varies(const Axis& axis, const std::string& key) {
    if (axis.variants.empty()) return axis.key == key;
    return std::ranges::any_of(axis.variants, [&](const auto& variant) {
      return std::ranges::any_of(variant.second,
                                 [&](const auto& setting) { return setting.first == key; });
    });
  }

  // Before they are made: a few axes of ten values are more cells than memory holds.
  void refuse_too_many() const {
    std::size_t count = 1;
    for (const Axis& axis : drill_.matrix) {
      count *= axis.values.size();
      if (count <= kCellsMax) continue;
      throw InputError(drill_.source.at("/matrix") + ": has more than " +
                       std::to_string(kCellsMax) + " cells");
    }
  }

  // Unlike a line of a broker.conf, a setting is there to have an effect.
  void refuse_unknown_settings() const {
    for (const auto& [key, value] : settings_) {
      const std::string why = why_unknown(key);
      if (!why.empty()) throw InputError("--set " + key + ": " + why);
      if (drill_.brokers.empty()) throw InputError("--set " + key + kNoBroker);
    }
  }

  void refuse_settings_of_axes() const {
    for (const auto& [key, value] : settings_) {
      for (const Axis& axis : drill_.matrix) {
        if (varies(axis, key)) {
          throw InputError("--set " + key + ": the matrix of " + drill_.source.file + " varies it");
        }
      }
    }
  }

  // A set that no cell has would be a fault that is never tried.
  void refuse_unused_faults() const {
    const auto axis = std::ranges::find(drill_.matrix, kFaultAxis, &Axis::key);
    if (axis == drill_.matrix.end()) return;
    for (const auto& [name, set] : drill_.fault_sets) {
      if (std::ranges::find(axis->values, name) != axis->values.end()) continue;
      throw InputError(drill_.source.at("/faults/" + name) + ": /matrix/fault does not have it");
    }
  }

  // The words of an axis that refer to the user's file, resolved.
  std::string resolved(const Axis& axis, const std::string& value) const {
    if (value != kAsInFile && value != kTheOther) return value;
    if (axis.key != kFlushDiskType) {
      throw InputError(drill_.source.at("/matrix/" + axis.key) + ": '" + value +
                       "' is supported for " + kFlushDiskType + " only");
    }
    if (base_.empty()) throw InputError(drill_.source.at("/matrix/" + axis.key) + kNoBroker);
    const bool sync = base_.front().store.flush_disk_type == FlushDiskType::sync_flush;
    const bool wants_sync = (value == kAsInFile) == sync;
    return name_of(wants_sync ? FlushDiskType::sync_flush : FlushDiskType::async_flush);
  }

  // What the user's file, with the drill's own keys, says of a key.
  std::string own_value(const std::string& key) const {
    if (is_scenario_path(key)) return value_at(key);
    if (key == kFlushDiskType) return name_of(base_.front().store.flush_disk_type);
    const auto found = own_.find(key);
    if (found != own_.end()) return found->second;
    return find_properties(key).empty() ? "" : given_.get(key).value;
  }

  // `as-in-file` may say what another value of the axis says.
  void refuse_equal_values(const Axis& axis) const {
    for (std::size_t i = 0; i < axis.values.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (resolved(axis, axis.values[i]) != resolved(axis, axis.values[j])) continue;
        throw InputError(drill_.source.at("/matrix/" + axis.key) + ": '" + axis.values[j] +
                         "' and '" + axis.values[i] + "' are the same here");
      }
    }
  }

  Cell extended(const Cell& cell, const Axis& axis, const std::string& value) const {
    Cell wider = cell;
    const std::string real = resolved(axis, value);
    wider.id[axis.key] = real;
    if (axis.key == kFaultAxis) return wider;
    const auto variant = axis.variants.find(value);
    if (variant == axis.variants.end()) {
      set(wider, axis.key, real);
    } else {
      for (const auto& [key, part] : variant->second) set(wider, key, part);
    }
    return wider;
  }

  // What the scenario has at a place, as an axis would write it; empty if nothing is there.
  std::string value_at(const std::string& path) const {
    const nlohmann::json scenario = nlohmann::json::parse(drill_.canonical);
    const nlohmann::json::json_pointer place("/" + path);
    if (!scenario.contains(place)) return "";
    const nlohmann::json& value = scenario.at(place);
    return value.is_string() ? value.get<std::string>() : value.dump();
  }

  void set(Cell& cell, const std::string& key, const std::string& value) const {
    if (!is_scenario_path(key)) {
      if (base_.empty()) throw InputError(drill_.source.at("/matrix") + ": " + key + kNoBroker);
      cell.settings.emplace_back(key, value);
    }
    if (value != own_value(key)) cell.changes[key] = value;
  }

  void finish(Cell& cell) {
    cell.brokers = base_;
    for (BrokerConfiguration& configuration : cell.brokers) {
      for (const auto& [key, value] : cell.settings) {
        apply(configuration, key, value, drill_.source.at("/matrix"), warnings_);
      }
      for (const auto& [key, value] : settings_) {
        apply(configuration, key, value, "--set", warnings_);
      }
    }
    take_roles(cell);
    take_variant(cell);
    const Drill& drill = cell.variant == nullptr ? drill_ : *cell.variant;
    for (BrokerConfiguration& configuration : cell.brokers) {
      configuration.store.behaviour = behaviour_in(drill);
      configuration.store.bugs = bugs_in(drill);
    }
    cell.faults = faults_of(cell);
    for (const reports::Expectation& expectation : drill_.expectations) {
      if (reports::applies_to(expectation, cell.id)) cell.expectations.push_back(expectation);
    }
  }

  void take_variant(Cell& cell) const {
    for (const auto& [values, variant] : drill_.variants) {
      const bool same = std::ranges::all_of(
          values, [&](const auto& value) { return cell.id.at(value.first) == value.second; });
      if (same) cell.variant = variant;
    }
  }

  // The topology says who is whose slave. A slave without a brokerId of its own is counted.
  void take_roles(Cell& cell) const {
    std::int64_t slaves = 0;
    for (std::size_t i = 0; i < cell.brokers.size(); ++i) {
      BrokerRole& role = cell.brokers[i].ha.role;
      const BrokerSpec& spec = drill_.brokers[i];
      if (spec.role == "slave") {
        role = BrokerRole::slave;
        ++slaves;
        std::int64_t& broker_id = cell.brokers[i].broker_id;
        if (broker_id == 0) broker_id = slaves;
      } else if (role == BrokerRole::slave) {
        throw InputError("brokerRole=SLAVE: " + drill_.source.file + " runs " + spec.name +
                         " as the master; give its configuration");
      }
    }
  }

  std::vector<FaultSpec> faults_of(const Cell& cell) const {
    const auto named = cell.id.find(kFaultAxis);
    const auto& sets = cell.variant == nullptr ? drill_.fault_sets : cell.variant->fault_sets;
    if (named != cell.id.end()) return sets.at(named->second);
    if (sets.empty()) return {};
    if (sets.size() == 1) return sets.begin()->second;
    throw InputError(drill_.source.at("/faults") +
                     ": with several sets, /matrix/fault must choose");
  }

  // An expectation that speaks of no cell is a typing error that would pass for ever.
  void refuse_idle_expectations(const std::vector<Cell>& cells) const {
    for (std::size_t i = 0; i < drill_.expectations.size(); ++i) {
      const reports::Expectation& expectation = drill_.expectations[i];
      const bool used = std::any_of(cells.begin(), cells.end(), [&](const Cell& cell) {
        return reports::applies_to(expectation, cell.id);
      });
      if (!used) {
        throw InputError(drill_.source.at("/expectations/" + std::to_string(i)) + ": no cell has " +
                         reports::text_of(expectation.cells));
      }
      refuse_outage_without_fault(i, cells);
    }
  }

  // What was never broken has no outage: such an expectation could never be met.
  void refuse_outage_without_fault(std::size_t i, const std::vector<Cell>& cells) const {
    const reports::Expectation& expectation = drill_.expectations[i];
    if (!reports::is_outage(expectation.metric)) return;
    for (const Cell& cell : cells) {
      if (!cell.faults.empty() || !reports::applies_to(expectation, cell.id)) continue;
      const bool alone = cell.id.empty();
      throw InputError(drill_.source.at("/expectations/" + std::to_string(i)) + ": there is no " +
                       std::string(reports::name_of(expectation.metric)) +
                       " without a fault, and " +
                       (alone ? "the drill has none: give it some in /faults"
                              : "the cell " + reports::text_of(cell.id) +
                                    " has none: leave such cells out with \"cells\""));
    }
  }

  const Drill& drill_;
  const Settings& settings_;
  std::map<std::string, std::string> own_;
  drydock::Settings given_{{}};  // What the file says, and RocketMQ's defaults.
  std::vector<BrokerConfiguration> base_;
  std::vector<std::string> warnings_;
};

std::string behaviour_of(const Drill& drill) {
  std::string text = drill.behaviour.preset;
  for (const auto& [name, value] : drill.behaviour.set) text += ", " + name + "=" + value;
  for (const auto& [site, percent] : drill.behaviour.buggify) {
    text += ", " + std::string(drydock::name_of(site)) + " " + std::to_string(percent) + "%";
  }
  for (const std::string& bug : drill.behaviour.bugs) text += ", WITH THE SEEDED BUG " + bug;
  std::set<std::string> in_cells;
  for (const auto& [cell, variant] : drill.variants) {
    in_cells.insert(variant->behaviour.bugs.begin(), variant->behaviour.bugs.end());
  }
  for (const std::string& bug : drill.behaviour.bugs) in_cells.erase(bug);
  for (const std::string& bug : in_cells) text += ", IN SOME CELLS WITH THE SEEDED BUG " + bug;
  return text;
}

std::string name_of(const UserConfiguration& user) {
  return user.target.empty() ? user.file : user.target + "=" + user.file;
}

std::string names_of(const UserConfigurations& users) {
  std::string names;
  for (const UserConfiguration& user : users) names += (names.empty() ? "" : ", ") + name_of(user);
  return names.empty() ? "(RocketMQ's defaults)" : names;
}

// As a shell takes it for one word.
std::string shell_word(const std::string& text) {
  const bool plain = std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("=/.,:_-+").contains(c);
  });
  if (plain) return text;
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

std::string replay_of(const Drill& drill, const UserConfigurations& users,
                      const Settings& settings) {
  std::string command = "drydock run " + drill.source.file;
  for (const UserConfiguration& user : users) command += " --conf " + name_of(user);
  for (const PathSetting& setting : drill.source.set) {
    const char* const slash = setting.path.contains('/') ? "" : "/";  // Else it would be a key.
    command += " --set " + shell_word(slash + setting.path + "=" + setting.text);
  }
  for (const auto& [key, value] : settings) command += " --set " + shell_word(key + "=" + value);
  return command;
}

}  // namespace

Behaviour behaviour_in(const Drill& drill) {
  Behaviour behaviour = *Behaviour::preset(drill.behaviour.preset);
  for (const auto& [name, value] : drill.behaviour.set) {
    behaviour.set(*behaviour_switch_named(name),
                  value == "hardened" ? BehaviourValue::hardened : BehaviourValue::faithful);
  }
  return behaviour;
}

UserConfiguration configuration_for(const UserConfigurations& users, const BrokerSpec& broker) {
  for (const std::string& target : {broker.name, broker.role, std::string()}) {
    const auto found = std::ranges::find(users, target, &UserConfiguration::target);
    if (found != users.end()) return *found;
  }
  return {};
}

Experiment make_experiment(Drill drill, const UserConfigurations& users, const Settings& settings) {
  Expansion expansion(drill, users, settings);
  Experiment experiment;
  experiment.cells = expansion.cells();
  reports::DrillFacts& facts = experiment.facts;
  facts.id = drill.id;
  facts.title = drill.title;
  facts.scenario_file = drill.source.file;
  experiment.effective = effective_scenario(drill, users, settings);
  facts.scenario_digest = digest(experiment.effective);
  facts.configuration_file = names_of(users);
  facts.behaviour = behaviour_of(drill);
  facts.replay = replay_of(drill, users, settings);
  if (!drill.brokers.empty()) {
    BrokerConfiguration own = expansion.base().front();
    for (const auto& [key, value] : settings) {
      apply(own, key, value, "--set", expansion.warnings());
    }
    facts.configuration = durability_settings(own);
    facts.promises = promises_of(own, drill.brokers.size() > 1);
  }
  for (const WriterSpec& writer : drill.writers) facts.promises.push_back(promise_of(writer));
  facts.warnings = expansion.warnings();
  experiment.drill = std::move(drill);
  return experiment;
}

}  // namespace drydock::scenarios
