// A block device without a cache in between, as the lease, the probe and the node agent use it.
#pragma once

#include <cstdint>

#include "engine/runtime/task.hpp"
#include "engine/runtime/worker.hpp"
#include "engine/types/bytes.hpp"

namespace drydock {

enum class WriteDurability : std::uint8_t {
  device_cache,       // Completed writes may be lost with the device's power until a flush.
  force_unit_access,  // Completed means on stable media (FUA).
};

struct DeviceInfo {
  std::int64_t bytes = 0;
  std::int64_t block_bytes = 0;         // Logical block: 512 or 4096.
  std::int64_t atomic_write_bytes = 0;  // A power loss does not tear writes of this size (AWUPF).
  bool volatile_cache = false;
  bool reservations = false;
};

// Offsets and lengths are multiples of the logical block, else invalid_argument.
//
// All waits are uninterruptible until the host's own time-out for the device (nvme_core.io_timeout)
// has passed. Errors of every command: reservation_conflict (status 0/83h), outcome_unknown (timed
// out, aborted, or the path was lost: it may still land later), device_gone, io_error.
// A killed process does not stop a command: the device keeps the bytes it was given.
// Source: NVMe Base Specification 2.1; NVM Command Set 1.0.
class BlockDevice {
 public:
  virtual ~BlockDevice() = default;
  virtual DeviceInfo info() const = 0;

  // The blocks as the device has them now, its own cache included.
  virtual Task<Result<SharedBytes>> read(Worker& worker, std::int64_t offset,
                                         std::int64_t length) = 0;
  // After a crash before completion: each atomic unit is old or new, independently.
  virtual Task<Result<void>> write(Worker& worker, std::int64_t offset, SharedBytes bytes,
                                   WriteDurability durability) = 0;
  // Makes all writes that completed before the call durable. A host without write permission
  // cannot flush either: reservation_conflict.
  virtual Task<Result<void>> flush(Worker& worker) = 0;
};

}  // namespace drydock
