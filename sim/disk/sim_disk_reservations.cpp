// What a disk does about reservations: whom it refuses, and how a preempt-and-abort waits.
#include <algorithm>

#include "sim/disk/disk_path.hpp"
#include "sim/disk/reservation_report.hpp"
#include "sim/disk/sim_disk.hpp"

namespace drydock::sim {
namespace {

NvmeCommand nvme_command_of(DiskCommand::Kind kind) {
  switch (kind) {
    case DiskCommand::Kind::read: return NvmeCommand::read;
    case DiskCommand::Kind::write: return NvmeCommand::write;
    case DiskCommand::Kind::flush: return NvmeCommand::flush;
    case DiskCommand::Kind::reservation: break;
  }
  return NvmeCommand::other;
}

bool aborts(const ReservationCommand& command) {
  const auto* const acquire = std::get_if<AcquireRequest>(&command);
  return acquire != nullptr && acquire->action == AcquireAction::preempt_and_abort;
}

}  // namespace

std::uint32_t SimDisk::add_controller(const HostIdentifier& identifier) {
  const auto number = static_cast<std::uint32_t>(controllers_.size());
  controllers_.push_back({.identifier = identifier, .controller = number});
  return number;
}

bool SimDisk::refuses(std::uint32_t controller, DiskCommand::Kind kind) const {
  if (!reservations_) return false;
  const NvmeStatus status = reservations_->check(controllers_[controller], nvme_command_of(kind));
  return status != NvmeStatus::success;
}

void SimDisk::discard(const DiskPath& path, std::int64_t block, std::int64_t count) {
  if (!refuses(path.controller(), DiskCommand::Kind::write)) store_.discard(block, count);
}

bool SimDisk::execute_reservation(DiskCommand& command) {
  if (is_fence(command)) {  // It has waited for as long as it may.
    drop_fence(command);
    command.decided_ = true;
    command.outcome_ = error_of(NvmeStatus::command_interrupted);
    return true;
  }
  if (const std::optional<Error> failure = injected_failure(command)) {
    command.decided_ = true;
    command.outcome_ = *failure;
    return true;
  }
  ReservationOutcome outcome = change_reservation(command);
  const bool done = outcome.status == NvmeStatus::success;
  if (done) note_owner();
  if (done) tell_hosts(outcome.notices);
  if (done && aborts(*command.reservation_) && begin_fence(command, std::move(outcome.preempted))) {
    return false;
  }
  command.decided_ = true;
  if (!done) command.outcome_ = error_of(outcome.status);
  return true;
}

ReservationOutcome SimDisk::change_reservation(DiskCommand& command) {
  if (!reservations_) {
    return {.status = NvmeStatus::invalid_opcode, .preempted{}, .notices{}};
  }
  const ReservationHost& host = controllers_[command.controller_];
  const ReservationCommand& request = *command.reservation_;
  if (const auto* const add = std::get_if<RegisterRequest>(&request)) {
    return reservations_->add_or_remove(host, *add);
  }
  if (const auto* const acquire = std::get_if<AcquireRequest>(&request)) {
    return reservations_->acquire(host, *acquire);
  }
  if (const auto* const release = std::get_if<ReleaseRequest>(&request)) {
    return reservations_->release(host, *release);
  }
  const ReportBytes report =
      encode_report(reservations_->report(), std::get<ReportRequest>(request),
                    reservations_->options(), HostIdentifierWidth::bits_128);
  command.bytes_ = ByteChain(SharedBytes::copy_of(report.bytes));
  return {.status = report.status, .preempted{}, .notices{}};
}

// All controllers of a host, as far as it listens by them.
void SimDisk::tell_hosts(const std::vector<ReservationNoticeTo>& notices) {
  for (const ReservationNoticeTo& notice : notices) {
    for (const auto& [controller, listener] : notice_logs_) {
      if (notice.to.is(controllers_[controller])) listener.log->add(notice.kind);
    }
  }
}

void SimDisk::note_owner() {
  const std::optional<ReservationHost> owner = reservations_->holder();
  if (!owner || (last_owner_ && last_owner_->is(*owner))) return;
  last_owner_ = owner;
  ++generation_;
}

bool SimDisk::owned_by(const DiskPath& path) const {
  if (!reservations_) return false;
  const std::optional<ReservationHost> owner = reservations_->holder();
  return owner && owner->is(controllers_[path.controller()]);
}

void SimDisk::audit_write(const DiskCommand& command) {
  if (!last_owner_ || command.command_ != DiskCommand::Kind::write) return;
  const bool by_owner = last_owner_->is(controllers_[command.controller_]);
  // Before the first owner, in generation 0, nobody could be taken by surprise.
  const std::uint32_t stored_in = command.stored_in_.value_or(generation_);
  const bool older = stored_in > 0 && stored_in < generation_;
  if (by_owner && !older) return;
  const std::int64_t end = command.offset_ + command.length_;
  for (std::int64_t block = command.offset_ / kPageBytes; block * kPageBytes < end; ++block) {
    ownership_.written_against_rules(block);
  }
}

bool SimDisk::is_fence(const DiskCommand& command) const {
  return std::ranges::any_of(fences_,
                             [&command](const Fence& fence) { return fence.command == &command; });
}

bool SimDisk::begin_fence(DiskCommand& command, std::vector<ReservationHost> hosts) {
  const ReservationOptions& options = reservations_->options();
  if (options.started_commands == StartedCommands::aborted) abort_commands_of(hosts);
  Fence fence{.command = &command, .hosts = std::move(hosts), .before = next_sequence_};
  if (!holds(fence)) return false;
  fences_.push_back(std::move(fence));
  if (options.wait_at_most) {
    kernel_.at(command, kernel_.now() + options.wait_at_most->count_ns());
  }
  return true;
}

void SimDisk::abort_commands_of(const std::vector<ReservationHost>& hosts) {
  for_each_command([this, &hosts](DiskCommand& command) {
    if (!command.sent_ || command.decided_ || !comes_from(command, hosts)) return;
    land_in_part(command, BlockStore::Landing::cached);
    decide(command, error_of(NvmeStatus::aborted_by_preempt));
  });
}

bool SimDisk::comes_from(const DiskCommand& command,
                         const std::vector<ReservationHost>& hosts) const {
  const ReservationHost& sender = controllers_[command.controller_];
  return std::ranges::any_of(hosts,
                             [&sender](const ReservationHost& host) { return host.is(sender); });
}

bool SimDisk::holds(const Fence& fence) {
  bool left = false;
  for_each_command([this, &fence, &left](DiskCommand& command) {
    if (!command.sent_ || command.sequence_ >= fence.before) return;
    left |= comes_from(command, fence.hosts);
  });
  return left;
}

void SimDisk::drop_fence(const DiskCommand& command) {
  std::erase_if(fences_, [&command](const Fence& fence) { return fence.command == &command; });
}

void SimDisk::complete_fences() {
  std::erase_if(fences_, [this](const Fence& fence) {
    if (fence.command->decided_) return true;  // It has been aborted, or its host is gone.
    if (holds(fence)) return false;
    decide(*fence.command, Result<void>());
    return true;
  });
}

}  // namespace drydock::sim
