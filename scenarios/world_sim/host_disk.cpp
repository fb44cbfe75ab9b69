#include "scenarios/world_sim/host_disk.hpp"

#include <algorithm>
#include <expected>

#include "engine/types/nearest_name.hpp"
#include "scenarios/drill/disk_profile.hpp"
#include "scenarios/drill/units.hpp"
#include "sim/disk/compiled_profile.hpp"
#include "sim/fs/volume_image.hpp"
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

std::optional<Duration> io_timeout_of(const DiskSpec& spec) {
  if (!spec.io_timeout)
    return sim::compiled_profile(checked_profile_of(spec), spec.bytes).io_timeout;
  return *spec.io_timeout == Duration() ? std::nullopt : spec.io_timeout;
}

// What is wrong with a fault of this disk, or nothing. Its member, then why.
std::optional<std::pair<std::string, std::string>> why_pointless(const FaultSpec& fault,
                                                                 const DiskSpec& spec) {
  using faults::FaultKind;
  if (fault.kind == FaultKind::disk_flush_lie) {
    const auto profile = sim::compiled_profile(checked_profile_of(spec), spec.bytes);
    if (profile.volatile_cache) return std::nullopt;
    return std::pair(
        "do", "a disk '" + profile.name + "' has no volatile cache, so nothing would show the lie");
  }
  if (fault.kind != FaultKind::disk_hang) return std::nullopt;
  const bool aborts = fault.trouble.abort != faults::AbortAnswer::ignored;
  const bool resets = fault.trouble.reset != faults::ResetAnswer::drops;
  if (!aborts && !resets) return std::nullopt;
  const std::string member = aborts ? "abort" : "reset";
  const std::optional<Duration> timeout = io_timeout_of(spec);
  if (!timeout) return std::pair(member, "the host waits for ever: give the disk an io_timeout");
  const Duration first = aborts ? *timeout : *timeout * 2;
  if (!fault.lasts || *fault.lasts > first) return std::nullopt;
  return std::pair(member, "the hang ends before the host does that, after " + text_of(first));
}

// Such a disk keeps what it has confirmed, flushed or not.
void refuse_vain_barrier(const Drill& drill, const std::string& path, const DiskSpec& disk) {
  if (disk.mount.barrier) return;
  const auto profile = sim::compiled_profile(checked_profile_of(disk), disk.bytes);
  if (profile.volatile_cache) return;
  throw InputError(drill.source.at(path + "/mount/barrier") + ": a disk '" + profile.name +
                   "' has no volatile cache, so nothing is lost without barriers; leave it out, or "
                   "take a profile with one, such as sata-ssd");
}

void check_disk(const Drill& drill, const std::string& path, const DiskSpec& disk) {
  const auto profile = profile_of(disk);
  if (!profile) throw InputError(drill.source.at(path + "/profile") + ": " + profile.error());
  const std::int64_t smallest = profile->get(sim::ProfileKey::smallest_disk).low;
  if (disk.bytes < smallest || disk.bytes % kSectorBytes != 0) {
    throw InputError(drill.source.at(path + "/size") + ": must be at least " +
                     sim::text_of(sim::ProfileUnit::size, smallest) + " and a multiple of 4 KiB");
  }
  refuse_vain_barrier(drill, path, disk);
}

// Journal, inodes and the files of bare programs share the disk.
void refuse_too_many_files(const Drill& drill, const std::string& path, const HostSpec& host,
                           const DiskSpec& disk) {
  std::int64_t bytes = 0;
  for (const WriterSpec& writer : drill.writers) {
    if (writer.host == host.name) bytes += writer.file_bytes;
  }
  for (const ReaderSpec& reader : drill.readers) {
    if (reader.host == host.name && reader.follows.empty()) bytes += reader.file_bytes;
  }
  const sim::VolumeImage image(disk.bytes, files_of(host, disk));
  const std::int64_t room = (image.data_end() - image.data_begin()) * sim::kPageBytes;
  if (bytes <= room) return;
  throw InputError(
      drill.source.at(path + "/size") + ": leaves " + sim::text_of(sim::ProfileUnit::size, room) +
      " for files beside journal and inodes, and the load's have " +
      sim::text_of(sim::ProfileUnit::size, bytes) + ": take a larger disk or smaller files");
}

}  // namespace

void check_disk_faults(const Drill& drill) {
  for (const auto& [name, set] : drill.fault_sets) {
    for (std::size_t i = 0; i < set.size(); ++i) {
      if (!faults::of_disk(set[i].kind)) continue;
      const std::string host = host_at_start(drill, set[i].on);
      const auto why = why_pointless(set[i], *disk_of(drill, host));
      if (!why) continue;
      throw InputError(
          drill.source.at("/faults/" + name + "/" + std::to_string(i) + "/" + why->first) + ": " +
          why->second);
    }
  }
}

