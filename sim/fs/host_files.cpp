#include "sim/fs/host_files.hpp"

#include "sim/fs/process_files.hpp"

namespace drydock::sim {

HostFiles::HostFiles(Kernel& kernel, Host& host, SimDisk& disk, FileSystemOptions options)
    : kernel_(kernel),
      host_(host),
      options_(options),
      path_(disk, host),
      cache_(std::make_shared<PageCache>(host, options.page_cache)) {
  ENSURE(host.powered());
  if (disk.format() == nullptr) {
    disk.set_format(
        std::make_unique<VolumeImage>(disk.store().capacity_bytes(), options.journal_bytes));
  }
  mount_ = std::make_shared<Mount>(kernel_, path_, cache_, image(), options_);
  mount_->mount_now();
  host_.add_listener(*this);
}

HostFiles::~HostFiles() {
  host_.remove_listener(*this);
  mount_->die();
}

std::unique_ptr<FileSystem> HostFiles::attach(SimProcess& process) {
  return std::make_unique<ProcessFiles>(mount_, process.id());
}

// The dead mount stays until the power is back: frames of the host's processes still refer to it.
void HostFiles::power_lost(Host&) { mount_->die(); }

void HostFiles::power_restored(Host&) {
  mount_ = std::make_shared<Mount>(kernel_, path_, cache_, image(), options_);
  mount_->start_mounting([this] {
    if (mounted_) mounted_();
  });
}

void HostFiles::process_ended(Host&, SimProcess& process) {
  mount_->process_ended(process.id().value());
  cache_->process_ended(process.id().value());
}

}  // namespace drydock::sim
