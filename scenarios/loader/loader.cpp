#include "scenarios/loader/loader.hpp"

#include "scenarios/drill/units.hpp"
#include "scenarios/loader/path_settings.hpp"
#include "scenarios/loader/sections.hpp"

namespace drydock::scenarios {
namespace {

SeedRange read_seeds(const JsonAt& seeds) { return parse_seed_range(seeds.text(), seeds.place()); }

void read_heading(const JsonAt& root, Drill& drill) {
  drill.id = root.at("drill").name();
  drill.title = root.at("title").text();
  if (root.has("why")) {
    for (const JsonAt& reason : root.at("why").items()) drill.why.push_back(reason.text());
  }
  if (root.has("seeds")) drill.seeds = read_seeds(root.at("seeds"));
}

}  // namespace

Drill parse_drill(const std::string& file, const std::string& text,
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
  if (root.has("matrix")) read_matrix(root.at("matrix"), drill);
  if (root.has("expectations")) read_expectations(root.at("expectations"), drill);
  return drill;
}

}  // namespace drydock::scenarios
