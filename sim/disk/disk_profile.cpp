#include "sim/disk/disk_profile.hpp"

#include "sim/disk/compiled_profile.hpp"
#include "sim/profiles/builtin_profiles.hpp"

namespace drydock::sim {
namespace {

DiskProfile builtin(std::string_view name, std::int64_t capacity_bytes) {
  const Profile* const profile = builtin_profile(name);
  ENSURE(profile != nullptr);
  return compiled_profile(*profile, capacity_bytes);
}

}  // namespace

DiskProfile local_nvme() { return builtin("local-nvme", kDiskBytesMin); }

DiskProfile sata_ssd() { return builtin("sata-ssd", kDiskBytesMin); }

DiskProfile cloud_essd_pl1(std::int64_t capacity_bytes) {
  return builtin("cloud-essd-pl1", capacity_bytes);
}

}  // namespace drydock::sim
