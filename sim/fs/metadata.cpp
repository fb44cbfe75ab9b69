#include "sim/fs/metadata.hpp"

#include <algorithm>

namespace drydock::sim {

Metadata::Metadata() {
  InodeRecord& root = inodes_[kRootDirectory];
  root.is_directory = true;
  root.links = 1;
}

InodeRecord* Metadata::find(InodeNumber number) {
  const auto entry = inodes_.find(number);
  return entry == inodes_.end() ? nullptr : &entry->second;
}

void Metadata::apply(const MetadataOp& op, std::vector<BlockRun>& freed) {
  using Kind = MetadataOp::Kind;
  if (op.kind == Kind::make) {
    const auto [entry, inserted] = inodes_.try_emplace(op.inode);
    ENSURE(inserted);
    entry->second.is_directory = op.is_directory;
    entry->second.modified = op.time;
    next_inode_ = std::max(next_inode_, op.inode.next());
    return;
  }
  InodeRecord* const record = find(op.inode);
  ENSURE(record != nullptr);
  switch (op.kind) {
    case Kind::make: break;
    case Kind::link: {
      const bool inserted = record->entries.emplace(op.name, op.target).second;
      ENSURE(inserted);
      record->entry_bytes += OwnBlocks::entry_bytes(op.name);
      ++find(op.target)->links;
      record->modified = op.time;
      break;
    }
    case Kind::unlink: {
      const auto entry = record->entries.find(op.name);
      ENSURE(entry != record->entries.end());
      --find(entry->second)->links;
      record->entries.erase(entry);
      record->entry_bytes -= OwnBlocks::entry_bytes(op.name);
      record->modified = op.time;
      break;
    }
    case Kind::set_time: record->modified = op.time; break;
    case Kind::set_size:
      record->size = op.count;
      record->modified = op.time;
      break;
    case Kind::grow_size: record->size = std::max(record->size, op.count); break;
    case Kind::map_blocks: map(*record, op); break;
    case Kind::mark_written: mark_written(*record, op); break;
    case Kind::cut: cut(*record, op.page, freed); break;
    case Kind::take_block: record->own_blocks.push_back(op.block); break;
    case Kind::keep_blocks: keep(*record, op.count, freed); break;
    case Kind::free:
      cut(*record, 0, freed);
      keep(*record, 0, freed);
      inodes_.erase(op.inode);
      break;
  }
}

// Of the number of extents only what happens at the ends of the range changes: inside, blocks
// follow each other.
void Metadata::map(InodeRecord& record, const MetadataOp& op) {
  const std::int64_t end = op.page + op.count;
  record.extents -= record.extent_begins(end);
  for (std::int64_t i = 0; i < op.count; ++i) {
    BlockRef& ref = record.blocks.at(op.page + i);
    ENSURE(ref.hole());
    ref = BlockRef::unwritten(op.block + i);
  }
  constexpr std::int64_t kLongest = OwnBlocks::kExtentPages;
  record.extents += (end - 1) / kLongest - op.page / kLongest;
  record.extents += record.extent_begins(op.page);
  record.extents += record.extent_begins(end);
}

// The same: all of the range is unwritten before and written afterwards.
void Metadata::mark_written(InodeRecord& record, const MetadataOp& op) {
  const std::int64_t end = op.page + op.count;
  record.extents -= record.extent_begins(op.page);
  record.extents -= record.extent_begins(end);
  for (std::int64_t i = 0; i < op.count; ++i) {
    BlockRef& ref = record.blocks.at(op.page + i);
    ENSURE(!ref.hole());
    ref.mark_written();
  }
  record.extents += record.extent_begins(op.page);
  record.extents += record.extent_begins(end);
}

void Metadata::keep(InodeRecord& record, std::int64_t blocks, std::vector<BlockRun>& freed) {
  while (std::ssize(record.own_blocks) > blocks) {
    freed.push_back({record.own_blocks.back(), 1});
    record.own_blocks.pop_back();
  }
}

void Metadata::cut(InodeRecord& record, std::int64_t page, std::vector<BlockRun>& freed) {
  BlockRun run;
  std::int64_t before = page - 1;
  BlockRef last = page > 0 ? record.block_of(before) : BlockRef();
  record.blocks.for_each_from(page, [&](std::int64_t at, BlockRef& ref) {
    if (ref.hole()) return;
    const bool same = at == before + 1 && at % OwnBlocks::kExtentPages != 0 && ref.follows(last);
    if (!same) --record.extents;
    before = at;
    last = ref;
    if (run.count > 0 && ref.block() == run.block + run.count) {
      ++run.count;
    } else {
      if (run.count > 0) freed.push_back(run);
      run = {ref.block(), 1};
    }
    ref = BlockRef();
  });
  if (run.count > 0) freed.push_back(run);
  record.blocks.release_chunks_from(page);
}

}  // namespace drydock::sim
