// What a disk does wrong, as a value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/types/time.hpp"

namespace drydock::faults {

// Which part of a disk's work a fault concerns.
enum class DiskPart : std::uint8_t {
  all,
  reads,
  writes,       // Those of the journal, too.
  data_writes,  // All but those of the journal.
  journal,      // Writes of the journal alone.
  flushes,
  count_,
};

// Which bytes it is limited to. Only reads and writes have a place: flushes are not concerned.
struct DiskRange {
  // Empty: the range counts on the device. Otherwise in that file of the host, and the blocks are
  // meant that the file has there when the fault takes effect.
  std::string file;
  std::int64_t from_bytes = 0;
  std::optional<std::int64_t> size_bytes = std::nullopt;  // None (a file alone): to its end.
  friend bool operator==(const DiskRange&, const DiskRange&) = default;
};

// What a command that fails is told.
enum class DiskStatus : std::uint8_t {
  io_error,              // EIO.
  reservation_conflict,  // NVMe status 0x083, as after a preempt by somebody else.
  no_space,              // ENOSPC: a thinly provisioned volume has no room left for a write.
  count_,
};

// What a device that hangs does when its host, after its time-out, aborts a command, and when it
// resets the controller after another one.
enum class AbortAnswer : std::uint8_t { ignored, obeyed, count_ };
enum class ResetAnswer : std::uint8_t {
  drops,        // It forgets what it holds: of a write any part may have landed.
  lands_later,  // It says so, but what it holds lands when the hang ends.
  fails,        // The controller does not come back, and what it holds lands all the same.
  count_,
};

struct DiskTrouble {
  DiskPart part = DiskPart::all;
  std::int64_t factor = 1;  // Of disk_slow: so many times the time.
  std::int64_t times = 0;   // Of disk_error: so many commands fail. 0: all, until its end.
  std::optional<DiskRange> range = std::nullopt;  // None: everywhere.
  DiskStatus status = DiskStatus::io_error;       // Of disk_error.
  AbortAnswer abort = AbortAnswer::ignored;       // Of disk_hang.
  ResetAnswer reset = ResetAnswer::drops;         // Of disk_hang.
  std::int32_t used_percent = 100;                // Of disk_fill: as df counts.
  // Of disk_cut: what is on its way lands this much later than it would have.
  Duration late_by = Duration();
  friend bool operator==(const DiskTrouble&, const DiskTrouble&) = default;
};

std::string_view name_of(DiskPart part);
std::string_view name_of(DiskStatus status);
std::string_view name_of(AbortAnswer answer);
std::string_view name_of(ResetAnswer answer);

}  // namespace drydock::faults
