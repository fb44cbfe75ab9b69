// sim/profiles holds what is known of kinds of disks as data: a file per kind, every value with
// where it comes from. The project's own are compiled into the program; users write or measure
// theirs.
//
//   profile          this file: a profile in memory, and which values one may have (profile_keys)
//   quantity         integers with units, as profiles write them
//   profile_reader   from a file's text to a profile, or one line that says what is wrong with it
//   profile_writer   and back
//   builtin_profiles the compiled ones: *.json in this folder, embedded by embed.py
//   stamped          what files of profiles have in common
//   cpu_profile      what a broker's work costs in time of a core: cpu-*.json
//   fio_file         what fio measured, from its JSON
//   latency_fit, depth_fit, parallelism_fit, fit   from measurements to a profile
//   doubts           what makes measurements doubtful
//   fio_script.sh    the measurements to make, for users
//
// What the disk model makes of a profile is in sim/disk; read_ahead and initial_write_bandwidth are
// its host's. All numbers of a profile are integers. Only the fit computes in floating point, and
// rounds before it hands anything out.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace drydock::sim {

// How a value is known.
enum class Evidence : std::uint8_t {
  measured,  // On such a device.
  source,    // A vendor, a paper or a kernel says so.
  assumed,   // Somebody's guess: reports name it.
};

struct Stamp {
  Evidence evidence = Evidence::assumed;
  std::string citation;  // Where to look it up, or why it is assumed. Not empty.
};

std::string_view name_of(Evidence evidence);

// `per_million` of the commands take at most `ns`.
struct LatencyPoint {
  std::int64_t per_million = 0;
  std::int64_t ns = 0;
  Stamp stamp;
};

// The values of a profile, in the order in which files have them.
enum class ProfileKey : std::uint8_t {
  read_latency,
  write_latency,
  flush_latency,
  read_servers,
  write_servers,
  max_read_iops,
  max_write_iops,
  read_bandwidth,
  write_bandwidth,
  shared_limits,
  force_unit_access,
  volatile_cache,
  logical_block,
  atomic_write,
  placement,
  smallest_disk,
  read_submission,
  write_submission,
  read_time_per_kib,
  write_time_per_kib,
  read_factor_at_full_write,
  shared_servers,
  servers_per_doubling,
  quota_slice,
  quota_burst,
  gc_pause,
  gc_period,
  queue_requests,
  wbt_target,
  read_ahead,
  io_timeout,
  initial_write_bandwidth,
  count_
};
inline constexpr std::size_t kProfileKeys = static_cast<std::size_t>(ProfileKey::count_);

// What kind of value a key has; the unit of the integers in ProfileValue.
enum class ProfileUnit : std::uint8_t {
  latency,    // A table of quantiles: LatencyPoint.
  time,       // Nanoseconds.
  size,       // Bytes.
  byte_rate,  // Bytes per second.
  rate,       // Per second.
  count,      // A bare integer.
  ratio,      // Thousandths.
  fraction,   // Millionths.
  flag,       // 0 or 1.
  word,       // One of the key's words.
};

// What a key may have.
struct KeyRule {
  ProfileKey key;
  std::string_view name;
  ProfileUnit unit;
  bool required;         // In every profile; a missing one of the others is not known.
  std::int64_t low = 0;  // Smallest and largest value.
  std::int64_t high = 0;
  bool may_grow = false;                    // With the size of the disk.
  bool may_range = false;                   // Two ends instead of one value.
  std::array<std::string_view, 4> words{};  // Instead of a quantity, or the only ones.
};

std::span<const KeyRule> key_rules();  // In the order of ProfileKey.
const KeyRule& rule_of(ProfileKey key);

// Nothing smaller can hold a file system with its journal.
inline constexpr std::int64_t kDiskBytesMin = 1 << 20;

struct ProfileValue {
  enum class Form : std::uint8_t {
    single,   // `low`
    range,    // `low` to `high`
    growing,  // `low` and `per_gib` for each whole GiB of the disk, at most `high`
    points,   // `points`
    word,     // `word`
  };
  Form form = Form::single;
  std::int64_t low = 0;
  std::int64_t per_gib = 0;
  std::int64_t high = 0;
  std::vector<LatencyPoint> points;  // At least one; rising.
  std::string_view word;             // One of the rule's.
  Stamp stamp;                       // Of all but `points`, which have their own.

  // The value for a disk of that size: of a range the lower end.
  std::int64_t at(std::int64_t disk_bytes) const;
};

struct Profile {
  std::string name;   // Letters, digits, - and _.
  std::string title;  // One line for people.
  std::array<std::optional<ProfileValue>, kProfileKeys> values;

  std::optional<ProfileValue>& operator[](ProfileKey key) {
    return values[static_cast<std::size_t>(key)];
  }
  const std::optional<ProfileValue>& operator[](ProfileKey key) const {
    return values[static_cast<std::size_t>(key)];
  }
  // A required one.
  const ProfileValue& get(ProfileKey key) const;
};

}  // namespace drydock::sim
