// The block device interface over a path: uncached commands of a process.
#pragma once

#include "sim/disk/disk_path.hpp"

namespace drydock::sim {

class SimBlockDevice : public BlockDevice {
 public:
  SimBlockDevice(SimDisk& disk, Host& host) : path_(disk, host) {}

  DeviceInfo info() const override { return path_.disk().info(); }
  Task<Result<SharedBytes>> read(Worker& worker, std::int64_t offset, std::int64_t length) override;
  Task<Result<void>> write(Worker& worker, std::int64_t offset, SharedBytes bytes,
                           WriteDurability durability) override;
  Task<Result<void>> flush(Worker& worker) override;

 private:
  bool valid(std::int64_t offset, std::int64_t length) const;

  DiskPath path_;
};

}  // namespace drydock::sim
