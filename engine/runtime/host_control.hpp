// What only a node agent may do to its host: disks, caches and mounts.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/runtime/block_device.hpp"
#include "engine/runtime/reservations.hpp"

namespace drydock {

struct AttachedDisk {
  DiskId disk;
  std::string device;       // Path of its block device on this host.
  std::string mount_point;  // Empty while it is not mounted.
};

struct MountOptions {
  enum class Access : std::uint8_t { read_only, read_write };
  Access access = Access::read_write;
  enum class Replay : std::uint8_t { replay, no_replay };
  Replay replay = Replay::replay;
};

// Every call completes when the kernel has done it; each may wait for the device without bound.
// Source: mount(2), umount(2), e2fsck(8), blockdev(8), posix_fadvise(2).
class HostControl {
 public:
  virtual ~HostControl() = default;

  virtual Result<std::vector<AttachedDisk>> attached() = 0;
  virtual Result<std::unique_ptr<BlockDevice>> open_device(std::string device) = 0;
  virtual Result<std::unique_ptr<Reservations>> open_reservations(std::string device) = 0;

  // Writes back what can be written and drops every cached page of the device and of unmounted
  // files on it, so that the next read comes from the device. Error: busy while it is mounted.
  // After it nothing that was read before is served again.
  virtual Task<Result<void>> purge_cache(Worker& worker, std::string device) = 0;
  // Checks the file system and repairs what a journal replay leaves. Error: io_error if it could
  // not be made consistent; the device must not be mounted.
  virtual Task<Result<void>> check(Worker& worker, std::string device) = 0;
  // Mounts; with `replay`, the journal is replayed first, which writes. Errors: busy, io_error,
  // reservation_conflict (this host may not write), read_only.
  virtual Task<Result<void>> mount(Worker& worker, std::string device, std::string mount_point,
                                   MountOptions options) = 0;
  // Writes everything back and unmounts. Error: busy while files are open.
  virtual Task<Result<void>> unmount(Worker& worker, std::string mount_point) = 0;
};

}  // namespace drydock
