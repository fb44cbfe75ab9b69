#include "sim/disk/sim_disk.hpp"

#include <algorithm>

#include "sim/disk/disk_path.hpp"

namespace drydock::sim {
namespace {

constexpr std::int64_t kBillion = 1'000'000'000;

BlockStoreOptions store_options(const DiskOptions& options) {
  return {
      .capacity_bytes = options.capacity_bytes / kPageBytes * kPageBytes,
      .atomic_write_bytes = options.profile.atomic_write_bytes,
      .volatile_cache = options.profile.volatile_cache,
      .cache_bytes = options.profile.cache_bytes,
  };
}

}  // namespace

DiskCommand::DiskCommand(Read read)
    : Wakeup(&DiskCommand::on_run, EventKind::device, 0),
      command_(Kind::read),
      purpose_(read.purpose),
      offset_(read.offset),
      length_(read.length) {}

DiskCommand::DiskCommand(Write write)
    : Wakeup(&DiskCommand::on_run, EventKind::device, 0),
      command_(Kind::write),
      purpose_(write.purpose),
      durability_(write.durability),
      offset_(write.offset),
      length_(static_cast<std::int64_t>(write.bytes.size())),
      bytes_(std::move(write.bytes)) {}

DiskCommand::DiskCommand(Flush flush)
    : Wakeup(&DiskCommand::on_run, EventKind::device, 0),
      command_(Kind::flush),
      purpose_(flush.purpose) {}

DiskCommand::DiskCommand(Reserve reserve)
    : Wakeup(&DiskCommand::on_run, EventKind::device, 0),
      command_(Kind::reservation),
      purpose_(Purpose::data),
      reservation_(std::make_unique<ReservationCommand>(std::move(reserve.command))) {}

void DiskCommand::on_run(Wakeup& wakeup) {
  auto& command = static_cast<DiskCommand&>(wakeup);
  command.disk_->due(command);
}

SimDisk::SimDisk(Kernel& kernel, DiskId id, DiskOptions options)
    : kernel_(kernel),
      id_(id),
      options_(std::move(options)),
      store_(store_options(options_)),
      reads_{options_.profile.read_servers,
             options_.profile.read_bytes_per_s,
             options_.profile.read_iops,
             0,
             {}},
      writes_{options_.profile.write_servers,
              options_.profile.write_bytes_per_s,
              options_.profile.write_iops,
              0,
              {}},
      read_stream_(kernel.stream("disk/" + options_.name + "/read")),
      write_stream_(kernel.stream("disk/" + options_.name + "/write")),
      flush_stream_(kernel.stream("disk/" + options_.name + "/flush")),
      reservation_stream_(kernel.stream("disk/" + options_.name + "/reservation")),
      crash_stream_(kernel.stream("disk/" + options_.name + "/crash")) {
  ENSURE(options_.profile.read_servers > 0);
  ENSURE(options_.profile.write_servers > 0);
  if (options_.reservations) reservations_.emplace(*options_.reservations);
}

SimDisk::~SimDisk() {
  for_each_command([](DiskCommand& command) { delete &command; });
}

DeviceInfo SimDisk::info() const {
  return {
      .bytes = store_.capacity_bytes(),
      .block_bytes = options_.profile.logical_block_bytes,
      .atomic_write_bytes = options_.profile.atomic_write_bytes,
      .volatile_cache = options_.profile.volatile_cache,
      .reservations = reservations_.has_value(),
  };
}

std::size_t SimDisk::commands_in_flight() const {
  std::size_t count = 0;
  const_cast<SimDisk*>(this)->for_each_command([&count](DiskCommand&) { ++count; });
  return count;
}

void SimDisk::submit(std::unique_ptr<DiskCommand> command, DiskPath& path) {
  const std::int64_t block = options_.profile.logical_block_bytes;
  ENSURE(command->offset_ % block == 0);
  ENSURE(command->length_ % block == 0);
  ENSURE(command->offset_ >= 0);
  ENSURE(command->offset_ + command->length_ <= store_.capacity_bytes());
  DiskCommand& submitted = *command.release();
  submitted.disk_ = this;
  submitted.path_ = &path;
  submitted.host_ = path.host_id();
  submitted.controller_ = path.controller();
  submitted.sequence_ = next_sequence_++;
  submitted.set_label(EventKind::device, id_.value());
  commands_.push_back(submitted.place_);
  if (!powered_) {
    return decide(submitted, ErrorCode::device_gone);
  }
  if (submitted.command_ == DiskCommand::Kind::flush) {
    submitted.flush_mark_ = store_.mark();
    return serve(submitted);
  }
  if (submitted.command_ == DiskCommand::Kind::reservation) return serve(submitted);
  Direction& direction = direction_of(submitted);
  if (direction.free_servers == 0) return direction.waiting.push_back(submitted);
  --direction.free_servers;
  submitted.served_ = true;
  serve(submitted);
}

void SimDisk::serve(DiskCommand& command) {
  const DiskProfile& profile = options_.profile;
  const std::int64_t slowness = slowness_of(command);
  Duration latency;
  std::int64_t end = 0;
  command.started_ = true;
  command.refused_ = refuses(command.controller_, command.command_);
  // A refusal takes as long as a reservation command.
  switch (command.refused_ ? DiskCommand::Kind::reservation : command.command_) {
    case DiskCommand::Kind::read:
      latency = profile.read.draw(read_stream_);
      end = transfer_end(command, slowness);
      break;
    case DiskCommand::Kind::write:
      latency = profile.write.draw(write_stream_);
      end = transfer_end(command, slowness);
      break;
    case DiskCommand::Kind::flush: latency = profile.flush.draw(flush_stream_); break;
    case DiskCommand::Kind::reservation: latency = profile.read.draw(reservation_stream_); break;
  }
  const Duration slowed = latency * slowness / 1000;
  kernel_.at(command, std::max(kernel_.now() + slowed.count_ns(), end));
}

// When the command's turn on the pipe is over, and the pipe's next turn begins.
std::int64_t SimDisk::transfer_end(const DiskCommand& command, std::int64_t slowness_per_mille) {
  Direction& pipe = options_.profile.shared_quota ? writes_ : direction_of(command);
  const std::int64_t by_size =
      pipe.bytes_per_s == 0 ? 0 : command.length_ * kBillion / pipe.bytes_per_s;
  const std::int64_t by_count = pipe.iops == 0 ? 0 : kBillion / pipe.iops;
  const std::int64_t turn = std::max(by_size, by_count) * slowness_per_mille / 1000;
  pipe.pipe_free_at = std::max(pipe.pipe_free_at, kernel_.now()) + turn;
  return pipe.pipe_free_at;
}

void SimDisk::give_server_back(DiskCommand& command) {
  if (!command.served_) return;
  command.served_ = false;
  Direction& direction = direction_of(command);
  if (direction.waiting.empty()) {
    ++direction.free_servers;
    return;
  }
  auto& next = static_cast<DiskCommand&>(*direction.waiting.front());
  next.served_ = true;
  serve(next);  // Which moves it to the kernel's queue.
}

void SimDisk::due(DiskCommand& command) {
  if (!command.decided_ && held_back(command)) {
    hung_.push_back(command);
    return give_server_back(command);
  }
  const bool reserves = command.command_ == DiskCommand::Kind::reservation;
  if (reserves && !command.decided_ && !execute_reservation(command)) return;
  finish(command);
}

void SimDisk::finish(DiskCommand& command) {
  const std::unique_ptr<DiskCommand> owned(&command);
  command.place_.unlink();
  give_server_back(command);
  if (!fences_.empty()) {
    drop_fence(command);
    complete_fences();
  }
  Result<void> outcome;
  if (command.decided_) {
    outcome = std::move(command.outcome_);
  } else {
    outcome = apply(command);
  }
  if (command.path_ != nullptr) command.completed(outcome);
}

Result<void> SimDisk::apply(DiskCommand& command) {
  if (command.refused_) return error_of(NvmeStatus::reservation_conflict);
  if (const std::optional<Error> failure = injected_failure(command)) return *failure;
  switch (command.command_) {
    case DiskCommand::Kind::read:
      command.bytes_ = store_.read(command.offset_, command.length_);
      break;
    case DiskCommand::Kind::write: {
      const bool through =
          command.durability_ == WriteDurability::force_unit_access && obeys(command);
      store_.write(command.offset_, command.bytes_, {command.host_, generation_},
                   through ? BlockStore::Landing::durable : BlockStore::Landing::cached);
      break;
    }
    case DiskCommand::Kind::flush:
      if (obeys(command)) store_.make_durable(command.flush_mark_);
      break;
    case DiskCommand::Kind::reservation: break;  // Its outcome was decided when it took effect.
  }
  return {};
}

void SimDisk::land_in_part(DiskCommand& command, BlockStore::Landing landing) {
  if (command.decided_ || command.command_ != DiskCommand::Kind::write) return;
  // What has not started yet would have been refused by a reservation of somebody else.
  if (command.started_ ? command.refused_ : refuses(command.controller_, command.command_)) return;
  const BlockOrigin origin{command.host_, generation_};
  store_.write_in_part(command.offset_, command.bytes_, origin, landing, crash_stream_);
}

void SimDisk::lose_power() {
  if (!powered_) return;
  powered_ = false;
  store_.lose_power(crash_stream_);
  for_each_command([this](DiskCommand& command) {
    land_in_part(command, BlockStore::Landing::durable);
    decide(command, ErrorCode::outcome_unknown);
  });
  fences_.clear();
  if (reservations_) reservations_->lose_power();
}

void SimDisk::decide(DiskCommand& command, Result<void> outcome) {
  command.decided_ = true;
  command.outcome_ = std::move(outcome);
  kernel_.post(command);  // Also takes it out of `waiting` and `hung_`.
}

void SimDisk::host_lost(DiskPath& path) {
  // Other hosts' commands take the servers over only when all of this host's are decided.
  for_each_command([this, &path](DiskCommand& command) {
    if (command.path_ != &path) return;
    land_in_part(command, BlockStore::Landing::cached);
    command.path_ = nullptr;
    decide(command, ErrorCode::outcome_unknown);
  });
}

void SimDisk::forget(DiskPath& path) {
  for_each_command([&path](DiskCommand& command) {
    if (command.path_ == &path) command.path_ = nullptr;
  });
}

}  // namespace drydock::sim
