// What is known of blocks and pages in tables, runs and windows, against models that know single
// ones:
//
//   1. The block allocator against a set of used blocks: nobody gets a block that somebody has, and
//      the free ones are counted.
//   2. The block map of a file (runs are mapped, written, cut) against a map of pages.
//   3. The sparse table against a map of entries.
//   4. A disk's media and volatile cache against the list of all writes: what is read is the last
//      write, what counts as volatile is what a loss of power may take back, and it leaves of each
//      unit a version that is not older than its last durable one.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <set>

#include "sim/disk/block_store.hpp"
#include "sim/fs/block_allocator.hpp"

namespace drydock::test {
namespace {

using rc::gen::inRange;

// --- 1.

RC_GTEST_PROP(BlockLaws, TheAllocatorGivesEachBlockOnce, ()) {
  constexpr std::int64_t kFirst = 10;
  constexpr std::int64_t kEnd = kFirst + 2000;
  sim::BlockAllocator allocator(kFirst, kEnd);
  std::array<sim::AllocationWindow, 3> windows;
  std::set<std::int64_t> used;
  const int steps = *inRange(0, 200);
  for (int i = 0; i < steps; ++i) {
    sim::AllocationWindow& window = windows.at(*inRange<std::size_t>(0, 3));
    const int act = *inRange(0, 5);
    if (act < 3 && allocator.free_blocks() > 0) {
      const std::int64_t wanted = *inRange<std::int64_t>(1, 400);
      const sim::BlockRun run = allocator.allocate(window, *inRange(0, 4) * 100, wanted);
      RC_ASSERT(run.count >= 1);
      RC_ASSERT(run.count <= wanted);
      for (std::int64_t block = run.block; block < run.block + run.count; ++block) {
        RC_ASSERT(kFirst <= block);
        RC_ASSERT(block < kEnd);
        RC_ASSERT(used.insert(block).second);
      }
    } else if (act == 3 && !used.empty()) {
      const std::int64_t from = *inRange(kFirst, kEnd);
      const std::int64_t to = std::min(from + *inRange<std::int64_t>(1, 300), kEnd);
      for (std::int64_t block = from; block < to; ++block) {
        if (used.erase(block) > 0) allocator.release({block, 1});
      }
    } else if (act == 4) {
      allocator.close(window);
    }
    RC_ASSERT(allocator.free_blocks() == kEnd - kFirst - static_cast<std::int64_t>(used.size()));
  }
  for (sim::AllocationWindow& window : windows) allocator.close(window);
  // All that is left can be had.
  sim::AllocationWindow last;
  while (allocator.free_blocks() > 0) {
    const sim::BlockRun run = allocator.allocate(last, 0, kEnd);
    for (std::int64_t i = 0; i < run.count; ++i) RC_ASSERT(used.insert(run.block + i).second);
  }
  RC_ASSERT(static_cast<std::int64_t>(used.size()) == kEnd - kFirst);
  allocator.close(last);
}

// --- 2.

RC_GTEST_PROP(BlockLaws, TheBlockMapOfAFileIsOneOfItsPages, ()) {
  using Kind = sim::MetadataOp::Kind;
  struct Page {
    std::int64_t block;
    bool written;
  };
  sim::Metadata metadata;
  std::vector<sim::BlockRun> freed;
  const sim::InodeNumber inode = metadata.next_inode();
  metadata.apply({.kind = Kind::make, .inode = inode}, freed);
  std::map<std::int64_t, Page> model;
  std::int64_t next_block = 100;
  const int steps = *inRange(0, 100);
  for (int i = 0; i < steps; ++i) {
    const std::int64_t page = *inRange<std::int64_t>(490, 540);
    const std::int64_t count = *inRange<std::int64_t>(1, 20);
    const int act = *inRange(0, 4);
    freed.clear();
    std::multiset<std::int64_t> expected_free;
    if (act < 2) {  // Maps the holes of the range, or marks what is mapped as written.
      for (std::int64_t each = page; each < page + count; ++each) {
        const auto entry = model.find(each);
        if (act == 0 && entry == model.end()) {
          metadata.apply({.kind = Kind::map_blocks,
                          .inode = inode,
                          .page = each,
                          .count = 1,
                          .block = next_block},
                         freed);
          model[each] = {next_block++, false};
        } else if (act == 1 && entry != model.end()) {
          metadata.apply({.kind = Kind::mark_written, .inode = inode, .page = each, .count = 1},
                         freed);
          entry->second.written = true;
        }
      }
    } else if (act == 2) {
      metadata.apply({.kind = Kind::cut, .inode = inode, .page = page}, freed);
      for (auto entry = model.lower_bound(page); entry != model.end();) {
        expected_free.insert(entry->second.block);
        entry = model.erase(entry);
      }
    }
    std::multiset<std::int64_t> found_free;
    for (const sim::BlockRun& run : freed) {
      for (std::int64_t each = 0; each < run.count; ++each) found_free.insert(run.block + each);
    }
    RC_ASSERT(found_free == expected_free);
    const sim::InodeRecord& record = *metadata.find(inode);
    for (std::int64_t each = 480; each < 570; ++each) {
      const auto entry = model.find(each);
      const sim::BlockRef ref = record.block_of(each);
      RC_ASSERT(ref.hole() == (entry == model.end()));
      if (entry == model.end()) continue;
      RC_ASSERT(ref.block() == entry->second.block);
      RC_ASSERT(ref.written() == entry->second.written);
    }
  }
}

// --- 3.

RC_GTEST_PROP(BlockLaws, TheSparseTableIsAMap, ()) {
  sim::SparseTable<int> table;
  std::map<std::int64_t, int> model;
  const auto indices =
      *rc::gen::container<std::vector<std::int64_t>>(inRange<std::int64_t>(0, 3000));
  int value = 0;
  for (const std::int64_t index : indices) {
    table.at(index) = ++value;
    model[index] = value;
  }
  const std::int64_t cut = *inRange<std::int64_t>(0, 3000);
  table.release_chunks_from(cut);
  constexpr std::int64_t kChunk = sim::SparseTable<int>::kChunk;
  model.erase(model.lower_bound((cut + kChunk - 1) / kChunk * kChunk), model.end());
  const sim::SparseTable<int> copy = table;
  for (std::int64_t index = 0; index < 3000; ++index) {
    const int* const entry = copy.find(index);
    const auto expected = model.find(index);
    RC_ASSERT((entry == nullptr ? 0 : *entry) == (expected == model.end() ? 0 : expected->second));
  }
  std::int64_t visited = 0;
  table.for_each_from(0, [&visited](std::int64_t, int& entry) { visited += entry != 0 ? 1 : 0; });
  RC_ASSERT(visited == static_cast<std::int64_t>(model.size()));
}

// --- 4.

constexpr std::int64_t kUnit = 512;
constexpr int kUnits = 8;
using Content = std::array<char, kUnits>;

class StoreTrial {
 public:
  // Where two chunks of the store's table meet.
  static constexpr std::int64_t kFirstBlock = 510;
  static constexpr int kBlocks = 4;
  static constexpr std::int64_t kCacheWrites = 6;

