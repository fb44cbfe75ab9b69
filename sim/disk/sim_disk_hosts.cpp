// What becomes of the commands of a host that is lost, or that does not want to wait any longer.
#include <utility>

#include "sim/disk/disk_path.hpp"
#include "sim/disk/sim_disk.hpp"

namespace drydock::sim {
namespace {

// A command that its host has given up and the device has not.
class Straggler final : public DiskCommand {
 public:
  using DiskCommand::Reserve;
  using DiskCommand::Write;
  template <class What>
  explicit Straggler(What what) : DiskCommand(std::move(what)) {}
  void completed(Result<void>) override {}
};

}  // namespace

BlockQueue& SimDisk::queue_of(HostId host) {
  std::unique_ptr<BlockQueue>& queue = queues_[host.value()];
  if (!queue) {
    BlockQueueOptions options = options_.queue;
    options.requests = options_.profile.queue_requests;
    options.wbt_target = options_.profile.wbt_target;
    options.io_timeout = options_.profile.io_timeout;
    queue = std::make_unique<BlockQueue>(kernel_, *this, options);
  }
  return *queue;
}

bool SimDisk::abort(DiskCommand& command) {
  const Hang* const hang = command.held_ ? hang_on(command) : nullptr;
  if (hang != nullptr && hang->abort == Hang::Abort::ignored) return false;
  take_back(command);
  return true;
}

bool SimDisk::reset(DiskCommand& command) {
  const Hang* const hang = command.held_ ? hang_on(command) : nullptr;
  if (hang == nullptr || hang->reset == Hang::Reset::drops) {
    take_back(command);
    return true;
  }
  const bool comes_back = hang->reset != Hang::Reset::fails;
  leave_behind(command, Duration());
  return comes_back;
}

// What has happened of it has happened; no more of it will.
void SimDisk::take_back(DiskCommand& command) {
  land_in_part(command, BlockStore::Landing::cached);
  give_server_back(command);
  drop_fence(command);
  make_new(command);
  complete_fences();
}

// The device goes on with it, but with what has no effect.
void SimDisk::leave_behind(DiskCommand& command, Duration late_by) {
  if (command.command_ == DiskCommand::Kind::write) {
    const Straggler::Write write{.offset = command.offset_,
                                 .bytes = command.bytes_,
                                 .purpose = command.purpose_,
                                 .durability = command.durability_,
                                 .stored_in = command.stored_in_};
    return replace(command, std::make_unique<Straggler>(write), late_by);
  }
  if (command.command_ == DiskCommand::Kind::reservation) {
    const Straggler::Reserve reserve{*command.reservation_};
    return replace(command, std::make_unique<Straggler>(reserve), late_by);
  }
  take_back(command);
}

void SimDisk::replace(DiskCommand& command, std::unique_ptr<DiskCommand> by, Duration late_by) {
  DiskCommand& straggler = *by.release();
  straggler.disk_ = this;
  straggler.host_ = command.host_;
  straggler.controller_ = command.controller_;
  straggler.sequence_ = command.sequence_;
  straggler.sent_at_ = command.sent_at_;
  straggler.sent_ = true;
  straggler.started_ = command.started_;
  straggler.refused_ = command.refused_;
  straggler.counted_ = std::exchange(command.counted_, false);
  straggler.served_ = std::exchange(command.served_, false);
  straggler.held_ = command.held_;
  straggler.set_label(EventKind::device, id_.value());
  commands_.push_back(straggler.place_);
  const bool waits = is_fence(command);
  for (Fence& fence : fences_) {
    if (fence.command == &command) fence.command = &straggler;
  }
  if (straggler.held_) {
    hung_.push_back(straggler);
  } else if (!waits || command.linked()) {
    // One that has not begun yet comes again, as the last of those who wait.
    const std::int64_t due = straggler.started_ ? command.time() : kernel_.now();
    kernel_.at(straggler, due + late_by.count_ns());
  }
  if (!straggler.started_ || late_by > Duration()) give_server_back(straggler);
  make_new(command);
}

void SimDisk::make_new(DiskCommand& command) {
  command.unlink();
  command.sent_ = false;
  command.started_ = false;
  command.refused_ = false;
  command.held_ = false;
}

// For want of an answer, or of anybody to ask.
void SimDisk::fail(DiskCommand& command) {
  if (command.sent_at_ < 0) return decide(command, ErrorCode::device_gone);
  decide(command, error_of(NvmeStatus::host_aborted_command));
}

void SimDisk::host_lost(DiskPath& path) {
  // Other hosts' commands take the servers over only when all of this host's are decided.
  for_each_command([this, &path](DiskCommand& command) {
    if (command.path_ != &path) return;
    land_in_part(command, BlockStore::Landing::cached);
    command.path_ = nullptr;
    decide(command, ErrorCode::outcome_unknown);
  });
  path.queue().host_lost();
  const auto log = notice_logs_.find(path.controller());
  if (log != notice_logs_.end()) log->second.log->reset();
}

void SimDisk::controllers_reset(const BlockQueue& queue) {
  for (const auto& [controller, listener] : notice_logs_) {
    if (listener.queue == &queue) listener.log->reset();
  }
}

void SimDisk::forget(DiskPath& path) {
  for_each_command([&path](DiskCommand& command) {
    if (command.path_ == &path) command.path_ = nullptr;
  });
}

}  // namespace drydock::sim
