#include <algorithm>

#include "engine/types/ensure.hpp"
#include "sim/profiles/profile.hpp"

namespace drydock::sim {
namespace {

using enum ProfileKey;
using enum ProfileUnit;

constexpr std::int64_t kGibibyte = 1 << 30;
constexpr std::int64_t kHour = 3'600'000'000'000;     // ns; no time in a profile is longer.
constexpr std::int64_t kYear = 8'766 * kHour;         // ns.
constexpr std::int64_t kRateMax = 1'000'000'000'000;  // Per second: of bytes 1 TB/s.
constexpr std::int64_t kSizeMax = std::int64_t{1} << 50;

// What they add up to on a slow disk ends in slow_time.hpp of sim/disk.
constexpr std::array<KeyRule, kProfileKeys> kRules{{
    // Time of a 4 KiB command on an idle device; flush: the whole command.
    {read_latency, "read_latency", latency, true, 0, kHour},
    {write_latency, "write_latency", latency, true, 0, kHour},
    {flush_latency, "flush_latency", latency, true, 0, kHour},
    // Commands served at the same time.
    {read_servers, "read_servers", count, true, 1, 65'536},
    {write_servers, "write_servers", count, true, 1, 65'536},
    {max_read_iops, "max_read_iops", rate, true, 1, kRateMax, true},
    {max_write_iops, "max_write_iops", rate, true, 1, kRateMax, true},
    {read_bandwidth, "read_bandwidth", byte_rate, true, 1, kRateMax, true},
    {write_bandwidth, "write_bandwidth", byte_rate, true, 1, kRateMax, true},
    // Reads and writes together may use the limits of writes.
    {shared_limits, "shared_limits", flag, true, 0, 1},
    {force_unit_access, "force_unit_access", flag, true, 0, 1},
    // 0 B: none, what is acknowledged survives a power loss.
    {volatile_cache, "volatile_cache", size, true, 0, kSizeMax},
    {logical_block, "logical_block", size, true, 512, 4'096},
    {atomic_write, "atomic_write", size, true, 512, 4'096},
    // A local disk loses its power with its host.
    {placement, "placement", word, true, 0, 0, false, false, {"local", "remote"}},
    {smallest_disk, "smallest_disk", size, true, kDiskBytesMin, kSizeMax},
    // From the caller to the device and back.
    {read_submission, "read_submission", time, false, 0, kHour},
    {write_submission, "write_submission", time, false, 0, kHour},
    // For each KiB beyond the first four.
    {read_time_per_kib, "read_time_per_kib", time, false, 0, kHour},
    {write_time_per_kib, "write_time_per_kib", time, false, 0, kHour},
    // Latency of reads while writes use all of their bandwidth.
    {read_factor_at_full_write, "read_factor_at_full_write", ratio, false, 1'000, 1'000'000},
    {shared_servers, "shared_servers", flag, false, 0, 1},
    // With n commands a disk is as fast as 1 + this * log2(n) servers; missing: as all of them.
    {servers_per_doubling, "servers_per_doubling", ratio, false, 1, 1'000'000},
    // A quota is handed out per slice; unused it adds up to a burst.
    {quota_slice, "quota_slice", time, false, 1, kHour},
    {quota_burst, "quota_burst", time, false, 1, kHour},
    // Garbage collection under load.
    {gc_pause, "gc_pause", time, false, 0, kHour, false, true},
    {gc_period, "gc_period", time, false, 1, kHour, false, true},
    // How the host is set up for such a disk: Linux's nr_requests, wbt_lat_usec,
    // read_ahead_kb, the driver's time-out, the writeback bandwidth estimate that it starts with.
    {queue_requests, "queue_requests", count, false, 1, 65'536, false, true},
    {wbt_target, "wbt_target", time, false, 0, kHour},
    {read_ahead, "read_ahead", size, false, 0, kGibibyte},
    {io_timeout, "io_timeout", time, false, 1, kYear, false, false, {"never"}},
    {initial_write_bandwidth, "initial_write_bandwidth", byte_rate, false, 1, kRateMax},
}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kRules.size(); ++i) {
    if (static_cast<std::size_t>(kRules[i].key) != i) return false;
  }
  return true;
}
static_assert(in_order());

}  // namespace

std::string_view name_of(Evidence evidence) {
  switch (evidence) {
    case Evidence::measured: return "measured";
    case Evidence::source: return "source";
    case Evidence::assumed: return "assumed";
  }
  return "";
}

std::span<const KeyRule> key_rules() { return kRules; }

const KeyRule& rule_of(ProfileKey key) { return kRules[static_cast<std::size_t>(key)]; }

std::int64_t ProfileValue::at(std::int64_t disk_bytes) const {
  if (form != Form::growing) return low;
  __extension__ using Wide = __int128;
  const Wide grown = low + Wide{per_gib} * (disk_bytes / kGibibyte);
  return static_cast<std::int64_t>(std::min<Wide>(grown, high));
}

const ProfileValue& Profile::get(ProfileKey key) const {
  const std::optional<ProfileValue>& value = (*this)[key];
  ENSURE(value.has_value());
  return *value;
}

}  // namespace drydock::sim
