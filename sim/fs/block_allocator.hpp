// Free blocks of a file system, and who gets which.
#pragma once

#include <map>

#include "engine/runtime/wakeup.hpp"
#include "sim/fs/metadata.hpp"

namespace drydock::sim {

// Blocks set aside for the next pages of one file, so that files that grow at the same time do not
// interleave. They still count as free, and are taken back when nothing else is left.
class AllocationWindow : public ListLink {
 private:
  friend class BlockAllocator;
  std::int64_t next_page_ = 0;  // The page of the file that gets the next block.
  BlockRun left_;
};

// Runs of free blocks by their position. Decides by position alone, so equal histories allocate
// equally.
class BlockAllocator {
 public:
  // Blocks [first, end) are free.
  BlockAllocator(std::int64_t first, std::int64_t end);

  std::int64_t free_blocks() const { return free_blocks_; }

  // Consecutive blocks for the pages of a file from `page` on: at least 1 and at most `count` (>=
  // 1) of them. At least one block must be free.
  BlockRun allocate(AllocationWindow& window, std::int64_t page, std::int64_t count);
  // One block at the end of the volume. At least one must be free.
  std::int64_t allocate_last();
  void release(BlockRun run);
  // Gives back what is left of a window. Before it is destroyed.
  void close(AllocationWindow& window);
  // The run is in use: for building the free list from an image.
  void take(BlockRun run);

 private:
  static constexpr std::int64_t kWindowBlocks = 512;

  void refill(AllocationWindow& window, std::int64_t page, std::int64_t count);
  void insert(BlockRun run);

  std::map<std::int64_t, std::int64_t> runs_;  // First block → count.
  std::int64_t free_blocks_ = 0;               // Those of open windows included.
  std::int64_t next_fit_ = 0;
  IntrusiveList windows_;  // Open ones, oldest first.
};

}  // namespace drydock::sim
