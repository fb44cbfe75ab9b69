#include "sim/fs/volume_image.hpp"

#include <algorithm>

namespace drydock::sim {
namespace {

constexpr std::int64_t kJournalBlocksMin = 16;
constexpr std::int64_t kJournalBlocksMax = 8192;

}  // namespace

VolumeImage::VolumeImage(std::int64_t disk_bytes) {
  data_end_ = disk_bytes / kPageBytes;
  const std::int64_t journal = std::clamp(data_end_ / 64, kJournalBlocksMin, kJournalBlocksMax);
  journal_end_ = journal_begin() + journal;
  ENSURE(journal_end_ < data_end_);
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
  return ++mounts_;
}

std::vector<BlockRun> VolumeImage::next_journal_blocks(std::int64_t count) {
  ENSURE(count <= journal_end_ - journal_begin());
  std::vector<BlockRun> runs;
  while (count > 0) {
    const BlockRun run{journal_next_, std::min(count, journal_end_ - journal_next_)};
    runs.push_back(run);
    count -= run.count;
    journal_next_ += run.count;
    if (journal_next_ == journal_end_) journal_next_ = journal_begin();
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
