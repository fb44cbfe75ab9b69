#include "sim/disk/disk_fault.hpp"

#include <algorithm>

namespace drydock::sim {
namespace {

bool touches(const DiskCommand& command, const CommandSet::Range& range) {
  const bool has_place =
      command.kind() == DiskCommand::Kind::read || command.kind() == DiskCommand::Kind::write;
  return has_place && command.offset() < range.to &&
         command.offset() + command.length() > range.from;
}

}  // namespace

bool CommandSet::has(const DiskCommand& command) const {
  if (kind && *kind != command.kind()) return false;
  if (purpose && *purpose != command.purpose()) return false;
  const auto touched = [&command](const Range& range) { return touches(command, range); };
  if (!ranges.empty() && std::ranges::none_of(ranges, touched)) return false;
  return !queue || command.number() % queue->count == queue->index;
}

}  // namespace drydock::sim
