#include "sim/disk/sim_disk.hpp"

#include <algorithm>

#include "sim/disk/disk_path.hpp"
#include "sim/disk/slow_time.hpp"

namespace drydock::sim {
namespace {

BlockStoreOptions store_options(const DiskOptions& options) {
  return {
      .capacity_bytes = options.capacity_bytes / kPageBytes * kPageBytes,
      .atomic_write_bytes = options.profile.atomic_write_bytes,
      .volatile_cache = options.profile.volatile_cache,
      .cache_bytes = options.profile.cache_bytes,
  };
}

// The quota of a cloud volume; without slices the pipe spreads it.
BucketOptions quota_of(const DiskProfile& profile) {
  if (!profile.shared_quota || profile.quota_slice == Duration()) return {};
  return {.bytes_per_s = profile.write_bytes_per_s,
          .commands_per_s = profile.write_iops,
          .slice = profile.quota_slice,
          .burst = profile.quota_burst};
}

Duration longer(Duration time, Duration by) {
  return Duration::ns(added(time.count_ns(), by.count_ns()));
}

TransferPipe pipe_of(const DiskProfile& profile, std::int64_t bytes_per_s, std::int64_t iops) {
  if (quota_of(profile).limited()) return {0, 0};
  return {bytes_per_s, iops};
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
      urgency_(write.urgency),
      offset_(write.offset),
      length_(static_cast<std::int64_t>(write.bytes.size())),
      stored_in_(write.stored_in),
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
      reads_{
          options_.profile.read_servers,
          options_.profile.read_servers,
          0,
          pipe_of(options_.profile, options_.profile.read_bytes_per_s, options_.profile.read_iops),
          {}},
      writes_{options_.profile.write_servers,
              options_.profile.write_servers,
              0,
              pipe_of(options_.profile, options_.profile.write_bytes_per_s,
                      options_.profile.write_iops),
              {}},
      parallelism_(options_.profile.servers_per_doubling),
      collector_(options_.profile.collection,
                 kernel.stream("disk/" + options_.name + "/collection")),
      quota_(kernel, *this, id.value(), quota_of(options_.profile)),
      median_read_ns_(options_.profile.read.at(QuantileTable::kMillion / 2).count_ns()),
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
  submitted.queue_ = &path.queue();
  submitted.host_ = path.host_id();
  submitted.controller_ = path.controller();
  submitted.set_label(EventKind::device, id_.value());
  commands_.push_back(submitted.place_);
  submitted.queue_->submit(submitted);
}

void SimDisk::send(DiskCommand& command) {
  command.sent_ = true;
  command.sequence_ = next_sequence_++;
  if (!powered_) return decide(command, ErrorCode::device_gone);
  switch (command.command_) {
    case DiskCommand::Kind::flush: command.flush_mark_ = store_.mark(); return serve(command);
    case DiskCommand::Kind::reservation: return serve(command);
    case DiskCommand::Kind::read:
    case DiskCommand::Kind::write:
      if (quota_.enter(command)) wait_for_server(command);
      return;
  }
}

void SimDisk::wait_for_server(DiskCommand& command) {
  Direction& direction = direction_of(command);
  ++direction.population;
  command.counted_ = true;
  if (direction.free_servers == 0) return direction.waiting.push_back(command);
  --direction.free_servers;
  command.served_ = true;
  serve(command);
}

void SimDisk::serve(DiskCommand& command) {
  const std::int64_t slowness = slowness_of(command);
  const std::int64_t now = kernel_.now();
  const std::int64_t begin = collector_.begin_of(now, writes_.pipe);
  command.started_ = true;
  command.refused_ = refuses(command.controller_, command.command_);
  std::int64_t served = service_time(command).count_ns();
  if (slowness != 1000) served = scaled(served, slowness, 1000);
  std::int64_t end = added(begin, served);
  if (!command.refused_) end = std::max(end, transfer_end(command, slowness));
  kernel_.at(command, end);
}

Duration SimDisk::service_time(const DiskCommand& command) {
  const DiskProfile& profile = options_.profile;
  // A refusal takes as long as a reservation command.
  switch (command.refused_ ? DiskCommand::Kind::reservation : command.command_) {
    case DiskCommand::Kind::read: {
      const Duration alone = longer(stretched(command, profile.read.draw(read_stream_)),
                                    time_of_size(command, profile.read_time_per_kib));
      if (profile.read_factor_at_full_write == 1000) return alone;
      const std::int64_t share = writes_.pipe.utilisation(kernel_.now());
      const std::int64_t rise = (profile.read_factor_at_full_write - 1000) * share;
      return longer(alone, Duration::ns(scaled(median_read_ns_, rise, 1'000'000)));
    }
    case DiskCommand::Kind::write:
      return longer(stretched(command, profile.write.draw(write_stream_)),
                    time_of_size(command, profile.write_time_per_kib));
    case DiskCommand::Kind::flush: return profile.flush.draw(flush_stream_);
    case DiskCommand::Kind::reservation: break;
  }
  return profile.read.draw(reservation_stream_);
}

Duration SimDisk::time_of_size(const DiskCommand& command, Duration per_kib) {
  constexpr std::int64_t kIncluded = 4096;
  if (per_kib == Duration() || command.length_ <= kIncluded) return Duration();
  return Duration::ns(scaled(per_kib.count_ns(), command.length_ - kIncluded, 1024));
}

Duration SimDisk::stretched(const DiskCommand& command, Duration time) {
  if (options_.profile.servers_per_doubling == 0) return time;
  const auto busy = [](const Direction& direction) {
    return direction.servers - direction.free_servers;
  };
  const Direction& direction = direction_of(command);
  const std::int64_t factor = options_.profile.shared_servers
                                  ? parallelism_.stretch(busy(reads_) + busy(writes_),
                                                         reads_.population + writes_.population)
                                  : parallelism_.stretch(busy(direction), direction.population);
  return Duration::ns(scaled(time.count_ns(), factor, 1000));
}

std::int64_t SimDisk::transfer_end(const DiskCommand& command, std::int64_t slowness_per_mille) {
  const bool has_bytes =
      command.command_ == DiskCommand::Kind::read || command.command_ == DiskCommand::Kind::write;
  if (!has_bytes) return 0;
  Direction& direction = options_.profile.shared_quota ? writes_ : direction_of(command);
  return direction.pipe.turn(kernel_.now(), command.length_, slowness_per_mille);
}

void SimDisk::give_server_back(DiskCommand& command) {
  if (!command.counted_) return;
  command.counted_ = false;
  Direction& direction = direction_of(command);
  --direction.population;
  if (!command.served_) return;
  command.served_ = false;
  if (direction.waiting.empty()) {
    ++direction.free_servers;
    return;
  }
  auto& next = static_cast<DiskCommand&>(*direction.waiting.front());
  next.served_ = true;
  serve(next);  // Which moves it to the kernel's queue.
}

void SimDisk::due(DiskCommand& command) {
  if (!command.decided_ && !command.started_) return wait_for_server(command);  // A late straggler.
  if (!command.decided_ && held_back(command)) {
    command.held_ = true;
    hung_.push_back(command);
    return give_server_back(command);
  }
  if (command.served_ && goes_back(command)) return;
  const bool reserves = command.command_ == DiskCommand::Kind::reservation;
  if (reserves && !command.decided_ && !execute_reservation(command)) return;
  finish(command);
}

// True if the command has been served but takes some more time to reach its caller.
bool SimDisk::goes_back(DiskCommand& command) {
  const bool reads = command.command_ == DiskCommand::Kind::read;
  const Duration submission =
      reads ? options_.profile.read_submission : options_.profile.write_submission;
  if (command.decided_ || submission == Duration()) return false;
  kernel_.after(command, submission);
  give_server_back(command);
  return true;
}

void SimDisk::finish(DiskCommand& command) {
  const std::unique_ptr<DiskCommand> owned(&command);
  command.place_.unlink();
  give_server_back(command);
  if (command.queue_ != nullptr) command.queue_->ended(command);
  const bool claim_under_way = !fences_.empty();
  if (claim_under_way) {
    drop_fence(command);
    complete_fences();
  }
  Result<void> outcome;
  if (command.decided_) {
    outcome = std::move(command.outcome_);
  } else {
    outcome = apply(command);
    if (outcome && !claim_under_way) audit_write(command);
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
  if (!command.sent_ || command.decided_) return;
  if (command.command_ != DiskCommand::Kind::write) return;
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
    decide(command, command.sent_at_ < 0 ? ErrorCode::device_gone : ErrorCode::outcome_unknown);
  });
  fences_.clear();
  if (reservations_) reservations_->lose_power();
  for (const auto& [controller, listener] : notice_logs_) listener.log->reset();
}

void SimDisk::decide(DiskCommand& command, Result<void> outcome) {
  command.decided_ = true;
  command.outcome_ = std::move(outcome);
  kernel_.post(command);  // Also takes it out of `waiting` and `hung_`.
}

}  // namespace drydock::sim