void check_own_disk(const Drill& drill, const HostSpec& host) {
  const std::string path = "/topology/hosts/" + host.name + "/disk";
  check_disk(drill, path, *host.disk);
  refuse_too_many_files(drill, path, host, *host.disk);
}

void check_shared_disk(const Drill& drill, const SharedDiskSpec& shared) {
  const std::string path = "/topology/disks/" + shared.name;
  check_disk(drill, path, shared.disk);
  const auto owner = std::ranges::find(drill.hosts, shared.mounted_by, &HostSpec::name);
  refuse_too_many_files(drill, path, *owner, shared.disk);
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
  if (spec.io_timeout) disk.profile.io_timeout = io_timeout_of(spec);
  disk.queue.links = spec.links;
  disk.queue.link_loss_timeout = spec.link_loss_timeout;
  const DiskThrottle& throttle = spec.throttle;
  disk.queue.throttle.reads = {.bytes_per_s = throttle.read_bytes_per_second,
                               .commands_per_s = throttle.reads_per_second};
  disk.queue.throttle.writes = {.bytes_per_s = throttle.write_bytes_per_second,
                                .commands_per_s = throttle.writes_per_second};
}

namespace {

sim::DataMode mode_of(DataOption data) {
  switch (data) {
    case DataOption::ordered: break;
    case DataOption::writeback: return sim::DataMode::writeback;
    case DataOption::journal: return sim::DataMode::journal;
  }
  return sim::DataMode::ordered;
}

sim::ErrorsPolicy policy_of(ErrorsOption errors) {
  switch (errors) {
    case ErrorsOption::go_on: break;
    case ErrorsOption::remount_ro: return sim::ErrorsPolicy::remount_ro;
    case ErrorsOption::panic: return sim::ErrorsPolicy::panic;
  }
  return sim::ErrorsPolicy::go_on;
}

}  // namespace

sim::FileSystemOptions files_of(const HostSpec& host, const DiskSpec& disk) {
  const MountSpec& mount = disk.mount;
  const sim::KernelProfile kernel = *sim::kernel_named(host.kernel);
  using Shadow = sim::KernelProfile::ShadowWait;
  sim::FileSystemOptions files{
      .kind = mount.type == FileSystemType::xfs ? sim::FsKind::xfs : sim::FsKind::ext4,
      .journal_bytes = mount.journal_bytes,
      .commit_interval = mount.commit,
      .data = mode_of(mount.data),
      .dioread_nolock = mount.dioread_nolock.value_or(kernel.dioread_nolock),
      .abort_on_data_error = mount.abort_on_data_error,
      .errors = policy_of(mount.errors),
      .shadow_until_committed = kernel.shadow_wait == Shadow::whole_commit,
      .names = mount.names_with_directory ? sim::NamesDurable::with_directory_sync
                                          : sim::NamesDurable::with_any_commit,
      .lazytime = mount.lazytime,
      .barrier = mount.barrier,
      .read_ahead_bytes = read_ahead_of(disk),
      .error_reporting = kernel.errors_reach_all ? sim::ErrorReporting::per_descriptor
                                                 : sim::ErrorReporting::once};
  files.page_cache.kernel = kernel;
  const sim::Profile profile = checked_profile_of(disk);
  if (const auto& known = profile[sim::ProfileKey::initial_write_bandwidth]) {
    files.page_cache.initial_bandwidth_bytes = known->low;
  }
  if (!host.dirty) return files;
  files.page_cache.dirty_bytes = host.dirty->bytes;
  files.page_cache.dirty_background_bytes = host.dirty->background_bytes;
  if (host.dirty->percent > 0) files.page_cache.dirty_percent = host.dirty->percent;
  if (host.dirty->background_percent > 0) {
    files.page_cache.dirty_background_percent = host.dirty->background_percent;
  }
  files.page_cache.expire = host.dirty->expire;
  files.page_cache.interval = host.dirty->writeback;
  return files;
}

std::string file_system_of(const Drill& drill, const std::string& host) {
  const DiskSpec* disk = nullptr;
  for (const HostSpec& spec : drill.hosts) {
    if (spec.name == host && spec.disk) disk = &*spec.disk;
  }
  for (const SharedDiskSpec& shared : drill.shared_disks) {
    if (std::ranges::find(shared.attached_to, host) != shared.attached_to.end()) {
      disk = &shared.disk;
    }
  }
  if (disk == nullptr) return "";
  if (disk->mount.type == FileSystemType::xfs) return "xfs";
  switch (disk->mount.data) {
    case DataOption::ordered: break;
    case DataOption::writeback: return "ext4, data=writeback";
    case DataOption::journal: return "ext4, data=journal";
  }
  return "ext4";
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
    if (!value) continue;
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
