#include "sim/disk/compiled_profile.hpp"

namespace drydock::sim {
namespace {

QuantileTable table_of(const ProfileValue& value) {
  std::vector<QuantilePoint> points;
  for (const LatencyPoint& point : value.points) points.push_back({point.per_million, point.ns});
  return QuantileTable(std::move(points));
}

}  // namespace

DiskProfile compiled_profile(const Profile& profile, std::int64_t capacity_bytes) {
  const auto at = [&](ProfileKey key) { return profile.get(key).at(capacity_bytes); };
  const std::int64_t cache_bytes = at(ProfileKey::volatile_cache);
  return {
      .name = profile.name,
      .read = table_of(profile.get(ProfileKey::read_latency)),
      .write = table_of(profile.get(ProfileKey::write_latency)),
      .flush = table_of(profile.get(ProfileKey::flush_latency)),
      .read_servers = static_cast<int>(at(ProfileKey::read_servers)),
      .write_servers = static_cast<int>(at(ProfileKey::write_servers)),
      .read_bytes_per_s = at(ProfileKey::read_bandwidth),
      .write_bytes_per_s = at(ProfileKey::write_bandwidth),
      .read_iops = at(ProfileKey::max_read_iops),
      .write_iops = at(ProfileKey::max_write_iops),
      .shared_quota = at(ProfileKey::shared_limits) != 0,
      .logical_block_bytes = at(ProfileKey::logical_block),
      .atomic_write_bytes = at(ProfileKey::atomic_write),
      .volatile_cache = cache_bytes > 0,
      .cache_bytes = cache_bytes,
      .force_unit_access = at(ProfileKey::force_unit_access) != 0,
  };
}

}  // namespace drydock::sim