  explicit StoreTrial(bool volatile_cache)
      : volatile_(volatile_cache),
        store_({.capacity_bytes = 1024 * sim::kPageBytes,
                .volatile_cache = volatile_cache,
                .cache_bytes = kCacheWrites * sim::kPageBytes}) {
    for (auto& versions : versions_) versions.push_back({.content = {}});
  }

  void write(int first_unit, int units, bool through) {
    const char stamp = stamp_ = static_cast<char>(stamp_ % 120 + 1);
    units = std::min(units, kBlocks * kUnits - first_unit);
    const sim::BlockOrigin origin{static_cast<std::uint32_t>(stamp), 1};
    using Landing = sim::BlockStore::Landing;
    const auto bytes =
        SharedBytes::copy_of(std::string(static_cast<std::size_t>(units * kUnit), stamp));
    store_.write(kFirstBlock * sim::kPageBytes + first_unit * kUnit, ByteChain(bytes), origin,
                 through ? Landing::durable : Landing::cached);
    for (int unit = first_unit; unit < first_unit + units;) {
      const int block = unit / kUnits;
      Version next = versions_[at(block)].back();
      for (; unit < first_unit + units && unit / kUnits == block; ++unit) {
        next.content[at(unit % kUnits)] = stamp;
      }
      next.through = through;
      next.author = stamp;
      next.is_volatile = volatile_;
      versions_[at(block)].push_back(next);
      if (volatile_) order_.emplace_back(block, versions_[at(block)].size() - 1);
      if (order_.size() > static_cast<std::size_t>(kCacheWrites)) drain();
    }
  }
  void flush() {
    store_.make_durable(store_.mark());
    believe_flushed();
  }
  // A flush that only the model hears of.
  void believe_flushed() {
    while (!order_.empty()) drain();
  }
  // A mark from before the last `writes`.
  void flush_all_but_some(std::uint64_t writes) {
    const std::uint64_t mark = store_.mark() - std::min(writes, store_.mark());
    store_.make_durable(mark);
    while (order_.size() > writes) drain();
  }
  void lose_power(RandomStream& stream) {
    store_.lose_power(stream);
    order_.clear();
    for (int block = 0; block < kBlocks; ++block) {
      std::vector<Version>& versions = versions_[at(block)];
      std::size_t floor = 0;
      for (std::size_t i = 0; i < versions.size(); ++i) {
        if (!versions[i].is_volatile || versions[i].through) floor = i;
      }
      const Content found = content_of(block);
      for (int unit = 0; unit < kUnits; ++unit) {
        bool allowed = false;
        for (std::size_t i = floor; i < versions.size(); ++i) {
          allowed |= versions[i].content[at(unit)] == found[at(unit)];
        }
        RC_ASSERT(allowed);
      }
      const char author = static_cast<char>(store_.origin(kFirstBlock + block).author_host);
      versions = {{.content = found, .author = author}};
    }
  }
  void check() const {
    RC_ASSERT(store_.volatile_writes() == order_.size());
    for (int block = 0; block < kBlocks; ++block) {
      RC_ASSERT(content_of(block) == versions_[at(block)].back().content);
      RC_ASSERT(static_cast<char>(store_.origin(kFirstBlock + block).author_host) ==
                versions_[at(block)].back().author);
    }
  }

