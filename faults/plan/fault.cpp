#include "faults/plan/fault.hpp"

namespace drydock::faults {
namespace {

// Enumerations here are dense and end with `count_`.
template <class Enum, class NameOf>
std::optional<Enum> find_by_name(std::string_view name, NameOf name_of_value) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(Enum::count_); ++i) {
    const auto value = static_cast<Enum>(i);
    if (name_of_value(value) == name) return value;
  }
  return std::nullopt;
}

}  // namespace

std::string_view name_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::process_kill: return "process.kill";
    case FaultKind::host_power_loss: return "host.power-loss";
    case FaultKind::host_panic: return "host.panic";
    case FaultKind::host_destroy: return "host.destroy";
    case FaultKind::net_partition: return "net.partition";
    case FaultKind::disk_hang: return "disk.hang";
    case FaultKind::disk_slow: return "disk.slow";
    case FaultKind::disk_error: return "disk.error";
    case FaultKind::disk_flush_lie: return "disk.flush-lie";
    case FaultKind::disk_cut: return "disk.cut";
    case FaultKind::disk_fill: return "disk.fill";
    case FaultKind::net_stray_client: return "net.stray-client";
    case FaultKind::fs_remove: return "fs.remove";
    case FaultKind::fs_lock: return "fs.lock";
    case FaultKind::fs_sync: return "fs.sync";
    case FaultKind::operator_promote: return "operator.promote";
    case FaultKind::operator_demote: return "operator.demote";
    case FaultKind::count_: break;
  }
  return "unnamed";
}

namespace {

std::string text_of(const DiskRange& range) {
  std::string text = range.file.empty() ? "" : " of " + range.file;
  if (!range.size_bytes) return text;
  return text + " at " + std::to_string(range.from_bytes) + " B, " +
         std::to_string(*range.size_bytes) + " B";
}

}  // namespace

std::string detail_of(const Fault& fault) {
  if (fault.kind == FaultKind::disk_fill) {
    return std::to_string(fault.trouble.used_percent) + " % used";
  }
  if (has_path(fault.kind)) return fault.file;
  const bool of_commands = fault.kind == FaultKind::disk_hang ||
                           fault.kind == FaultKind::disk_slow ||
                           fault.kind == FaultKind::disk_error;
  if (!of_commands) return "";
  const DiskTrouble& trouble = fault.trouble;
  std::string detail(name_of(trouble.part));
  if (trouble.range) detail += text_of(*trouble.range);
  if (fault.kind == FaultKind::disk_slow) {
    detail += ", " + std::to_string(trouble.factor) + " times slower";
  }
  if (fault.kind == FaultKind::disk_error) {
    if (trouble.status != DiskStatus::io_error) {
      detail += ", " + std::string(name_of(trouble.status));
    }
    if (trouble.times > 0) {
      detail += ", " + std::to_string(trouble.times) + (trouble.times == 1 ? " time" : " times");
    }
  }
  return detail;
}

std::optional<FaultKind> fault_kind_named(std::string_view name) {
  return find_by_name<FaultKind>(name, [](FaultKind kind) { return name_of(kind); });
}

std::string_view name_of(CutDirection direction) {
  switch (direction) {
    case CutDirection::both: return "both";
    case CutDirection::incoming: return "incoming";
    case CutDirection::outgoing: return "outgoing";
    case CutDirection::count_: break;
  }
  return "unnamed";
}

std::optional<CutDirection> cut_direction_named(std::string_view name) {
  return find_by_name<CutDirection>(name,
                                    [](CutDirection direction) { return name_of(direction); });
}

std::optional<EventName> event_named(std::string_view name) {
  return find_by_name<EventName>(name, [](EventName event) { return drydock::name_of(event); });
}

std::optional<CrashPoint> crash_point_named(std::string_view name) {
  return find_by_name<CrashPoint>(name, [](CrashPoint point) { return drydock::name_of(point); });
}

std::string text_of(const Selector& selector) {
  return selector.by == Selector::By::role ? "role:" + selector.value : selector.value;
}

}  // namespace drydock::faults
