#include "faults/plan/disk_trouble.hpp"

namespace drydock::faults {

std::string_view name_of(DiskPart part) {
  switch (part) {
    case DiskPart::all: return "all";
    case DiskPart::reads: return "reads";
    case DiskPart::writes: return "writes";
    case DiskPart::data_writes: return "data-writes";
    case DiskPart::journal: return "journal";
    case DiskPart::flushes: return "flushes";
    case DiskPart::count_: break;
  }
  return "unnamed";
}

std::string_view name_of(DiskStatus status) {
  switch (status) {
    case DiskStatus::io_error: return "io-error";
    case DiskStatus::reservation_conflict: return "reservation-conflict";
    case DiskStatus::no_space: return "no-space";
    case DiskStatus::count_: break;
  }
  return "unnamed";
}

std::string_view name_of(AbortAnswer answer) {
  switch (answer) {
    case AbortAnswer::ignored: return "ignored";
    case AbortAnswer::obeyed: return "obeyed";
    case AbortAnswer::count_: break;
  }
  return "unnamed";
}

std::string_view name_of(ResetAnswer answer) {
  switch (answer) {
    case ResetAnswer::drops: return "drops";
    case ResetAnswer::lands_later: return "lands-later";
    case ResetAnswer::fails: return "fails";
    case ResetAnswer::count_: break;
  }
  return "unnamed";
}

}  // namespace drydock::faults
