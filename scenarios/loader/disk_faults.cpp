// faults: what is special about those of a disk.
#include <algorithm>

#include "scenarios/loader/did_you_mean.hpp"
#include "scenarios/loader/sections.hpp"

namespace drydock::scenarios {
namespace {

using faults::DiskPart;
using faults::FaultKind;

// Of a dense enumeration that ends with `count_`.
template <class Enum>
Enum read_named(const JsonAt& json) {
  const std::string written = json.text();
  std::string list;
  for (int i = 0; i < static_cast<int>(Enum::count_); ++i) {
    const auto value = static_cast<Enum>(i);
    if (name_of(value) == written) return value;
    list += (i == 0 ? "" : ", ") + std::string(name_of(value));
  }
  json.refuse("must be one of " + list + did_you_mean<Enum>(written));
}

faults::DiskRange read_range(const JsonAt& json, DiskPart part, const DiskSpec& disk) {
  json.allow_only({"file", "from", "size"});
  if (part == DiskPart::flushes) json.refuse("flushes have no place on the disk");
  faults::DiskRange range;
  if (json.has("file")) {
    range.file = json.at("file").text();
    if (range.file.front() != '/') json.at("file").refuse("must be an absolute path");
    if (part == DiskPart::journal) json.at("file").refuse("the journal is in no file");
    if (!json.has("from") && !json.has("size")) return range;
  }
  range.from_bytes = json.at("from").size();
  range.size_bytes = json.at("size").size();
  if (*range.size_bytes == 0) json.at("size").refuse("must be more than 0");
  if (*range.size_bytes > disk.bytes || range.from_bytes > disk.bytes - *range.size_bytes) {
    json.refuse("ends behind the end of the disk");
  }
  return range;
}

void read_error(const JsonAt& json, faults::DiskTrouble& trouble) {
  if (json.has("times")) trouble.times = json.at("times").count(1, 1'000'000'000);
  if (!json.has("status")) return;
  trouble.status = read_named<faults::DiskStatus>(json.at("status"));
  const bool writes = trouble.part == DiskPart::writes || trouble.part == DiskPart::data_writes ||
                      trouble.part == DiskPart::journal;
  if (trouble.status == faults::DiskStatus::no_space && !writes) {
    json.at("status").refuse("only writes need space: part must be writes, data-writes or journal");
  }
}

void read_hang(const JsonAt& json, faults::DiskTrouble& trouble) {
  if (json.has("abort")) trouble.abort = read_named<faults::AbortAnswer>(json.at("abort"));
  if (!json.has("reset")) return;
  trouble.reset = read_named<faults::ResetAnswer>(json.at("reset"));
  if (trouble.abort == faults::AbortAnswer::obeyed) {
    json.at("reset").refuse("a device that obeys aborts is never reset");
  }
}

}  // namespace

bool takes_of_disk(FaultKind kind, std::string_view key) {
  const bool of_commands =
      kind == FaultKind::disk_hang || kind == FaultKind::disk_slow || kind == FaultKind::disk_error;
  if (key == "part" || key == "range") return of_commands;
  if (key == "factor") return kind == FaultKind::disk_slow;
  if (key == "abort" || key == "reset") return kind == FaultKind::disk_hang;
  if (key == "late_by") return kind == FaultKind::disk_cut;
  if (key == "used") return kind == FaultKind::disk_fill;
  return kind == FaultKind::disk_error;  // "times", "status"
}

faults::DiskTrouble read_disk_trouble(const JsonAt& json, const FaultSpec& fault,
                                      const Drill& drill) {
  const std::string host = host_at_start(drill, fault.on);
  const DiskSpec* const disk = host.empty() ? nullptr : disk_of(drill, host);
  if (disk == nullptr) json.at("on").refuse("has no disk");
  faults::DiskTrouble trouble;
  if (fault.kind == FaultKind::disk_flush_lie) return trouble;
  if (fault.kind == FaultKind::disk_cut) {
    if (json.has("late_by")) trouble.late_by = json.at("late_by").duration();
    return trouble;
  }
  if (fault.kind == FaultKind::disk_fill) {
    if (shared_disk_of(drill, host) != nullptr) {
      json.at("on").refuse("its host shares a disk, on which this version has no other tenant");
    }
    trouble.used_percent = static_cast<std::int32_t>(json.at("used").count(1, 100));
    return trouble;
  }
  const bool slow = fault.kind == FaultKind::disk_slow;
  if (slow) trouble.factor = json.at("factor").count(2, 1'000'000);
  if (!slow || json.has("part")) trouble.part = read_named<DiskPart>(json.at("part"));
  if (json.has("range")) trouble.range = read_range(json.at("range"), trouble.part, *disk);
  if (fault.kind == FaultKind::disk_error) read_error(json, trouble);
  if (fault.kind == FaultKind::disk_hang) read_hang(json, trouble);
  return trouble;
}

void refuse_hidden_lies(const std::vector<JsonAt>& items, const std::vector<FaultSpec>& set) {
  const bool dark = std::ranges::any_of(
      set, [](const FaultSpec& fault) { return fault.kind == FaultKind::host_power_loss; });
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (dark || set[i].kind != FaultKind::disk_flush_lie) continue;
    items[i].at("do").refuse("nothing in this set takes the power, so nothing would show the lie");
  }
}

}  // namespace drydock::scenarios
