// From a disk to a file system: what a mount reads, writes and replays.
#include <algorithm>

#include "sim/fs/mount.hpp"
#include "sim/fs/mount_commands.hpp"
#include "sim/fs/raw_device.hpp"
#include "sim/pagecache/stuck_wait.hpp"

namespace drydock::sim {
namespace {

constexpr std::int64_t kCommandBlocks = 256;

}  // namespace

void Mount::mount_now() {
  ENSURE(image_.data_in_log().empty());  // A world begins with disks at rest.
  journal_.open(media_log_);
  journal_.replayed();
  build_live_state();
}

void Mount::keep(std::unique_ptr<DiskPath> path, std::shared_ptr<RawDevice> device) {
  own_path_ = std::move(path);
  raw_ = std::move(device);
}

LogView& Mount::log_view() {
  if (raw_ != nullptr) return *raw_;
  return media_log_;
}

void Mount::start_mounting(std::function<void()> mounted) {
  told_ = std::move(mounted);
  read_log();
}

// The superblock, and what of the log is needed.
void Mount::read_log() {
  mounting_ = Mounting::reading;
  const std::int64_t end = std::min(1 + image_.log().blocks, image_.log_end());
  const MountCommand::Read read{.offset = mount_block_ * kPageBytes,
                                .length = std::min(end - mount_block_, kCommandBlocks) * kPageBytes,
                                .purpose = DiskCommand::Purpose::journal};
  const PageRange pages{mount_block_, mount_block_ + read.length / kPageBytes};
  if (raw_ != nullptr) raw_->audit_reads(pages);
  mount_block_ = pages.end;
  path_.submit(std::make_unique<MountCommand>(*this, read));
}

void Mount::write_at_mount(std::int64_t block, std::int64_t count) {
  ByteChain bytes;
  for (std::int64_t i = 0; i < count; ++i) bytes.append(cache_->zero_page());
  MountCommand::Write write{.offset = block * kPageBytes,
                            .bytes = std::move(bytes),
                            .purpose = DiskCommand::Purpose::journal,
                            .durability = WriteDurability::force_unit_access};
  path_.submit(std::make_unique<MountCommand>(*this, std::move(write)));
}

// Writes the next blocks of files that the log holds home. False if there are none left.
bool Mount::replay_data() {
  const auto& data = image_.data_in_log();
  auto next = data.lower_bound(data_to_replay_);
  if (next == data.end()) return false;
  const std::int64_t first = next->first;
  std::int64_t end = first;
  ByteChain bytes;
  for (; next != data.end() && next->first == end && end < first + kCommandBlocks; ++next, ++end) {
    bytes.append(next->second.bytes);
  }
  data_to_replay_ = end;
  MountCommand::Write write{.offset = first * kPageBytes,
                            .bytes = std::move(bytes),
                            .durability = WriteDurability::force_unit_access};
  path_.submit(std::make_unique<MountCommand>(*this, std::move(write)));
  return true;
}

// One command of mounting has ended: the next one.
void Mount::mount_step(Result<void> outcome) {
  if (dead()) return;
  if (!outcome) return mount_failed(outcome.error());
  const std::int64_t end_of_log = std::min(1 + image_.log().blocks, image_.log_end());
  switch (mounting_) {
    case Mounting::reading:
      if (mount_block_ < end_of_log) return read_log();
      if (image_.damaged() || image_.log_is_damaged(log_view())) return found_damage();
      if (!replays_ && image_.log().blocks > 0) return mount_failed(ErrorCode::not_supported);
      if (read_only_ && image_.log().blocks == 0) {  // Nothing is written at all.
        mounting_ = Mounting::emptying;
        return kernel_.after(booted_, options_.replay_time);
      }
      // Before anything else is written: who may not write does not get further than this.
      mounting_ = Mounting::claiming;
      return write_at_mount(0, 1);
    case Mounting::claiming:
      homes_to_replay_ = image_.log().homes;
      log_was_empty_ = image_.log().blocks == 0;
      journal_.open(log_view());
      mounting_ = Mounting::replaying;
      [[fallthrough]];
    case Mounting::replaying:
      if (homes_to_replay_ > 0) {
        const std::int64_t first = image_.home_of(kRootDirectory);
        const std::int64_t count =
            std::min({homes_to_replay_, kCommandBlocks, image_.data_begin() - first});
        homes_to_replay_ -= count;
        return write_at_mount(first, count);
      }
      if (replay_data()) return;
      mounting_ = Mounting::emptying;
      if (!log_was_empty_) return write_at_mount(image_.journal_begin(), 1);
      [[fallthrough]];
    case Mounting::emptying: return kernel_.after(booted_, options_.replay_time);
  }
}

void Mount::mount_failed(Error error) {
  state_ = State::failed;
  failure_ = error;
  wake_all(mounted_);
}

void Mount::found_damage() {
  damaged_ = true;
  mount_failed(ErrorCode::io_error);
}

void Mount::replay_over() {
  journal_.replayed();
  build_live_state();
  if (state_ != State::ready) return;
  wake_all(mounted_);
  if (told_) told_();
}

void Mount::build_live_state() {
  if (image_.damaged()) return found_damage();
  state_ = State::ready;
  cold_ = mount_block_ > 0;
  live_ = image_.metadata();
  allocator_ = std::make_unique<BlockAllocator>(image_.data_begin(), image_.data_end());
  const std::int64_t blocks = image_.data_end() - image_.data_begin();
  pool_ =
      xfs() ? std::min<std::int64_t>(blocks / 20, 8192) : std::min<std::int64_t>(blocks / 50, 4096);
  std::vector<InodeNumber> orphans;
  for (auto& [number, record] : live_.inodes()) {
    BlockRun run;
    record.extents = 0;
    record.blocks.for_each_from(0, [&](std::int64_t page, BlockRef& ref) {
      if (ref.hole()) return;
      record.extents += record.extent_begins(page);
      if (run.count > 0 && ref.block() == run.block + run.count) {
        ++run.count;
        return;
      }
      if (run.count > 0) allocator_->take(run);
      run = {ref.block(), 1};
    });
    if (run.count > 0) allocator_->take(run);
    for (const std::int64_t block : record.own_blocks) allocator_->take({block, 1});
    if (record.links == 0) orphans.push_back(number);
  }
  // Files that were removed while open, or whose freeing was not committed.
  for (const InodeNumber number : orphans) free_if_unused(inode(number));
}

}  // namespace drydock::sim
