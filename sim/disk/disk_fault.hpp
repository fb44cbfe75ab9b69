// Faults of a disk as values. Which commands a fault concerns, and what it does to them.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <variant>
#include <vector>

#include "sim/disk/disk_command.hpp"

namespace drydock::sim {

// All that is named must hold.
struct CommandSet {
  std::optional<DiskCommand::Kind> kind = std::nullopt;
  std::optional<DiskCommand::Purpose> purpose = std::nullopt;
  // Reads and writes that touch one of these ranges of the disk; other kinds touch none. Empty: all
  // commands, wherever.
  struct Range {
    std::int64_t from = 0;
    std::int64_t to = std::numeric_limits<std::int64_t>::max();  // Behind the last byte.
  };
  std::vector<Range> ranges = {};
  // Those of one of `count` hardware queues, over which commands are spread in turn.
  struct HardwareQueue {
    std::uint32_t index = 0;
    std::uint32_t count = 1;
  };
  std::optional<HardwareQueue> queue = std::nullopt;

  bool has(const DiskCommand& command) const;
};

// The device does not answer. What it holds back has been served: it takes effect when the last
// hang that concerns it ends, and all at once, in the order of service. `abort` and `reset`: what
// the attempts of a host come to that does not want to wait any longer (see BlockQueue).
struct Hang {
  enum class Abort : std::uint8_t { ignored, obeyed };
  enum class Reset : std::uint8_t {
    drops,        // The device forgets what it holds: of a write any subset of its units lands.
    lands_later,  // The host is told so, but what the device holds lands when the hang ends.
    fails,        // The controller does not come back; and what it holds lands all the same.
  };
  Abort abort = Abort::ignored;
  Reset reset = Reset::drops;
};

// The device answers with an error, and the command has no effect.
struct Failure {
  Error error = Error::from_errno(ErrorCode::io_error, 5);
  std::int64_t times = 0;  // As often as this, then the fault is over. 0: until it is ended.
};

// Service and transfer times, in thousandths of what they would be. Factors multiply.
struct Slowness {
  std::int64_t per_mille = 1000;
};

// Flushes, and writes through the cache, are acknowledged and not obeyed. Without effect on devices
// whose cache is not volatile.
struct FlushLie {};

struct DiskFault {
  CommandSet commands;
  std::variant<Hang, Failure, Slowness, FlushLie> effect;
};

// One that has begun.
enum class DiskFaultId : std::uint64_t {};

}  // namespace drydock::sim
