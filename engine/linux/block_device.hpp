// A block device, or a regular file in its place, by direct I/O.
#pragma once

#include <memory>
#include <string>

#include "engine/linux/operations.hpp"
#include "engine/linux/shared_descriptor.hpp"
#include "engine/runtime/block_device.hpp"

namespace drydock::on_linux {

// Not exclusive: lease and probe share a device with whoever has mounted another part of it.
// force_unit_access is RWF_DSYNC: FUA where the device has it, write and flush elsewhere. flush is
// fdatasync. A regular file has no device to ask, so its cache counts as volatile.
// Source: pwritev2(2); block/fops.c; Documentation/block/writeback_cache_control.rst.
class LinuxBlockDevice : public BlockDevice {
 public:
  LinuxBlockDevice(Operations& operations, SharedDescriptor descriptor, DeviceInfo info)
      : operations_(operations), descriptor_(std::move(descriptor)), info_(info) {}

  DeviceInfo info() const override { return info_; }
  Task<Result<SharedBytes>> read(Worker& worker, std::int64_t offset, std::int64_t length) override;
  Task<Result<void>> write(Worker& worker, std::int64_t offset, SharedBytes bytes,
                           WriteDurability durability) override;
  Task<Result<void>> flush(Worker& worker) override;

 private:
  bool acceptable(std::int64_t offset, std::int64_t length) const;

  Operations& operations_;
  SharedDescriptor descriptor_;
  DeviceInfo info_;
};

// Errors: see LinuxProcess::open_device.
Task<Result<std::unique_ptr<BlockDevice>>> open_block_device(Operations& operations, Worker& worker,
                                                             std::string path);

}  // namespace drydock::on_linux
