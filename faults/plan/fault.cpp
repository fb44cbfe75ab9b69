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
    case FaultKind::operator_promote: return "operator.promote";
    case FaultKind::count_: break;
  }
  return "unnamed";
}

std::string detail_of(const Fault& fault) {
  if (!of_disk(fault.kind)) return "";
  const DiskTrouble& trouble = fault.trouble;
  std::string detail(name_of(trouble.part));
  if (fault.kind == FaultKind::disk_slow) {
    detail += ", " + std::to_string(trouble.factor) + " times slower";
  }
  if (fault.kind == FaultKind::disk_error && trouble.times > 0) {
    detail += ", " + std::to_string(trouble.times) + (trouble.times == 1 ? " time" : " times");
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

std::string_view name_of(DiskPart part) {
  switch (part) {
    case DiskPart::all: return "all";
    case DiskPart::reads: return "reads";
    case DiskPart::writes: return "writes";
    case DiskPart::data_writes: return "data-writes";
    case DiskPart::flushes: return "flushes";
    case DiskPart::count_: break;
  }
  return "unnamed";
}

std::optional<DiskPart> disk_part_named(std::string_view name) {
  return find_by_name<DiskPart>(name, [](DiskPart part) { return name_of(part); });
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
