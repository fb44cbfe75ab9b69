#include "scenarios/drill/disk_profile.hpp"

#include <nlohmann/json.hpp>

namespace drydock::scenarios {

bool is_profile_file(std::string_view profile) { return profile.ends_with(".json"); }

bool is_profile_text(std::string_view profile) { return profile.starts_with('{'); }

void put_disk_profile(Drill& drill, const std::string& path, DiskSpec& disk,
                      const std::string& text) {
  const nlohmann::json profile = nlohmann::json::parse(text, nullptr, true, true);
  nlohmann::json scenario = nlohmann::json::parse(drill.canonical);
  scenario[nlohmann::json::json_pointer(path + "/profile")] = profile;
  drill.canonical = scenario.dump();
  disk.profile = profile.dump();
}

}  // namespace drydock::scenarios
