#include "engine/store/disk_space.hpp"

#include <algorithm>

namespace drydock {

std::optional<std::int32_t> used_percent(const SpaceInfo& space) {
  const std::int64_t used = space.total_bytes - space.free_bytes;
  const std::int64_t all = used + space.usable_bytes;
  if (space.total_bytes <= 0 || all <= 0) return std::nullopt;
  return static_cast<std::int32_t>((used * 100 + all - 1) / all);
}

DiskLevels DiskLevels::within_limits() const {
  return {.max_used = std::clamp(max_used, 10, 95),
          .clean_forcibly = std::clamp(clean_forcibly, 30, 85),
          .warning_level = std::clamp(warning_level, 35, 90)};
}

DiskVerdict judge_disks(std::optional<std::int32_t> log, std::optional<std::int32_t> queues,
                        DiskLevels levels) {
  levels = levels.within_limits();
  constexpr auto kAny = SpaceDemand::any_files;
  const auto exceeds = [](std::optional<std::int32_t> percent, std::int32_t level) {
    return percent && *percent > level;
  };
  if (exceeds(log, levels.warning_level)) return {kAny, true, std::nullopt};
  if (exceeds(log, levels.clean_forcibly)) return {kAny, std::nullopt, std::nullopt};
  if (exceeds(queues, levels.warning_level)) return {kAny, false, true};
  if (exceeds(queues, levels.clean_forcibly)) return {kAny, false, std::nullopt};
  const bool enough = log && *log <= levels.max_used && queues && *queues <= levels.max_used;
  return {enough ? SpaceDemand::nothing : SpaceDemand::expired_files, false, false};
}

std::int32_t hour_of_day(WallTime time) {
  constexpr std::int64_t kHourMs = 3'600'000;
  const std::int64_t hours = time.count_ms() / kHourMs - (time.count_ms() % kHourMs < 0 ? 1 : 0);
  return static_cast<std::int32_t>((hours % 24 + 24) % 24);
}

}  // namespace drydock
