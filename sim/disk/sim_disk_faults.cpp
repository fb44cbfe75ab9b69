// What faults do to the commands of a disk, but for losses of power.
#include <algorithm>

#include "sim/disk/sim_disk.hpp"
#include "sim/disk/slow_time.hpp"

namespace drydock::sim {
namespace {

CommandSet commands_of(DiskHang what) {
  switch (what) {
    case DiskHang::all: break;
    case DiskHang::reads: return {.kind = DiskCommand::Kind::read};
    case DiskHang::writes: return {.kind = DiskCommand::Kind::write};
    case DiskHang::data_writes:
      return {.kind = DiskCommand::Kind::write, .purpose = DiskCommand::Purpose::data};
    case DiskHang::flushes: return {.kind = DiskCommand::Kind::flush};
  }
  return {};
}

}  // namespace

DiskFaultId SimDisk::begin(DiskFault fault) {
  if (const auto* const slowness = std::get_if<Slowness>(&fault.effect)) {
    ENSURE(slowness->per_mille > 0);
    ENSURE(slowness->per_mille <= 1'000'000'000);
  }
  if (const auto& queue = fault.commands.queue) ENSURE(queue->index < queue->count);
  const DiskFaultId id{next_fault_++};
  faults_.push_back({id, std::move(fault)});
  return id;
}

void SimDisk::end(DiskFaultId fault) {
  std::erase_if(faults_, [fault](const ActiveFault& active) { return active.id == fault; });
  release_held();
}

void SimDisk::hang(DiskHang what) {
  std::optional<DiskFaultId>& held = hangs_[static_cast<std::size_t>(what)];
  if (!held) held = begin({.commands = commands_of(what), .effect = Hang()});
}

void SimDisk::release(DiskHang what) {
  std::optional<DiskFaultId>& held = hangs_[static_cast<std::size_t>(what)];
  if (!held) return;
  end(*held);
  held.reset();
}

void SimDisk::fail_next(DiskCommand::Kind kind, int count, Error error) {
  ENSURE(count > 0);
  begin({.commands = {.kind = kind}, .effect = Failure{.error = error, .times = count}});
}

void SimDisk::fail_next(DiskCommand::Kind kind, DiskCommand::Purpose purpose, int count,
                        Error error) {
  ENSURE(count > 0);
  begin({.commands = {.kind = kind, .purpose = purpose},
         .effect = Failure{.error = error, .times = count}});
}

bool SimDisk::obeys_flushes() const {
  return std::ranges::none_of(faults_, [](const ActiveFault& active) {
    return std::holds_alternative<FlushLie>(active.fault.effect);
  });
}

template <class Effect>
bool SimDisk::suffers(const DiskCommand& command) const {
  return std::ranges::any_of(faults_, [&command](const ActiveFault& active) {
    return std::holds_alternative<Effect>(active.fault.effect) &&
           active.fault.commands.has(command);
  });
}

template bool SimDisk::suffers<Hang>(const DiskCommand& command) const;
template bool SimDisk::suffers<FlushLie>(const DiskCommand& command) const;

std::optional<Error> SimDisk::next_failure(const DiskCommand& command) {
  for (auto active = faults_.begin(); active != faults_.end(); ++active) {
    auto* const failure = std::get_if<Failure>(&active->fault.effect);
    if (failure == nullptr || !active->fault.commands.has(command)) continue;
    const Error error = failure->error;
    if (failure->times == 1) {
      faults_.erase(active);
    } else if (failure->times > 1) {
      --failure->times;
    }
    return error;
  }
  return std::nullopt;
}

std::int64_t SimDisk::slowness_by_faults(const DiskCommand& command) const {
  std::int64_t per_mille = slowness_per_mille_;
  for (const ActiveFault& active : faults_) {
    const auto* const slowness = std::get_if<Slowness>(&active.fault.effect);
    if (slowness == nullptr || !active.fault.commands.has(command)) continue;
    per_mille = scaled(per_mille, slowness->per_mille, 1000);
  }
  return per_mille;
}

const Hang* SimDisk::hang_on(const DiskCommand& command) const {
  for (const ActiveFault& active : faults_) {
    const auto* const hang = std::get_if<Hang>(&active.fault.effect);
    if (hang != nullptr && active.fault.commands.has(command)) return hang;
  }
  return nullptr;
}

void SimDisk::release_held() {
  IntrusiveList held;
  held.take_all(hung_);
  while (!held.empty()) {
    auto& command = static_cast<DiskCommand&>(*held.front());
    command.unlink();
    command.held_ = held_back(command);
    if (command.held_) {
      hung_.push_back(command);
    } else {
      kernel_.post(command);
    }
  }
}

}  // namespace drydock::sim
