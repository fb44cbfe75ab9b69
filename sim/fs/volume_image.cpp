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

}  // namespace

VolumeImage::VolumeImage(std::int64_t disk_bytes, std::int64_t journal_bytes) {
  data_end_ = disk_bytes / kPageBytes;
  const std::int64_t journal =
      journal_bytes > 0 ? journal_bytes / kPageBytes : usual_journal_blocks(data_end_);
  log_end_ = log_begin() + std::max(journal, kLogBlocksMin);
  log_next_ = log_begin();
  inodes_begin_ = bitmap_of(data_end_ - 1) + 1;
  data_begin_ =
      inodes_begin_ + std::max<std::int64_t>(1, data_end_ / kBlocksPerInode / kInodesPerBlock);
  ENSURE(data_begin_ < data_end_);
}

std::uint64_t VolumeImage::begin_mount(const BlockStore& media) {
  if (in_doubt_) {
    JournalHeader found;
    const std::int64_t offset = in_doubt_->block * kPageBytes;
    const ByteChain bytes = media.read(offset, 512);
    bytes.copy_to(0, std::as_writable_bytes(std::span(&found, 1)));
    if (found == in_doubt_->record) apply_in_doubt();
    in_doubt_.reset();
  }
  log_ = LogState();
  return ++mounts_;
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

void VolumeImage::begin_record(JournalHeader record, std::int64_t block,
                               std::vector<MetadataOp> ops) {
  if (record.mount != mounts_) return;  // If it lands nevertheless: see record_is_durable.
  in_doubt_ = InDoubt{record, block, std::move(ops)};
}

void VolumeImage::record_is_durable(std::uint64_t mount) {
  if (mount == mounts_) return apply_in_doubt();
  damaged_ = true;
}

void VolumeImage::apply_in_doubt() {
  ENSURE(in_doubt_.has_value());
  std::vector<BlockRun> freed;  // The mounted side keeps its own account.
  for (const MetadataOp& op : in_doubt_->ops) metadata_.apply(op, freed);
  committed_ = Tid(in_doubt_->record.tid);
  in_doubt_.reset();
}

}  // namespace drydock::sim
