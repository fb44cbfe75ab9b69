#include "sim/profiles/cpu_profile.hpp"

#include <algorithm>

#include "engine/types/ensure.hpp"
#include "sim/profiles/embedded_files.hpp"
#include "sim/profiles/stamped.hpp"

namespace drydock::sim {
namespace {

constexpr std::int64_t kMostNs = 1'000'000'000;

// `low_ns`: at least so much.
void read_cost(const JsonPlace& cpu, std::string_view name, std::int64_t low_ns, CpuCost& cost) {
  const JsonPlace place = cpu.at(name);
  allow_with_stamp(place, {"value"});
  cost.name = name;
  cost.time = Duration::ns(read_quantity(place.at("value"), ProfileUnit::time, low_ns, kMostNs));
  cost.stamp = read_stamp(place);
}

CpuProfile read(const JsonPlace& root) {
  root.allow_only({"profile", "title", "cpu"});
  CpuProfile profile;
  profile.name = read_profile_name(root.at("profile"));
  profile.title = root.at("title").text();
  const JsonPlace cpu = root.at("cpu");
  cpu.allow_only({"send", "send_per_kib", "dispatch", "dispatch_per_kib"});
  // A send that costs nothing would be as if there were no profile.
  read_cost(cpu, "send", 1, profile.send);
  read_cost(cpu, "send_per_kib", 0, profile.send_per_kib);
  read_cost(cpu, "dispatch", 0, profile.dispatch);
  read_cost(cpu, "dispatch_per_kib", 0, profile.dispatch_per_kib);
  return profile;
}

std::vector<CpuProfile> read_all() {
  std::vector<CpuProfile> profiles;
  for (const EmbeddedFile& file : embedded_cpu_files()) {
    auto profile = read_cpu_profile(std::string(file.name), file.text);
    ENSURE(profile.has_value());
    profiles.push_back(std::move(*profile));
  }
  return profiles;
}

const std::vector<CpuProfile>& all() {
  static const std::vector<CpuProfile> profiles = read_all();
  return profiles;
}

}  // namespace

std::expected<CpuProfile, std::string> read_cpu_profile(const std::string& file,
                                                        std::string_view text) {
  try {
    const OrderedJson json = parse_json_file(file, text);
    return read(JsonPlace(file, json));
  } catch (const JsonRefusal& refusal) {
    return std::unexpected(std::string(refusal.what()));
  }
}

std::vector<std::string> builtin_cpu_profile_names() {
  std::vector<std::string> names;
  for (const CpuProfile& profile : all()) names.push_back(profile.name);
  return names;
}

const CpuProfile* builtin_cpu_profile(std::string_view name) {
  const auto found = std::ranges::find(all(), name, &CpuProfile::name);
  return found == all().end() ? nullptr : &*found;
}

}  // namespace drydock::sim
