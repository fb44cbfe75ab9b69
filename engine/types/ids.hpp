// Identifiers of a cluster's parts and positions in RocketMQ's files.
#pragma once

#include "engine/types/strong.hpp"

namespace drydock {

using HostId = Id<struct HostTag>;
using ProcessId = Id<struct ProcessTag>;
// Unique in the world: the process in the upper half.
using WorkerId = Id<struct WorkerTag, std::uint64_t>;
using DiskId = Id<struct DiskTag>;
using Epoch = Id<struct EpochTag>;

// Byte position in the CommitLog of one broker ("phy" in RocketMQ's terms).
using PhysicalOffset = Position<struct PhysicalOffsetTag>;
// Index of a message inside one consume queue ("cq offset").
using QueueOffset = Position<struct QueueOffsetTag>;

}  // namespace drydock
