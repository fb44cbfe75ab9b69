#include "sim/disk/compiled_profile.hpp"

namespace drydock::sim {
namespace {

QuantileTable table_of(const ProfileValue& value) {
  std::vector<QuantilePoint> points;
  for (const LatencyPoint& point : value.points) points.push_back({point.per_million, point.ns});
  return QuantileTable(std::move(points));
}

// Of what a profile need not have.
class Optional {
 public:
  Optional(const Profile& profile, std::int64_t capacity_bytes)
      : profile_(profile), capacity_bytes_(capacity_bytes) {}

  std::int64_t at(ProfileKey key, std::int64_t otherwise) const {
    const auto& value = profile_[key];
    return value ? value->at(capacity_bytes_) : otherwise;
  }
  Duration time(ProfileKey key) const { return Duration::ns(at(key, 0)); }
  Duration longest(ProfileKey key) const {
    const auto& value = profile_[key];
    if (!value) return Duration();
    return Duration::ns(value->form == ProfileValue::Form::range ? value->high : value->low);
  }
  // None also if the profile says `never`.
  std::optional<Duration> limit(ProfileKey key) const {
    const auto& value = profile_[key];
    if (!value || value->form == ProfileValue::Form::word) return std::nullopt;
    return Duration::ns(value->at(capacity_bytes_));
  }

 private:
  const Profile& profile_;
  std::int64_t capacity_bytes_;
};

CollectionTimes collection_of(const Optional& optional) {
  return {.pause_min = optional.time(ProfileKey::gc_pause),
          .pause_max = optional.longest(ProfileKey::gc_pause),
          .period_min = optional.time(ProfileKey::gc_period),
          .period_max = optional.longest(ProfileKey::gc_period)};
}

}  // namespace

DiskProfile compiled_profile(const Profile& profile, std::int64_t capacity_bytes) {
  const auto at = [&](ProfileKey key) { return profile.get(key).at(capacity_bytes); };
  const Optional optional(profile, capacity_bytes);
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
      .quota_slice = optional.time(ProfileKey::quota_slice),
      .quota_burst = optional.time(ProfileKey::quota_burst),
      .read_submission = optional.time(ProfileKey::read_submission),
      .write_submission = optional.time(ProfileKey::write_submission),
      .read_time_per_kib = optional.time(ProfileKey::read_time_per_kib),
      .write_time_per_kib = optional.time(ProfileKey::write_time_per_kib),
      .read_factor_at_full_write = optional.at(ProfileKey::read_factor_at_full_write, 1000),
      .servers_per_doubling = optional.at(ProfileKey::servers_per_doubling, 0),
      .shared_servers = optional.at(ProfileKey::shared_servers, 0) != 0,
      .collection = collection_of(optional),
      .logical_block_bytes = at(ProfileKey::logical_block),
      .atomic_write_bytes = at(ProfileKey::atomic_write),
      .volatile_cache = cache_bytes > 0,
      .cache_bytes = cache_bytes,
      .force_unit_access = at(ProfileKey::force_unit_access) != 0,
      .queue_requests = static_cast<int>(optional.at(ProfileKey::queue_requests, 0)),
      .wbt_target = optional.time(ProfileKey::wbt_target),
      .io_timeout = optional.limit(ProfileKey::io_timeout),
  };
}

}  // namespace drydock::sim
