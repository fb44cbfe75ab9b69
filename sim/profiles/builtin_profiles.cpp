#include "sim/profiles/builtin_profiles.hpp"

#include <algorithm>

#include "engine/types/ensure.hpp"
#include "sim/profiles/embedded_files.hpp"
#include "sim/profiles/profile_reader.hpp"

namespace drydock::sim {
namespace {

std::vector<Profile> read_all() {
  std::vector<Profile> profiles;
  for (const EmbeddedFile& file : embedded_files()) {
    if (!file.name.ends_with(".json")) continue;
    std::expected<Profile, std::string> profile = read_profile(std::string(file.name), file.text);
    ENSURE(profile.has_value());
    profiles.push_back(std::move(*profile));
  }
  return profiles;
}

const std::vector<Profile>& all() {
  static const std::vector<Profile> profiles = read_all();
  return profiles;
}

}  // namespace

std::vector<std::string> builtin_profile_names() {
  std::vector<std::string> names;
  for (const Profile& profile : all()) names.push_back(profile.name);
  return names;
}

const Profile* builtin_profile(std::string_view name) {
  const auto found = std::ranges::find(all(), name, &Profile::name);
  return found == all().end() ? nullptr : &*found;
}

}  // namespace drydock::sim
