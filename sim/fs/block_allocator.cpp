#include "sim/fs/block_allocator.hpp"

#include <algorithm>

namespace drydock::sim {

BlockAllocator::BlockAllocator(std::int64_t first, std::int64_t end) {
  ENSURE(first < end);
  release({first, end - first});
}

BlockRun BlockAllocator::allocate(AllocationWindow& window, std::int64_t page, std::int64_t count) {
  ENSURE(count > 0);
  ENSURE(free_blocks_ > 0);
  if (window.left_.count == 0 || window.next_page_ != page) refill(window, page, count);
  const BlockRun run{window.left_.block, std::min(count, window.left_.count)};
  window.next_page_ += run.count;
  window.left_.block += run.count;
  window.left_.count -= run.count;
  if (window.left_.count == 0) window.unlink();
  free_blocks_ -= run.count;
  return run;
}

// Gives the window a run of its own: where the last one ended if that is free, else the first one
// that is long enough, else the longest.
void BlockAllocator::refill(AllocationWindow& window, std::int64_t page, std::int64_t count) {
  const std::int64_t goal = window.left_.block > 0 ? window.left_.block : next_fit_;
  close(window);
  while (runs_.empty()) {
    ENSURE(!windows_.empty());
    close(static_cast<AllocationWindow&>(*windows_.front()));
  }
  const std::int64_t wanted = std::max(count, kWindowBlocks);
  auto best = runs_.end();
  for (auto run = runs_.lower_bound(goal); run != runs_.end(); ++run) {
    if (run->second >= wanted) {
      best = run;
      break;
    }
  }
  for (auto run = runs_.begin(); best == runs_.end() && run != runs_.end(); ++run) {
    if (run->second >= wanted) best = run;
  }
  if (best == runs_.end()) {
    best = std::max_element(runs_.begin(), runs_.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; });
  }
  const BlockRun taken{best->first, std::min(best->second, wanted)};
  const BlockRun rest{taken.block + taken.count, best->second - taken.count};
  runs_.erase(best);
  if (rest.count > 0) runs_.emplace(rest.block, rest.count);
  next_fit_ = rest.block;
  window.next_page_ = page;
  window.left_ = taken;
  windows_.push_back(window);
}

std::int64_t BlockAllocator::allocate_last() {
  ENSURE(free_blocks_ > 0);
  while (runs_.empty()) {
    ENSURE(!windows_.empty());
    close(static_cast<AllocationWindow&>(*windows_.front()));
  }
  const auto last = std::prev(runs_.end());
  const std::int64_t block = last->first + last->second - 1;
  take({block, 1});
  return block;
}

void BlockAllocator::close(AllocationWindow& window) {
  window.unlink();
  if (window.left_.count > 0) insert(window.left_);
  window.left_ = BlockRun();
}

void BlockAllocator::release(BlockRun run) {
  insert(run);
  free_blocks_ += run.count;
}

void BlockAllocator::insert(BlockRun run) {
  const auto next = runs_.lower_bound(run.block);
  if (next != runs_.end()) ENSURE(run.block + run.count <= next->first);
  if (next != runs_.end() && next->first == run.block + run.count) {
    run.count += next->second;
    runs_.erase(next);
  }
  const auto after = runs_.lower_bound(run.block);
  if (after != runs_.begin()) {
    const auto before = std::prev(after);
    ENSURE(before->first + before->second <= run.block);
    if (before->first + before->second == run.block) {
      before->second += run.count;
      return;
    }
  }
  runs_.emplace(run.block, run.count);
}

void BlockAllocator::take(BlockRun run) {
  auto entry = runs_.upper_bound(run.block);
  ENSURE(entry != runs_.begin());
  --entry;
  const BlockRun whole{entry->first, entry->second};
  ENSURE(run.block + run.count <= whole.block + whole.count);
  runs_.erase(entry);
  if (run.block > whole.block) runs_.emplace(whole.block, run.block - whole.block);
  const std::int64_t end = run.block + run.count;
  if (end < whole.block + whole.count) runs_.emplace(end, whole.block + whole.count - end);
  free_blocks_ -= run.count;
}

}  // namespace drydock::sim
