#include "faults/on_sim/sim_injector.hpp"

#include "sim/disk/nvme_status.hpp"

namespace drydock::faults {
namespace {

sim::CommandSet commands_of(DiskPart part) {
  using Kind = sim::DiskCommand::Kind;
  using Purpose = sim::DiskCommand::Purpose;
  switch (part) {
    case DiskPart::reads: return {.kind = Kind::read};
    case DiskPart::writes: return {.kind = Kind::write};
    case DiskPart::data_writes: return {.kind = Kind::write, .purpose = Purpose::data};
    case DiskPart::journal: return {.kind = Kind::write, .purpose = Purpose::journal};
    case DiskPart::flushes: return {.kind = Kind::flush};
    case DiskPart::all:
    case DiskPart::count_: break;
  }
  return {};
}

Error error_of(DiskStatus status) {
  switch (status) {
    case DiskStatus::reservation_conflict:
      return sim::error_of(sim::NvmeStatus::reservation_conflict);
    case DiskStatus::no_space: return Error::from_errno(ErrorCode::no_space, 28);
    case DiskStatus::io_error:
    case DiskStatus::count_: break;
  }
  return Error::from_errno(ErrorCode::io_error, 5);
}

sim::Hang hang_of(const DiskTrouble& trouble) {
  sim::Hang hang;
  if (trouble.abort == AbortAnswer::obeyed) hang.abort = sim::Hang::Abort::obeyed;
  if (trouble.reset == ResetAnswer::lands_later) hang.reset = sim::Hang::Reset::lands_later;
  if (trouble.reset == ResetAnswer::fails) hang.reset = sim::Hang::Reset::fails;
  return hang;
}

// Anywhere on the disk.
sim::DiskFault disk_fault_of(FaultKind kind, const DiskTrouble& trouble) {
  sim::DiskFault fault;
  fault.commands = commands_of(trouble.part);
  if (kind == FaultKind::disk_hang) fault.effect = hang_of(trouble);
  if (kind == FaultKind::disk_slow) fault.effect = sim::Slowness{trouble.factor * 1'000};
  if (kind == FaultKind::disk_flush_lie) fault.effect = sim::FlushLie();
  if (kind == FaultKind::disk_error) {
    fault.effect = sim::Failure{.error = error_of(trouble.status), .times = trouble.times};
  }
  return fault;
}

}  // namespace

std::optional<std::string> SimInjector::arm(const Plan& plan) {
  ENSURE(armed_.empty());
  for (const Fault& fault : plan.faults) {
    if (std::optional<std::string> why = refuse(fault)) return why;
  }
  plan_ = plan;
  statuses_.resize(plan_.faults.size());
  for (std::size_t i = 0; i < plan_.faults.size(); ++i) {
    armed_.push_back(std::make_unique<Armed>(*this, i));
    arm_trigger(i);
  }
  return std::nullopt;
}

std::optional<std::string> SimInjector::refuse(const Fault& fault) {
  const std::string what = std::string(name_of(fault.kind)) + " on " + text_of(fault.on);
  switch (fault.kind) {
    case FaultKind::process_kill:
    case FaultKind::operator_promote:
    case FaultKind::operator_demote:
      if (targets_.process_meant(fault.on).empty()) return what + ": there is no such process";
      return std::nullopt;
    case FaultKind::host_power_loss:
    case FaultKind::host_panic:
    case FaultKind::host_destroy:
      if (targets_.host_meant(fault.on).empty()) return what + ": there is no such host";
      return std::nullopt;
    case FaultKind::fs_remove:
    case FaultKind::fs_lock:
    case FaultKind::fs_sync:
      if (targets_.disk(targets_.host_meant(fault.on)) == nullptr) {
        return what + ": there is no such disk";
      }
      return std::nullopt;
    case FaultKind::net_stray_client:
      if (targets_.process_meant(fault.on).empty()) return what + ": there is no such process";
      if (!fault.separation.from || targets_.host_meant(*fault.separation.from).empty()) {
        return what + ": there is no host for it";
      }
      return std::nullopt;
    case FaultKind::net_partition:
      if (targets_.host_meant(fault.on).empty()) return what + ": there is no such host";
      if (fault.separation.from && targets_.host_meant(*fault.separation.from).empty()) {
        return what + " from " + text_of(*fault.separation.from) + ": there is no such host";
      }
      return std::nullopt;
    case FaultKind::disk_hang:
    case FaultKind::disk_slow:
    case FaultKind::disk_error:
    case FaultKind::disk_flush_lie:
    case FaultKind::disk_cut:
    case FaultKind::disk_fill:
      if (targets_.disk(targets_.host_meant(fault.on)) == nullptr) {
        return what + ": there is no such disk";
      }
      return std::nullopt;
    case FaultKind::count_: break;
  }
  return what + ": not implemented in the simulation";
}

void SimInjector::arm_trigger(std::size_t index) {
  const Fault& fault = plan_.faults[index];
  Moment& moment = armed_[index]->begin;
  if (const auto* at = std::get_if<AtTime>(&fault.when)) {
    kernel_.after(moment, at->since_armed);
  } else if (const auto* event = std::get_if<AtEvent>(&fault.when)) {
    const std::uint64_t before = kernel_.triggers().occurrences(event->name);
    kernel_.triggers().add(event->name, before + event->occurrence, moment);
  } else {
    sim::SimProcess* const process = targets_.process(targets_.process_meant(fault.on));
    if (process != nullptr) arm_crash_point(index, *process);
  }
}

void SimInjector::process_starting(const std::string& name, sim::SimProcess& process) {
  if (disarmed_) return;
  for (std::size_t i = 0; i < armed_.size(); ++i) {
    const Fault& fault = plan_.faults[i];
    if (!std::holds_alternative<AtCrashPoint>(fault.when)) continue;
    if (targets_.process_meant(fault.on) == name) arm_crash_point(i, process);
  }
}

void SimInjector::arm_crash_point(std::size_t index, sim::SimProcess& process) {
  if (statuses_[index].state != FaultStatus::State::armed) return;
  const auto& at = std::get<AtCrashPoint>(plan_.faults[index].when);
  Moment& moment = armed_[index]->begin;
  process.chaos().arm(at.point, at.occurrence, [this, &moment] { kernel_.post_urgent(moment); });
}

void SimInjector::on_begin(std::size_t index) {
  FaultStatus& status = statuses_[index];
  if (disarmed_ || status.state != FaultStatus::State::armed) return;
  const Fault& fault = plan_.faults[index];
  if (!begin(index)) {
    status.state = FaultStatus::State::missed;
    return;
  }
  status.state = FaultStatus::State::active;
  status.began_ns = kernel_.now();
  latest_began_ns_ = status.began_ns;
  if (fault.lasts) kernel_.after(armed_[index]->end, *fault.lasts);
}

bool SimInjector::begin(std::size_t index) {
  const Fault& fault = plan_.faults[index];
  switch (fault.kind) {
    case FaultKind::process_kill:
    case FaultKind::operator_promote:
    case FaultKind::operator_demote: return begin_on_process(fault, statuses_[index]);
    case FaultKind::host_power_loss:
    case FaultKind::host_panic:
    case FaultKind::host_destroy: return begin_on_host(fault, statuses_[index]);
    case FaultKind::net_partition: return begin_partition(index);
    case FaultKind::net_stray_client: return begin_stray_client(index);
    case FaultKind::fs_remove:
      statuses_[index].target = targets_.host_meant(fault.on);
      return targets_.remove_file(statuses_[index].target, fault.file);
    case FaultKind::fs_sync:
      statuses_[index].target = targets_.host_meant(fault.on);
      return targets_.sync_file(statuses_[index].target, fault.file);
    case FaultKind::fs_lock:
      statuses_[index].target = targets_.host_meant(fault.on);
      return targets_.lock_directory(statuses_[index].target, index, fault.file);
    case FaultKind::disk_hang:
    case FaultKind::disk_slow:
    case FaultKind::disk_error:
    case FaultKind::disk_flush_lie: return begin_on_disk(index);
    case FaultKind::disk_cut: return begin_cut_of_disk(index);
    case FaultKind::disk_fill: return begin_fill(index);
    case FaultKind::count_: break;
  }
  return false;
}

bool SimInjector::begin_on_process(const Fault& fault, FaultStatus& status) {
  status.target = targets_.process_meant(fault.on);
  if (fault.kind == FaultKind::operator_promote) return targets_.promote(status.target);
  if (fault.kind == FaultKind::operator_demote) return targets_.demote(status.target);
  sim::SimProcess* const process = targets_.process(status.target);
  if (process == nullptr || process->ending()) return false;
  process->kill();
  return true;
}

bool SimInjector::begin_on_host(const Fault& fault, FaultStatus& status) {
  status.target = targets_.host_meant(fault.on);
  sim::Host& host = targets_.host(status.target);
  if (fault.kind == FaultKind::host_destroy) {
    if (targets_.destroyed(status.target)) return false;
    if (host.powered()) host.lose_power();
    targets_.destroy(status.target);
    return true;
  }
  if (!host.powered()) return false;
  if (fault.kind == FaultKind::host_panic) {
    host.panic();
  } else {
    host.lose_power();
  }
  return true;
}

bool SimInjector::begin_partition(std::size_t index) {
  const Fault& fault = plan_.faults[index];
  const std::optional<Selector>& from = fault.separation.from;
  const std::string host = targets_.host_meant(fault.on);
  const std::string other = from ? targets_.host_meant(*from) : "";
  statuses_[index].target = host + " from " + (from ? other : "all others");
  const bool apart = !host.empty() && host != other && (!from || !other.empty());
  if (apart) armed_[index]->cut = targets_.cut(host, other, fault.separation.direction);
  return apart;
}

bool SimInjector::begin_stray_client(std::size_t index) {
  const Fault& fault = plan_.faults[index];
  ENSURE(fault.separation.from.has_value());
  statuses_[index].target = targets_.process_meant(fault.on);
  const std::string host = targets_.host_meant(*fault.separation.from);
  armed_[index]->client = targets_.stray_client(host, statuses_[index].target);
  return armed_[index]->client != nullptr;
}

bool SimInjector::begin_on_disk(std::size_t index) {
  const Fault& fault = plan_.faults[index];
  const std::string host = targets_.host_meant(fault.on);
  sim::SimDisk* const disk = targets_.disk(host);
  statuses_[index].target = host;
  if (disk == nullptr || !disk->powered()) return false;
  sim::DiskFault effect = disk_fault_of(fault.kind, fault.trouble);
  if (const std::optional<DiskRange>& range = fault.trouble.range) {
    effect.commands.ranges = targets_.bytes_of(host, *range);
    if (effect.commands.ranges.empty()) return false;
  }
  armed_[index]->trouble = disk->begin(std::move(effect));
  return true;
}

bool SimInjector::begin_cut_of_disk(std::size_t index) {
  const Fault& fault = plan_.faults[index];
  const std::string host = targets_.host_meant(fault.on);
  sim::SimDisk* const disk = targets_.disk(host);
  statuses_[index].target = host;
  if (disk == nullptr || !targets_.host(host).powered()) return false;
  sim::BlockQueue& queue = disk->queue_of(targets_.host(host).id());
  armed_[index]->link = queue.link();
  return queue.cut(queue.link(), {.late_by = fault.trouble.late_by});
}

bool SimInjector::begin_fill(std::size_t index) {
  const Fault& fault = plan_.faults[index];
  const std::string host = targets_.host_meant(fault.on);
  statuses_[index].target = host;
  if (targets_.disk(host) == nullptr || !targets_.host(host).powered()) return false;
  targets_.fill(host, index, fault.trouble.used_percent);
  return true;
}

void SimInjector::end_on_disk(std::size_t index) {
  const std::string& host = statuses_[index].target;
  sim::SimDisk* const disk = targets_.disk(host);
  if (disk == nullptr) return;
  if (plan_.faults[index].kind == FaultKind::disk_fill) {
    targets_.empty(host, index);
  } else if (plan_.faults[index].kind == FaultKind::disk_cut) {
    disk->queue_of(targets_.host(host).id()).mend(armed_[index]->link);
  } else {
    disk->end(armed_[index]->trouble);
  }
}

void SimInjector::on_end(std::size_t index) {
  FaultStatus& status = statuses_[index];
  if (status.state != FaultStatus::State::active) return;
  const FaultKind kind = plan_.faults[index].kind;
  if (!is_taken_back(kind)) return;
  const bool of_host = kind == FaultKind::host_power_loss || kind == FaultKind::host_panic;
  if (of_host && targets_.destroyed(status.target)) return;  // Nothing is left to have power.
  status.state = FaultStatus::State::ended;
  status.ended_ns = kernel_.now();
  if (kind == FaultKind::process_kill) targets_.restart(status.target);
  if (kind == FaultKind::net_partition) targets_.mend(armed_[index]->cut);
  if (kind == FaultKind::fs_lock) targets_.unlock_directory(status.target, index);
  if (kind == FaultKind::net_stray_client) armed_[index]->client->kill();
  if (of_disk(kind)) end_on_disk(index);
  if (of_host) targets_.host(status.target).restore_power();
}

void SimInjector::disarm() {
  disarmed_ = true;
  for (const auto& armed : armed_) {
    armed->begin.unlink();
    armed->end.unlink();
  }
}

void SimInjector::heal() {
  disarm();
  for (std::size_t i = 0; i < armed_.size(); ++i) on_end(i);
}

}  // namespace drydock::faults
