// What RocketMQ does about a disk that fills up (storage reference, 6.6). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "engine/runtime/file_system.hpp"
#include "engine/types/time.hpp"

namespace drydock {

// How much of what a process could ever use is used, in percent, rounded up; none if the file
// system does not say.
std::optional<std::int32_t> used_percent(const SpaceInfo& space);

// In percent of the disk.
struct DiskLevels {
  std::int32_t max_used = 75;        // diskMaxUsedSpaceRatio: taken for 10 to 95
  std::int32_t clean_forcibly = 85;  // diskSpaceCleanForciblyRatio: taken for 30 to 85
  std::int32_t warning_level = 90;   // diskSpaceWarningLevelRatio: taken for 35 to 90
  DiskLevels within_limits() const;
};

enum class SpaceDemand : std::uint8_t {
  nothing,
  expired_files,  // Of the log, those that are old enough go.
  any_files,      // They go whatever their age.
};
struct DiskVerdict {
  SpaceDemand demand = SpaceDemand::nothing;
  // Whether nothing is to be written to it any more. None: as before.
  std::optional<bool> log_is_full;
  std::optional<bool> queues_are_full;
  friend bool operator==(const DiskVerdict&, const DiskVerdict&) = default;
};
// `log` and `queues`: used_percent of the file systems that they are on. A disk that does not say
// how full it is demands space, but does not count as full. RocketMQ does not look at the queues'
// disk if the log's is in need.
DiskVerdict judge_disks(std::optional<std::int32_t> log, std::optional<std::int32_t> queues,
                        DiskLevels levels);

// The hour of the day, 0 to 23, in UTC. RocketMQ takes the host's time zone.
std::int32_t hour_of_day(WallTime time);

}  // namespace drydock
