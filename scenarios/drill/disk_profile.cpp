#include "scenarios/drill/disk_profile.hpp"

#include <nlohmann/json.hpp>

namespace drydock::scenarios {

bool is_profile_file(std::string_view profile) { return profile.ends_with(".json"); }

bool is_profile_text(std::string_view profile) { return profile.starts_with('{'); }

void put_disk_profile(Drill& drill, HostSpec& host, const std::string& text) {
  const nlohmann::json profile = nlohmann::json::parse(text, nullptr, true, true);
  nlohmann::json scenario = nlohmann::json::parse(drill.canonical);
  scenario["topology"]["hosts"][host.name]["disk"]["profile"] = profile;
  drill.canonical = scenario.dump();
  host.disk->profile = profile.dump();
}

}  // namespace drydock::scenarios
