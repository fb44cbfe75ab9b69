// matrix: what the cells of a drill differ in.
#include <algorithm>

#include "scenarios/drill/conf_key.hpp"
#include "scenarios/loader/did_you_mean.hpp"
#include "scenarios/loader/sections.hpp"

namespace drydock::scenarios {
namespace {

// Places that cells may differ in: the world and what happens in it. The rest makes the cells.
void refuse_fixed_path(const JsonAt& json, const std::string& path) {
  for (const char* part :
       {"topology/hosts/", "topology/disks/", "behaviour/set/", "load/", "phases/", "faults/"}) {
    if (path.starts_with(part)) return;
  }
  if (path == "behaviour/bugs") return;
  json.refuse(
      "only places in topology/hosts, topology/disks, behaviour/set, load, phases and faults, and "
      "behaviour/bugs, can be varied");
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

}  // namespace

void read_matrix(const JsonAt& matrix, Drill& drill) {
  for (const std::string& key : matrix.keys()) {
    drill.matrix.push_back(read_axis(key, matrix.at(key), drill));
  }
}

}  // namespace drydock::scenarios
