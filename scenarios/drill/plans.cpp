// From the faults of a cell to the plan of one seed, and plans as text.
#include <nlohmann/json.hpp>

#include "engine/types/random_stream.hpp"
#include "scenarios/drill/cells.hpp"
#include "scenarios/drill/units.hpp"

namespace drydock::scenarios {
namespace {

faults::Trigger draw_trigger(const FaultSpec& spec, std::size_t place, std::uint64_t seed) {
  if (const auto* between = std::get_if<BetweenTimes>(&spec.when)) {
    RandomStream stream(seed, "plan/" + std::to_string(place) + "/at");
    return faults::AtTime{
        Duration::ns(stream.between(between->low.count_ns(), between->high.count_ns()))};
  }
  if (const auto* event = std::get_if<faults::AtEvent>(&spec.when)) return *event;
  return std::get<faults::AtCrashPoint>(spec.when);
}

nlohmann::json json_of(const faults::Trigger& trigger) {
  if (const auto* at = std::get_if<faults::AtTime>(&trigger)) {
    return {{"at", text_of(at->since_armed)}};
  }
  if (const auto* event = std::get_if<faults::AtEvent>(&trigger)) {
    return {{"event", drydock::name_of(event->name)}, {"occurrence", event->occurrence}};
  }
  const auto& point = std::get<faults::AtCrashPoint>(trigger);
  return {{"crash_point", drydock::name_of(point.point)}, {"occurrence", point.occurrence}};
}

nlohmann::json json_of(const faults::DiskRange& range) {
  nlohmann::json json = nlohmann::json::object();
  if (!range.file.empty()) json["file"] = range.file;
  if (!range.size_bytes) return json;
  json["from"] = std::to_string(range.from_bytes) + " B";
  json["size"] = std::to_string(*range.size_bytes) + " B";
  return json;
}

void add_trouble(const faults::Fault& fault, nlohmann::json& json) {
  using faults::FaultKind;
  const faults::DiskTrouble& trouble = fault.trouble;
  if (fault.kind == FaultKind::disk_flush_lie) return;
  if (fault.kind == FaultKind::disk_cut) {
    json["late_by"] = text_of(trouble.late_by);
    return;
  }
  if (fault.kind == FaultKind::disk_fill) {
    json["used"] = trouble.used_percent;
    return;
  }
  json["part"] = faults::name_of(trouble.part);
  if (trouble.range) json["range"] = json_of(*trouble.range);
  if (fault.kind == FaultKind::disk_slow) json["factor"] = trouble.factor;
  if (fault.kind == FaultKind::disk_error) json["status"] = faults::name_of(trouble.status);
  if (trouble.times > 0) json["times"] = trouble.times;
  if (fault.kind != FaultKind::disk_hang) return;
  json["abort"] = faults::name_of(trouble.abort);
  if (trouble.abort == faults::AbortAnswer::ignored) {
    json["reset"] = faults::name_of(trouble.reset);
  }
}

}  // namespace

faults::Plan draw_plan(const Cell& cell, std::uint64_t seed) {
  faults::Plan plan;
  for (std::size_t i = 0; i < cell.faults.size(); ++i) {
    const FaultSpec& spec = cell.faults[i];
    plan.faults.push_back(faults::Fault{spec.kind, spec.on, draw_trigger(spec, i, seed), spec.lasts,
                                        spec.separation, spec.trouble, spec.file});
  }
  return plan;
}

std::string text_of(const faults::Plan& plan) {
  nlohmann::json list = nlohmann::json::array();
  for (const faults::Fault& fault : plan.faults) {
    nlohmann::json json = {{"do", faults::name_of(fault.kind)},
                           {"on", faults::text_of(fault.on)},
                           {"when", json_of(fault.when)}};
    if (fault.lasts) json["for"] = text_of(*fault.lasts);
    if (fault.kind == faults::FaultKind::net_partition) {
      const faults::Separation& separation = fault.separation;
      json["from"] = separation.from ? faults::text_of(*separation.from) : kAllOthers;
      json["direction"] = faults::name_of(separation.direction);
    }
    if (fault.kind == faults::FaultKind::net_stray_client) {
      json["from"] = faults::text_of(*fault.separation.from);
    }
    if (faults::has_path(fault.kind)) {
      json[fault.kind == faults::FaultKind::fs_lock ? "directory" : "file"] = fault.file;
    }
    if (faults::of_disk(fault.kind)) add_trouble(fault, json);
    list.push_back(json);
  }
  return list.dump();
}

}  // namespace drydock::scenarios