 private:
  struct Version {
    Content content{};
    bool is_volatile = false;
    bool through = false;
    char author = 0;
  };
  static std::size_t at(int index) { return static_cast<std::size_t>(index); }
  void drain() {
    const auto [block, version] = order_.front();
    order_.pop_front();
    versions_[at(block)][version].is_volatile = false;
  }
  Content content_of(int block) const {
    const SharedBytes bytes =
        store_.read((kFirstBlock + block) * sim::kPageBytes, sim::kPageBytes).flatten();
    Content content{};
    for (std::size_t unit = 0; unit < content.size(); ++unit) {
      const auto part = bytes.span().subspan(unit * kUnit, kUnit);
      content[unit] = static_cast<char>(part.front());
      const auto other = [&part](std::byte byte) { return byte != part.front(); };
      ENSURE(std::ranges::none_of(part, other));
    }
    return content;
  }

  bool volatile_;
  sim::BlockStore store_;
  std::array<std::vector<Version>, kBlocks> versions_;
  std::deque<std::pair<int, std::size_t>> order_;  // What the cache holds: block and version.
  char stamp_ = 0;
};

RC_GTEST_PROP(BlockLaws, ADiskHoldsTheLastWriteAndLosesNothingDurable, ()) {
  StoreTrial trial(*rc::gen::arbitrary<bool>());
  RandomStream stream(*rc::gen::arbitrary<std::uint64_t>(), "crash");
  const int steps = *inRange(0, 60);
  for (int i = 0; i < steps; ++i) {
    switch (*inRange(0, 8)) {
      case 0: trial.flush(); break;
      case 1: trial.flush_all_but_some(*inRange<std::uint64_t>(0, 4)); break;
      case 2: trial.lose_power(stream); break;
      default: {
        const int first = *inRange(0, StoreTrial::kBlocks * kUnits);
        const int units = *inRange(1, 12);
        trial.write(first, units, *inRange(0, 5) == 0);
      }
    }
    trial.check();
  }
}

// The comparison has teeth.
TEST(BlockLaws, AreBrokenByAFlushThatDoesNothing) {
  bool broken = false;
  for (std::uint64_t seed = 0; seed < 20 && !broken; ++seed) {
    StoreTrial trial(true);
    RandomStream stream(seed, "crash");
    trial.write(0, kUnits, false);
    trial.believe_flushed();
    try {
      trial.lose_power(stream);
    } catch (const rc::detail::CaseResult&) {
      broken = true;
    }
  }
  EXPECT_TRUE(broken);
}

}  // namespace
}  // namespace drydock::test
