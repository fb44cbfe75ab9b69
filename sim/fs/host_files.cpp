#include "sim/fs/host_files.hpp"

#include "sim/fs/process_files.hpp"

namespace drydock::sim {

HostFiles::HostFiles(Kernel& kernel, Host& host, FileSystemOptions options)
    : kernel_(kernel),
      host_(host),
      options_(options),
      cache_(std::make_shared<PageCache>(host, options.page_cache)),
      table_(std::make_shared<MountTable>()) {
  ENSURE(host.powered());
  host_.add_listener(*this);
}

HostFiles::HostFiles(Kernel& kernel, Host& host, SimDisk& disk, FileSystemOptions options)
    : kernel_(kernel),
      host_(host),
      options_(options),
      path_(std::make_unique<DiskPath>(disk, host)),
      cache_(std::make_shared<PageCache>(host, options.page_cache)),
      table_(std::make_shared<MountTable>()) {
  ENSURE(host.powered());
  if (disk.format() == nullptr) make_file_system(disk, options);
  mount_ = make_root();
  mount_->mount_now();
  table_->mount("/", mount_);
  host_.add_listener(*this);
}

HostFiles::~HostFiles() {
  host_.remove_listener(*this);
  if (mount_ != nullptr) mount_->die();
  for (const auto& [device, attached] : attachments_) end(*attached, device);
}

std::unique_ptr<FileSystem> HostFiles::attach(SimProcess& process) {
  return std::make_unique<ProcessFiles>(table_, process);
}

void HostFiles::make_file_system(SimDisk& disk, const FileSystemOptions& options) {
  disk.set_format(std::make_unique<VolumeImage>(disk.store().capacity_bytes(), options));
}

std::shared_ptr<Mount> HostFiles::make_root() {
  auto mount = std::make_shared<Mount>(kernel_, *path_, cache_, image(), options_);
  watch(*mount);
  return mount;
}

void HostFiles::watch(Mount& mount) {
  mount.set_stopped([this](FileSystemStop how) {
    if (stopped_) stopped_(how);
  });
}

void HostFiles::begin(Attachment& attached, const std::string& device) {
  attached.raw = std::make_shared<RawDevice>(attached.path, cache_, options_.read_ahead_bytes);
  attached.raw->errors().set_reporting(options_.error_reporting);
  table_->add_device(device, attached.raw);
}

void HostFiles::end(Attachment& attached, const std::string& device) {
  if (attached.mount != nullptr) {
    attached.mount->die();
    buried_.push_back(std::move(attached.mount));
    attached.mount = nullptr;
  }
  if (!attached.mount_point.empty()) table_->unmount(attached.mount_point);
  attached.mount_point.clear();
  attached.raw->die();
  table_->remove_device(device);
}

void HostFiles::attach_disk(SimDisk& disk, const std::string& device) {
  auto& attached = attachments_[device];
  ENSURE(attached == nullptr);
  attached = std::make_shared<Attachment>(disk, host_);
  begin(*attached, device);
}

void HostFiles::detach_disk(const std::string& device) {
  const auto entry = attachments_.find(device);
  ENSURE(entry != attachments_.end());
  end(*entry->second, device);
  attachments_.erase(entry);
}

std::shared_ptr<Attachment> HostFiles::find(const std::string& device) const {
  const auto entry = attachments_.find(device);
  return entry == attachments_.end() ? nullptr : entry->second;
}

std::shared_ptr<Attachment> HostFiles::mounted_at(const std::string& mount_point) const {
  for (const auto& [device, attached] : attachments_) {
    if (!mount_point.empty() && attached->mount_point == mount_point) return attached;
  }
  return nullptr;
}

Result<std::shared_ptr<Mount>> HostFiles::make_mount(Attachment& attached, MountOptions how) {
  const bool writes = how.access == MountOptions::Access::read_write;
  if (writes && how.replay == MountOptions::Replay::no_replay) return ErrorCode::invalid_argument;
  auto* const image = static_cast<VolumeImage*>(attached.path.disk().format());
  if (image == nullptr) return ErrorCode::invalid_argument;
  buried_.clear();
  auto path = std::make_unique<DiskPath>(attached.path.disk(), host_);
  auto mount = std::make_shared<Mount>(kernel_, *path, cache_, *image, options_, how);
  watch(*mount);
  mount->keep(std::move(path), attached.raw);
  image->keep_log();
  mount->start_mounting();
  return mount;
}

// The dead mount stays until the power is back: frames of the host's processes still refer to it.
void HostFiles::power_lost(Host&) {
  if (mount_ != nullptr) mount_->die();
  for (const auto& [device, attached] : attachments_) {
    end(*attached, device);
    begin(*attached, device);
  }
}

void HostFiles::power_restored(Host&) {
  if (path_ == nullptr) return;
  mount_ = make_root();
  table_->mount("/", mount_);
  mount_->start_mounting([this] {
    if (mounted_) mounted_();
  });
}

void HostFiles::process_ended(Host&, SimProcess& process) {
  if (mount_ != nullptr) mount_->process_ended(process.id().value());
  for (const auto& [device, attached] : attachments_) {
    if (attached->mount != nullptr) attached->mount->process_ended(process.id().value());
  }
  cache_->process_ended(process.id().value());
}

}  // namespace drydock::sim
