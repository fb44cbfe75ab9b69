#include "sim/fs/checkpoint.hpp"

namespace drydock::sim {
namespace {

constexpr std::int64_t kCommandBlocks = 256;
constexpr Duration kRetryTime = Duration::s(1);

}  // namespace

// Consecutive homes on their way to the device.
class Checkpoint::HomeWrite final : public DiskCommand {
 public:
  using DiskCommand::Write;
  HomeWrite(Checkpoint& checkpoint, std::int64_t first, Tid youngest, Write write)
      : DiskCommand(std::move(write)),
        checkpoint_(checkpoint),
        first_(first),
        youngest_(youngest) {}
  void completed(Result<void> outcome) override {
    checkpoint_.home_written(first_, length() / kPageBytes, youngest_, std::move(outcome));
  }

 private:
  Checkpoint& checkpoint_;
  std::int64_t first_;
  Tid youngest_;
};

Checkpoint::Checkpoint(Kernel& kernel, DiskPath& path, VolumeImage& image, CheckpointClient& client,
                       const FileSystemOptions& options)
    : kernel_(kernel),
      path_(&path),
      image_(image),
      client_(client),
      age_(options.page_cache.expire),
      barrier_(options.barrier),
      capacity_(image.log_end() - image.log_begin()),
      block_(SharedBytes::zeros(static_cast<std::size_t>(kPageBytes))),
      timer_(*this, path.host_id()) {}

void Checkpoint::close() {
  timer_.unlink();
  path_ = nullptr;
}

Checkpoint::Logged& Checkpoint::logged(Tid tid) {
  const auto index = static_cast<std::size_t>(tid.value() - logged_.front().tid.value());
  ENSURE(index < logged_.size());
  return logged_[index];
}

void Checkpoint::committed(Tid tid, std::int64_t blocks, const std::set<std::int64_t>& homes,
                           const Data& data) {
  logged_.push_back({.tid = tid,
                     .blocks = blocks,
                     .homes = static_cast<std::int64_t>(homes.size() + data.size()),
                     .committed_at = kernel_.now()});
  for (const std::int64_t home : homes) add_home(home, tid);
  for (const auto& [home, bytes] : data) {
    add_home(home, tid);
    data_[home] = bytes;
  }
  drop_unneeded();
  note();
  arm();
}

void Checkpoint::add_home(std::int64_t home, Tid tid) {
  const auto [entry, inserted] = homes_.try_emplace(home, tid);
  if (inserted) return;
  --logged(entry->second).homes;
  entry->second = tid;
}

void Checkpoint::forget(BlockRun freed) {
  const auto end = data_.lower_bound(freed.block + freed.count);
  for (auto block = data_.lower_bound(freed.block); block != end; block = data_.erase(block)) {
    const auto home = homes_.find(block->first);
    --logged(home->second).homes;
    homes_.erase(home);
  }
  drop_unneeded();
  note();
}

// Transactions leave in their order.
void Checkpoint::drop_unneeded() {
  while (!logged_.empty() && logged_.front().homes == 0) {
    unneeded_ += logged_.front().blocks;
    dropped_.push_back({logged_.front().tid, logged_.front().blocks});
    logged_.pop_front();
  }
}

bool Checkpoint::superblock_is_due(Tid tail) const {
  std::int64_t blocks = 0;
  for (const Dropped& dropped : dropped_) {
    if (dropped.tid <= tail) blocks += dropped.blocks;
  }
  return blocks >= transaction_max();
}

void Checkpoint::superblock_was_written(Tid tail) {
  cut(tail);
  client_.space_was_freed();
}

// The superblock says that the log begins behind `tail`.
void Checkpoint::cut(Tid tail) {
  for (; !dropped_.empty() && dropped_.front().tid <= tail; dropped_.pop_front()) {
    used_ -= dropped_.front().blocks;
    unneeded_ -= dropped_.front().blocks;
  }
  image_.log_was_cut(mount_, tail);
  note();
}

void Checkpoint::note() {
  image_.note_log(mount_, {.blocks = used_ - unneeded_,
                           .homes = static_cast<std::int64_t>(homes_.size() - data_.size())});
}

void Checkpoint::arm() {
  if (timer_.linked() || logged_.empty() || path_ == nullptr) return;
  kernel_.at(timer_, std::max(kernel_.now(), logged_.front().committed_at + age_.count_ns()));
}

void Checkpoint::age_over() {
  // Who waits for space may have seen a write fail.
  if (client_.wants_space()) return make_space();
  write_homes();
  if (in_flight_.empty()) arm();
}

void Checkpoint::write_homes() {
  if (logged_.empty()) return;
  const Tid oldest = logged_.front().tid;
  const Tid youngest = logged_.back().tid;
  std::vector<BlockRun> runs;
  for (const auto& [home, tid] : homes_) {
    if (tid != oldest || !in_flight_.insert(home).second) continue;
    const bool next = !runs.empty() && home == runs.back().block + runs.back().count &&
                      runs.back().count < kCommandBlocks &&
                      data_.contains(home) == data_.contains(home - 1);
    if (next) {
      ++runs.back().count;
    } else {
      runs.push_back({home, 1});
    }
  }
  for (const BlockRun& run : runs) {
    ByteChain bytes;
    for (std::int64_t home = run.block; home < run.block + run.count; ++home) {
      const SharedBytes* const data = find_data(home);
      bytes.append(data == nullptr ? block_ : *data);
    }
    using Purpose = DiskCommand::Purpose;
    HomeWrite::Write write{.offset = run.block * kPageBytes,
                           .bytes = std::move(bytes),
                           .purpose = data_.contains(run.block) ? Purpose::data : Purpose::journal};
    path_->submit(std::make_unique<HomeWrite>(*this, run.block, youngest, std::move(write)));
  }
}

// `youngest`: the last transaction that was durable when the write was sent. A home that is part of
// a younger one by now has to be written again.
void Checkpoint::home_written(std::int64_t first, std::int64_t count, Tid youngest,
                              Result<void> outcome) {
  if (path_ == nullptr) return;
  for (std::int64_t home = first; home < first + count; ++home) {
    in_flight_.erase(home);
    const auto entry = homes_.find(home);
    // Forgotten meanwhile, or part of a younger one.
    if (!outcome || entry == homes_.end() || entry->second > youngest) continue;
    --logged(entry->second).homes;
    homes_.erase(entry);
    data_.erase(home);
  }
  if (!outcome) return failed(outcome.error());
  drop_unneeded();
  note();
  if (!in_flight_.empty()) return;
  arm();
  if (phase_ == Phase::homes) go_on();
}

void Checkpoint::make_space() {
  if (phase_ != Phase::idle) return;
  phase_ = Phase::homes;
  go_on();
}

// From the homes to the superblock: the homes must be on the media before their blocks in the
// journal are given up.
void Checkpoint::go_on() {
  if (unneeded_ == 0) {
    write_homes();
    if (in_flight_.empty()) phase_ = Phase::idle;
    return;
  }
  cutting_ = tail();
  if (!barrier_) return write_superblock();
  phase_ = Phase::flush;
  LogCommand::flush(*path_, *this);
}

void Checkpoint::step(Result<void> outcome) {
  if (path_ == nullptr) return;
  if (!outcome) return failed(outcome.error());
  if (phase_ == Phase::flush) return write_superblock();
  phase_ = Phase::idle;
  cut(cutting_);
  if (emptying_ && used_ > 0) return make_space();
  emptying_ = false;
  client_.space_was_freed();
}

void Checkpoint::write_superblock() {
  phase_ = Phase::superblock;
  const auto durability =
      barrier_ ? WriteDurability::force_unit_access : WriteDurability::device_cache;
  LogCommand::write(*path_, *this, superblock(), ByteChain(block_), durability);
}

// ext4 gives the journal up. xfs tries again and again unless it is being unmounted: its default.
void Checkpoint::failed(Error error) {
  phase_ = Phase::idle;
  if (image_.kind() == FsKind::ext4 || emptying_) return client_.checkpoint_failed(error);
  if (!timer_.linked() && path_ != nullptr) kernel_.after(timer_, kRetryTime);
}

}  // namespace drydock::sim
