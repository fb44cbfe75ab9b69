#include "scenarios/drill/disk_profile.hpp"

#include <nlohmann/json.hpp>

namespace drydock::scenarios {
namespace {

using Json = nlohmann::json;

// "topology/hosts/h/disk/profile", "topology/disks/d/profile"
bool is_profile_place(std::string_view path) {
  return path.ends_with("disk/profile") ||
         (path.starts_with("topology/disks/") && path.ends_with("/profile"));
}

Json profile_in(const ReadProfile& read, const std::string& place, const std::string& file) {
  return Json::parse(read(place, file), nullptr, true, true);
}

// `place`: where the scenario names the files; none: at the disks themselves.
void read_of_disks(Drill& drill, const ReadProfile& read, const std::optional<std::string>& place) {
  Json scenario = Json::parse(drill.canonical);
  const auto read_one = [&](const std::string& path, DiskSpec& disk) {
    if (!is_profile_file(disk.profile)) return;
    const std::string own = path + "/profile";
    const Json profile = profile_in(read, place.value_or(drill.source.at(own)), disk.profile);
    scenario[Json::json_pointer(own)] = profile;
    disk.profile = profile.dump();
  };
  for (HostSpec& host : drill.hosts) {
    if (host.disk) read_one("/topology/hosts/" + host.name + "/disk", *host.disk);
  }
  for (SharedDiskSpec& shared : drill.shared_disks) {
    read_one("/topology/disks/" + shared.name, shared.disk);
  }
  drill.canonical = scenario.dump();
}

// A value somewhere in the matrix, which may be a disk or a host with a profile.
void read_inside(Json& value, const ReadProfile& read, const std::string& place) {
  if (!value.is_object()) return;
  for (auto& [key, member] : value.items()) {
    const bool profile = key == "profile" || is_profile_place(key);
    if (profile && member.is_string() && is_profile_file(member.get<std::string>())) {
      member = profile_in(read, place, member.get<std::string>());
    } else {
      read_inside(member, read, place);
    }
  }
}

void read_of_matrix(Drill& drill, const ReadProfile& read) {
  if (drill.variants.empty()) return;
  Json scenario = Json::parse(drill.canonical);
  for (auto& [axis, values] : scenario["matrix"].items()) {
    read_inside(values, read, drill.source.at("/matrix/" + axis));
  }
  drill.canonical = scenario.dump();
}

void refuse_unnamed(const Drill& drill) {
  for (const Axis& axis : drill.matrix) {
    if (!is_profile_place(axis.key)) continue;
    for (const std::string& value : axis.values) {
      if (!is_profile_file(value)) continue;
      throw InputError(drill.source.at("/matrix/" + axis.key) +
                       ": a profile of a file needs a name here: write the axis as {\"disk\": "
                       "{\"NAME\": {\"" +
                       axis.key + "\": \"" + value + "\"}, ...}}");
    }
  }
}

}  // namespace

bool is_profile_file(std::string_view profile) { return profile.ends_with(".json"); }

bool is_profile_text(std::string_view profile) { return profile.starts_with('{'); }

void read_disk_profiles(Drill& drill, const ReadProfile& read) {
  refuse_unnamed(drill);
  read_of_disks(drill, read, std::nullopt);
  read_of_matrix(drill, read);
  for (auto& [values, variant] : drill.variants) {
    Drill cell = *variant;
    read_of_disks(cell, read, drill.source.at("/matrix"));
    variant = std::make_shared<const Drill>(std::move(cell));
  }
}

}  // namespace drydock::scenarios
