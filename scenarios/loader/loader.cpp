#include "scenarios/loader/loader.hpp"

#include <algorithm>

#include "scenarios/drill/units.hpp"
#include "scenarios/loader/path_settings.hpp"
#include "scenarios/loader/sections.hpp"

namespace drydock::scenarios {
namespace {

// Each is read as a scenario of its own.
constexpr std::size_t kVariantsMax = 1'000;

SeedRange read_seeds(const JsonAt& seeds) {
  if (!seeds.is_text()) seeds.refuse("must be N or N..M in quotes");
  return parse_seed_range(seeds.text(), seeds.place());
}

void read_heading(const JsonAt& root, Drill& drill) {
  drill.id = root.at("drill").name();
  drill.title = root.at("title").text();
  if (root.has("why")) {
    for (const JsonAt& reason : root.at("why").items()) drill.why.push_back(reason.text());
  }
  if (root.has("seeds")) drill.seeds = read_seeds(root.at("seeds"));
}

// Everything but the variants.
Drill parse_one(const std::string& file, const std::string& text,
                const std::vector<PathSetting>& set) {
  const Source source{file, text, set};
  Json json = parse_json(source);
  apply_path_settings(source, json);
  const JsonAt root(source, json);
  root.allow_only({"drill", "title", "why", "seeds", "topology", "conf", "behaviour", "load",
                   "phases", "faults", "expectations", "matrix"});
  Drill drill;
  drill.source = source;
  drill.canonical = nlohmann::json(json).dump();
  read_heading(root, drill);
  read_topology(root.at("topology"), drill);
  if (root.has("conf")) read_conf(root.at("conf"), drill);
  if (root.has("behaviour")) read_behaviour(root.at("behaviour"), drill);
  read_load(root.at("load"), drill);
  read_phases(root.at("phases"), drill);
  if (root.has("faults")) read_faults(root.at("faults"), drill);
  refuse_too_late(root, drill);
  if (root.has("matrix")) read_matrix(root.at("matrix"), drill);
  if (root.has("expectations")) read_expectations(root.at("expectations"), drill);
  return drill;
}

// What a value of an axis puts into places of the scenario.
std::vector<PathSetting> paths_of(const Axis& axis, const std::string& value) {
  if (is_scenario_path(axis.key)) return {{axis.key, value}};
  std::vector<PathSetting> paths;
  const auto variant = axis.variants.find(value);
  if (variant == axis.variants.end()) return paths;
  for (const auto& [key, text] : variant->second) {
    if (is_scenario_path(key)) paths.push_back({key, text});
  }
  return paths;
}

struct Choice {
  reports::CellId values;
  std::vector<PathSetting> paths;
};

// The combinations of the axes that concern the scenario.
std::vector<Choice> choices_of(const Drill& drill) {
  std::vector<Choice> choices(1);
  for (const Axis& axis : drill.matrix) {
    const bool concerned = std::ranges::any_of(
        axis.values, [&](const std::string& value) { return !paths_of(axis, value).empty(); });
    if (!concerned) continue;
    std::vector<Choice> wider;
    for (const Choice& choice : choices) {
      for (const std::string& value : axis.values) {
        wider.push_back(choice);
        wider.back().values[axis.key] = value;
        for (PathSetting& path : paths_of(axis, value)) wider.back().paths.push_back(path);
      }
    }
    if (wider.size() > kVariantsMax) {
      throw InputError(drill.source.at("/matrix") + ": its places of the scenario have more than " +
                       std::to_string(kVariantsMax) + " combinations");
    }
    choices = std::move(wider);
  }
  return choices;
}

bool lies_in(const std::string& path, const std::string& place) {
  return path == place || path.starts_with(place + "/");
}

// What the command line puts somewhere would be overwritten by the cells.
void refuse_varied(const std::vector<PathSetting>& set, const Choice& choice) {
  for (const PathSetting& setting : set) {
    for (const PathSetting& varied : choice.paths) {
      if (!lies_in(setting.path, varied.path)) continue;
      throw InputError("--set " + setting.path + ": the matrix varies /" + varied.path);
    }
  }
}

}  // namespace

Drill parse_drill(const std::string& file, const std::string& text,
                  const std::vector<PathSetting>& set) {
  Drill drill = parse_one(file, text, set);
  for (const Choice& choice : choices_of(drill)) {
    if (choice.values.empty()) continue;
    refuse_varied(set, choice);
    std::vector<PathSetting> all = set;
    all.insert(all.end(), choice.paths.begin(), choice.paths.end());
    try {
      drill.variants[choice.values] = std::make_shared<const Drill>(parse_one(file, text, all));
    } catch (const InputError& error) {
      std::string why = error.what();
      const std::string kSet = "--set ";  // It was the matrix that said so.
      if (why.starts_with(kSet)) why.erase(0, kSet.size());
      throw InputError(drill.source.at("/matrix") + ": with " + reports::text_of(choice.values) +
                       ": " + why);
    }
  }
  return drill;
}

}  // namespace drydock::scenarios
