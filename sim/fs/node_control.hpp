// The disks of a host as its node agent handles them.
#pragma once

#include "engine/runtime/host_control.hpp"
#include "sim/fs/host_files.hpp"

namespace drydock::sim {

// For the life of a process of the host: it must not outlive the host's files. Every command needs
// the disk to be attached; not_found otherwise.
class SimHostControl final : public HostControl {
 public:
  explicit SimHostControl(HostFiles& files) : files_(files) {}

  Result<std::vector<AttachedDisk>> attached() override;
  Result<std::unique_ptr<BlockDevice>> open_device(std::string device) override;
  Result<std::unique_ptr<Reservations>> open_reservations(std::string device) override;
  Task<Result<void>> purge_cache(Worker& worker, std::string device) override;
  // Replays the journal and marks the file system clean, as e2fsck -p does. A file system that a
  // second host has written to is not mended.
  Task<Result<void>> check(Worker& worker, std::string device) override;
  // not_supported: without replay while the journal is not empty (what it would show is not known).
  Task<Result<void>> mount(Worker& worker, std::string device, std::string mount_point,
                           MountOptions options) override;
  Task<Result<void>> unmount(Worker& worker, std::string mount_point) override;

 private:
  HostFiles& files_;
};

}  // namespace drydock::sim
