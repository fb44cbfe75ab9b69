// The files of one host on one disk.
#pragma once

#include <memory>

#include "engine/runtime/file_system.hpp"
#include "sim/disk/disk_path.hpp"

namespace drydock::sim {

struct FileSystemOptions {
  Duration commit_interval = Duration::s(5);  // ext4's commit=5.
};

// Kernel, host and disk outlive it. Processes get their view by `attach`.
class HostFiles : public HostListener {
 public:
  HostFiles(Kernel& kernel, Host& host, SimDisk& disk, FileSystemOptions options);
  ~HostFiles() override;

  // The file system as `process` sees it; for SimProcess::attach.
  std::unique_ptr<FileSystem> attach(SimProcess& process);

  void power_lost(Host& host) override;
  void power_restored(Host& host) override;
  void process_ended(Host& host, SimProcess& process) override;

 private:
  Host& host_;
};

}  // namespace drydock::sim
