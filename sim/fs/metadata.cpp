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
      ++find(op.target)->links;
      break;
    }
    case Kind::unlink: {
      const auto entry = record->entries.find(op.name);
      ENSURE(entry != record->entries.end());
      --find(entry->second)->links;
      record->entries.erase(entry);
      break;
    }
    case Kind::set_size: record->size = op.count; break;
    case Kind::grow_size: record->size = std::max(record->size, op.count); break;
    case Kind::map_blocks:
      for (std::int64_t i = 0; i < op.count; ++i) {
        BlockRef& ref = record->blocks.at(op.page + i);
        ENSURE(ref.hole());
        ref = BlockRef::unwritten(op.block + i);
      }
      break;
    case Kind::mark_written:
      for (std::int64_t i = 0; i < op.count; ++i) {
        BlockRef& ref = record->blocks.at(op.page + i);
        ENSURE(!ref.hole());
        ref.mark_written();
      }
      break;
    case Kind::cut: cut(*record, op.page, freed); break;
    case Kind::free:
      cut(*record, 0, freed);
      inodes_.erase(op.inode);
      break;
  }
}

void Metadata::cut(InodeRecord& record, std::int64_t page, std::vector<BlockRun>& freed) {
  BlockRun run;
  record.blocks.for_each_from(page, [&](std::int64_t, BlockRef& ref) {
    if (ref.hole()) return;
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
