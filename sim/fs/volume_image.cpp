#include "sim/fs/volume_image.hpp"

#include <algorithm>

namespace drydock::sim {
namespace {

constexpr std::int64_t kLogBlocksMin = 16;

// mke2fs: ext2fs_default_journal_size, for blocks of 4 KiB.
std::int64_t usual_journal_blocks(std::int64_t disk_blocks) {
  struct Step {
    std::int64_t disk_below;
    std::int64_t journal;
  };
  static constexpr Step kSteps[] = {
      {32'768, 1'024},       {256 << 10, 4'096},     {512 << 10, 8'192},     {4'096 << 10, 16'384},
      {8'192 << 10, 32'768}, {16'384 << 10, 65'536}, {32'768 << 10, 131'072}};
  for (const Step& step : kSteps) {
    // The smallest disks of tests: a quarter at most.
    if (disk_blocks < step.disk_below) return std::min(step.journal, disk_blocks / 4);
  }
  return 262'144;
}

// mkfs.xfs: a 2048th of the disk, 10 MiB at least and 2 GiB at most.
std::int64_t usual_log_blocks(std::int64_t disk_blocks) {
  constexpr std::int64_t kMin = 2'560;
  constexpr std::int64_t kMax = 521'728;
  return std::min(std::clamp(disk_blocks / 2048, kMin, kMax), disk_blocks / 4);
}

JournalHeader header_in(const SharedBytes& block) {
  JournalHeader header;
  std::memcpy(&header, block.data(), sizeof(header));
  return header;
}

}  // namespace

VolumeImage::VolumeImage(std::int64_t disk_bytes, const FileSystemOptions& options)
    : kind_(options.kind) {
  data_end_ = disk_bytes / kPageBytes;
  std::int64_t journal = options.journal_bytes / kPageBytes;
  if (journal == 0 && kind_ == FsKind::ext4) journal = usual_journal_blocks(data_end_);
  if (journal == 0 && kind_ == FsKind::xfs) journal = usual_log_blocks(data_end_);
  log_end_ = log_begin() + std::max(journal, kLogBlocksMin);
  log_next_ = log_begin();
  inodes_begin_ = bitmap_of(data_end_ - 1) + 1;
  data_begin_ =
      inodes_begin_ + std::max<std::int64_t>(1, data_end_ / kBlocksPerInode / kInodesPerBlock);
  ENSURE(data_begin_ < data_end_);
}

SharedBytes MediaLog::read_block(std::int64_t block) {
  return media_.read(block * kPageBytes, kPageBytes).flatten();
}

VolumeImage::Found VolumeImage::find(const InDoubt& transaction, LogView& log) {
  JournalHeader expected = transaction.record;
  expected.is_record = 0;
  bool body = true;
  bool record = false;
  auto data = transaction.data.begin();
  const std::int64_t last = transaction.log.back().block + transaction.log.back().count - 1;
  for (const BlockRun& run : transaction.log) {
    for (std::int64_t block = run.block; block < run.block + run.count; ++block) {
      const SharedBytes found = log.read_block(block);
      if (block == last) {
        record = header_in(found) == transaction.record;
      } else if (data != transaction.data.end() && data->log_block == block) {
        body = body && std::ranges::equal(found.span(), data->bytes.span());
        ++data;
      } else {
        body = body && header_in(found) == expected;
      }
    }
  }
  if (!record) return Found::nothing;
  return body ? Found::all : Found::record_alone;
}

bool VolumeImage::log_is_damaged(LogView& log) const {
  for (const InDoubt& transaction : in_doubt_) {
    const Found found = find(transaction, log);
    if (found == Found::nothing) return false;
    // xfs takes a checkpoint without all of its blocks for one that was never completed.
    if (found == Found::record_alone) return kind_ == FsKind::ext4;
  }
  return false;
}

void VolumeImage::mend_log(LogView& log) {
  if (!log_is_damaged(log)) return;
  while (find(in_doubt_.front(), log) == Found::all) apply_oldest();
  in_doubt_.clear();
}

std::uint64_t VolumeImage::begin_mount(LogView& log) {
  while (!in_doubt_.empty() && find(in_doubt_.front(), log) == Found::all) apply_oldest();
  in_doubt_.clear();
  return ++mounts_;
}

void VolumeImage::log_is_replayed(std::uint64_t mount) {
  if (mount != mounts_) return;
  log_ = LogState();
  data_in_log_.clear();
}

std::vector<BlockRun> VolumeImage::next_log_blocks(std::int64_t count) {
  ENSURE(count <= log_end() - log_begin());
  std::vector<BlockRun> runs;
  while (count > 0) {
    const BlockRun run{log_next_, std::min(count, log_end_ - log_next_)};
    runs.push_back(run);
    count -= run.count;
    log_next_ += run.count;
    if (log_next_ == log_end_) log_next_ = log_begin();
  }
  return runs;
}

void VolumeImage::begin_record(JournalHeader record, std::vector<BlockRun> log,
                               std::vector<MetadataOp> ops, std::vector<LoggedBlock> data) {
  if (record.mount != mounts_) return;  // If it lands nevertheless: see record_is_written.
  in_doubt_.push_back({record, std::move(log), std::move(ops), std::move(data)});
}

void VolumeImage::record_is_written(std::uint64_t mount, Proof proof) {
  if (mount != mounts_) {
    damaged_ = true;
    return;
  }
  if (proof == Proof::acknowledged || keeps_log_) return;
  while (!in_doubt_.empty()) apply_oldest();
}

void VolumeImage::log_was_cut(std::uint64_t mount, Tid last) {
  if (mount != mounts_) return;
  while (!in_doubt_.empty() && Tid(in_doubt_.front().record.tid) <= last) apply_oldest();
  std::erase_if(data_in_log_, [last](const auto& entry) { return entry.second.tid <= last; });
}

void VolumeImage::apply_oldest() {
  std::vector<BlockRun> freed;  // The mounted side keeps its own account.
  for (const MetadataOp& op : in_doubt_.front().ops) metadata_.apply(op, freed);
  committed_ = Tid(in_doubt_.front().record.tid);
  for (const BlockRun& run : freed) {
    data_in_log_.erase(data_in_log_.lower_bound(run.block),
                       data_in_log_.lower_bound(run.block + run.count));
  }
  for (LoggedBlock& block : in_doubt_.front().data) {
    data_in_log_[block.home] = {committed_, std::move(block.bytes)};
  }
  in_doubt_.pop_front();
}

}  // namespace drydock::sim
