// The files of one host on one disk.
#pragma once

#include <functional>
#include <memory>

#include "engine/runtime/file_system.hpp"
#include "sim/fs/mount.hpp"

namespace drydock::sim {

// Makes a file system on the disk if there is none, and mounts it, at no cost in time. After a
// power loss or a panic the host mounts it anew when its power is back. Kernel, host and disk
// outlive it.
class HostFiles : public HostListener {
 public:
  HostFiles(Kernel& kernel, Host& host, SimDisk& disk, FileSystemOptions options);
  ~HostFiles() override;
  HostFiles(const HostFiles&) = delete;
  HostFiles& operator=(const HostFiles&) = delete;

  // The file system as `process` sees it; for SimProcess::attach. Calls wait while the host mounts.
  std::unique_ptr<FileSystem> attach(SimProcess& process);

  // Called whenever the host has mounted it anew and calls no longer wait.
  void set_mounted(std::function<void()> told) { mounted_ = std::move(told); }

  PageCache& cache() { return *cache_; }
  SimDisk& disk() { return path_.disk(); }
  // The present one.
  Mount& mount() { return *mount_; }

  void power_lost(Host& host) override;
  void power_restored(Host& host) override;
  void process_ended(Host& host, SimProcess& process) override;

 private:
  VolumeImage& image() { return static_cast<VolumeImage&>(*disk().format()); }

  Kernel& kernel_;
  Host& host_;
  FileSystemOptions options_;
  DiskPath path_;
  std::shared_ptr<PageCache> cache_;
  std::shared_ptr<Mount> mount_;
  std::function<void()> mounted_;
};

}  // namespace drydock::sim
