#include "scenarios/world_sim/host_disk.hpp"

#include <algorithm>
#include <expected>

#include "engine/types/nearest_name.hpp"
#include "scenarios/drill/disk_profile.hpp"
#include "sim/disk/compiled_profile.hpp"
#include "sim/profiles/builtin_profiles.hpp"
#include "sim/profiles/profile_reader.hpp"
#include "sim/profiles/quantity.hpp"

namespace drydock::scenarios {
namespace {

constexpr std::int64_t kSectorBytes = 4096;

// The error is what to say after the place of the profile in the scenario.
std::expected<sim::Profile, std::string> profile_of(const DiskSpec& spec) {
  if (is_profile_text(spec.profile)) return sim::read_profile("this profile", spec.profile);
  if (const sim::Profile* profile = sim::builtin_profile(spec.profile)) return *profile;
  NearestName nearest(spec.profile);
  std::string known;
  const std::vector<std::string> names = sim::builtin_profile_names();
  for (const std::string& name : names) {
    nearest.consider(name);
    known += name + ", ";
  }
  std::string why = "there is no '" + spec.profile + "'; ";
  if (!nearest.name().empty()) why += "did you mean '" + std::string(nearest.name()) + "'? ";
  return std::unexpected(why + "known here: " + known + "or a FILE.json");
}

sim::Profile checked_profile_of(const DiskSpec& spec) {
  auto profile = profile_of(spec);
  ENSURE(profile.has_value());
  return std::move(*profile);
}

bool is_assumed(const sim::ProfileValue& value) {
  const auto assumed = [](const sim::Stamp& stamp) {
    return stamp.evidence == sim::Evidence::assumed;
  };
  if (value.form != sim::ProfileValue::Form::points) return assumed(value.stamp);
  return std::ranges::any_of(value.points, assumed, &sim::LatencyPoint::stamp);
}

}  // namespace

void check_disk(const Drill& drill, const std::string& path, const DiskSpec& disk) {
  const auto profile = profile_of(disk);
  if (!profile) throw InputError(drill.source.at(path + "/profile") + ": " + profile.error());
  const std::int64_t smallest = profile->get(sim::ProfileKey::smallest_disk).low;
  if (disk.bytes < smallest || disk.bytes % kSectorBytes != 0) {
    throw InputError(drill.source.at(path + "/size") + ": must be at least " +
                     sim::text_of(sim::ProfileUnit::size, smallest) + " and a multiple of 4 KiB");
  }
}

void check_shared_disk(const Drill& drill, const SharedDiskSpec& shared) {
  const std::string path = "/topology/disks/" + shared.name;
  check_disk(drill, path, shared.disk);
  sim::DiskOptions disk;
  put_profile(shared.disk, disk);
  if (disk.placement == sim::DiskPlacement::remote) return;
  throw InputError(drill.source.at(path + "/profile") +
                   ": several hosts attach it, and this one is inside of a host; take one whose "
                   "placement is remote, such as cloud-essd-pl1");
}

void put_profile(const DiskSpec& spec, sim::DiskOptions& disk) {
  const sim::Profile profile = checked_profile_of(spec);
  disk.profile = sim::compiled_profile(profile, spec.bytes);
  disk.placement = profile.get(sim::ProfileKey::placement).word == "remote"
                       ? sim::DiskPlacement::remote
                       : sim::DiskPlacement::local;
  const DiskThrottle& throttle = spec.throttle;
  disk.queue.throttle.reads = {.bytes_per_s = throttle.read_bytes_per_second,
                               .commands_per_s = throttle.reads_per_second};
  disk.queue.throttle.writes = {.bytes_per_s = throttle.write_bytes_per_second,
                                .commands_per_s = throttle.writes_per_second};
}

std::int64_t read_ahead_of(const DiskSpec& spec) {
  constexpr std::int64_t kLinuxDefault = 128 << 10;
  const sim::Profile profile = checked_profile_of(spec);
  const auto& read_ahead = profile[sim::ProfileKey::read_ahead];
  return read_ahead ? read_ahead->low : kLinuxDefault;
}

std::string assumptions_of(const DiskSpec& spec) {
  const sim::Profile profile = checked_profile_of(spec);
  std::string assumed;
  bool all = true;
  for (const sim::KeyRule& rule : sim::key_rules()) {
    const auto& value = profile[rule.key];
    if (!value || !sim::uses(rule.key)) continue;
    if (!is_assumed(*value)) {
      all = false;
    } else {
      assumed += (assumed.empty() ? "" : ", ") + std::string(rule.name);
    }
  }
  const std::string name = "profile " + profile.name;
  if (all) return name + "; all of its values are assumed";
  if (assumed.empty()) return name + "; none of its values is assumed";
  return name + "; assumed of it, at least in part: " + assumed;
}

}  // namespace drydock::scenarios
