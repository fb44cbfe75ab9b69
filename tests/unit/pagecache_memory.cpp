// Which pages go when memory runs out: Linux I/O model, section 2.
#include <gtest/gtest.h>
#include <malloc.h>

#include <utility>

#include "sim/host/services.hpp"
#include "sim/pagecache/memory_domain.hpp"
#include "sim/pagecache/page_cache.hpp"
#include "sim/pagecache/writeback_device.hpp"

namespace drydock::sim {
namespace {

constexpr std::int64_t kMiB = 1 << 20;
constexpr std::int64_t kGiB = 1 << 30;

// A file system that writes when the test says so.
class Backing final : public PageBacking {
 public:
  explicit Backing(PageCache& cache) : device_(cache) {}
  WritebackDevice& device() override { return device_; }
  void write_pages(CachedFile& file, std::int64_t first, std::vector<SharedBytes> pages,
                   WrittenFor) override {
    const auto count = static_cast<std::int64_t>(pages.size());
    file.cache().begin_writeback(file, first, count);
    on_their_way.emplace_back(&file, first);
  }
  void dirtier_slept() override {}
  void finish() {
    for (const auto& [file, first] : std::exchange(on_their_way, {})) {
      file->cache().end_writeback(*file, first, Result<void>());
    }
  }
  std::vector<std::pair<CachedFile*, std::int64_t>> on_their_way;

 private:
  WritebackDevice device_;
};

PageCacheOptions bytes(std::int64_t dirty, std::int64_t background) {
  return {.dirty_bytes = dirty, .dirty_background_bytes = background};
}

struct MemoryWorld {
  explicit MemoryWorld(MemoryOptions options, PageCacheOptions cached = bytes(64 * kGiB, 32 * kGiB))
      : host(kernel, HostId(1), {.name = "h1", .memory = options}), cache(host, cached) {}

  Kernel kernel{{.seed = 1}};
  Host host;
  PageCache cache;
  Backing backing{cache};
  SimWorker worker{WorkerId(1), "worker"};
  CachedFile file{cache, backing};

  MemoryDomain& domain() { return *cache.memory(); }
  void read(std::int64_t first, std::int64_t end) {
    for (std::int64_t page = first; page < end; ++page) {
      if (!file.resident(page)) file.insert(page, cache.zero_page());
    }
  }
  void dirty(std::int64_t first, std::int64_t end) {
    read(first, end);
    for (std::int64_t page = first; page < end; ++page) cache.mark_dirty(file, page, worker);
  }
  void map(std::int64_t first, std::int64_t end) { file.map_resident({first, end}, true); }
  std::int64_t resident(std::int64_t first, std::int64_t end) {
    std::int64_t count = 0;
    for (std::int64_t page = first; page < end; ++page) count += file.resident(page) ? 1 : 0;
    return count;
  }
};

MemoryOptions ample() { return {.bytes = kGiB}; }

// Section 1.1: A = free - totalreserve + file pages.
TEST(DirtyRatios, AreOfWhatIsFreeOrHoldsFiles) {
  MemoryWorld world(ample(), bytes(0, 0));
  const DirtyDomain& limits = world.cache.domain();
  const HostMemory& memory = *world.host.memory();
  const std::int64_t all = memory.total() - memory.watermarks().high;
  EXPECT_EQ(limits.threshold(), all * 20 / 100);
  EXPECT_EQ(limits.background(), all * 10 / 100);
  world.read(0, 10'000);
  EXPECT_EQ(limits.threshold(), all * 20 / 100) << "file pages can be dirtied as free ones can";
  world.file.set_pinned(true);
  EXPECT_EQ(limits.threshold(), (all - 10'000) * 20 / 100) << "but not those that are locked";
  world.host.memory()->charge(world.host.spawn("p"), 256 * kMiB);
  EXPECT_EQ(limits.threshold(), (all - 10'000 - 65'536) * 20 / 100);
  EXPECT_EQ(limits.limit(), all * 20 / 100) << "the smoothed limit follows in its own time";
}

// Section 1.8: A_m = file pages of the group + min(headroom, the rest of A).
TEST(DirtyLimitsOfAGroup, AreOfTheGroupsMemoryWithCgroup2) {
  for (const bool v2 : {false, true}) {
    const MemoryOptions group{
        .bytes = 16 * kGiB, .group_limit_bytes = 192 * kMiB, .group_limits_dirty = v2};
    MemoryWorld world(group, bytes(0, 0));
    const HostMemory& memory = *world.host.memory();
    const std::int64_t all = memory.total() - memory.watermarks().high;
    world.read(0, 1'000);
    EXPECT_EQ(world.cache.domain().threshold(), (v2 ? 192 * 256 : all) * 20 / 100);
    // Half of the group's memory is a process's own.
    world.host.memory()->charge(world.host.spawn("p"), 96 * kMiB);
    EXPECT_EQ(world.cache.domain().threshold(), (v2 ? 96 * 256 : all - 96 * 256) * 20 / 100);
  }
}

// Bytes become the part of the group's memory that they are of the host's.
TEST(DirtyLimitsOfAGroup, InBytesShrinkWithTheGroup) {
  const MemoryOptions group{
      .bytes = 16 * kGiB, .group_limit_bytes = kGiB, .group_limits_dirty = true};
  MemoryWorld world(group, bytes(4 * kGiB, 2 * kGiB));
  const HostMemory& memory = *world.host.memory();
  const std::int64_t all = memory.total() - memory.watermarks().high;
  const std::int64_t pages = 4 * kGiB / kPageBytes;
  EXPECT_EQ(world.cache.domain().threshold(), pages * (kGiB / kPageBytes) / all);
  MemoryWorld alone({.bytes = 16 * kGiB}, bytes(4 * kGiB, 2 * kGiB));
  EXPECT_EQ(alone.cache.domain().threshold(), pages);
}

TEST(Reclaim, TakesTheOldestPages) {
  MemoryWorld world(ample());
  world.read(0, 1000);
  EXPECT_EQ(world.domain().give_back(100), 100);
  EXPECT_EQ(world.resident(0, 100), 0);
  EXPECT_EQ(world.resident(100, 1000), 900);
  world.domain().check_invariants();
}

TEST(Reclaim, SparesAMappedPageForOneRound) {
  MemoryWorld world(ample());
  world.read(0, 200);
  world.map(0, 32);
  EXPECT_EQ(world.domain().give_back(32), 32);
  EXPECT_EQ(world.resident(0, 32), 32);
  EXPECT_EQ(world.resident(32, 64), 0);
  EXPECT_EQ(world.domain().give_back(168), 168) << "not touched since: they go in their turn";
  EXPECT_EQ(world.resident(0, 32), 0);
}

TEST(Reclaim, ActivatesAMappedPageThatIsTouchedAgain) {
  MemoryWorld world(ample());
  world.read(0, 200);
  world.map(0, 32);
  ASSERT_EQ(world.domain().give_back(32), 32);
  for (std::int64_t page = 0; page < 32; ++page) world.file.touch(page, true);
  world.read(200, 400);
  world.domain().give_back(136 + 40);
  EXPECT_EQ(world.resident(0, 32), 32);
  EXPECT_EQ(world.domain().active(), 32);
}

TEST(Reclaim, ActivatesAPageThatIsReadTwice) {
  MemoryWorld world(ample());
  world.read(0, 100);
  world.domain().accessed(world.file, {0, 20});
  EXPECT_EQ(world.domain().active(), 0);
  world.domain().accessed(world.file, {0, 10});
  EXPECT_EQ(world.domain().active(), 10);
  EXPECT_EQ(world.domain().inactive(), 90);
  world.domain().give_back(60);
  EXPECT_EQ(world.resident(0, 10), 10);
  EXPECT_EQ(world.resident(10, 70), 0) << "once is not enough";
}

TEST(Reclaim, SetsDirtyPagesAsideAndTakesThemFirstWhenTheyAreClean) {
  MemoryWorld world(ample());
  world.dirty(0, 64);
  world.read(64, 1000);
  EXPECT_EQ(world.domain().give_back(32), 32);
  EXPECT_EQ(world.resident(0, 64), 64);
  EXPECT_EQ(world.resident(64, 96), 0);
  EXPECT_EQ(world.domain().counters().set_aside, 64);
  world.kernel.run_until(1'000'000);
  EXPECT_EQ(world.cache.writeback_pages(), 64) << "the flusher was woken";
  world.backing.finish();
  EXPECT_EQ(world.domain().give_back(64), 64);
  EXPECT_EQ(world.resident(0, 64), 0);
  EXPECT_EQ(world.resident(96, 1000), 904);
}

TEST(Reclaim, TakesWhatWasSetAsideBeforeOlderPagesThatItFollows) {
  MemoryWorld world(ample());
  world.dirty(100, 101);
  world.read(0, 100);
  world.read(200, 300);
  ASSERT_EQ(world.domain().give_back(1), 32);  // Page 100 is in the way; then 0 to 31.
  world.kernel.run_until(1'000'000);
  world.backing.finish();
  EXPECT_EQ(world.domain().give_back(1), 32);
  EXPECT_FALSE(world.file.resident(100));
  EXPECT_EQ(world.resident(32, 100), 68 - 31);
}

// Their second dirtying has to wait for the end of the first writing: the flusher must not go round
// them for ever meanwhile.
TEST(Reclaim, WakesAFlusherThatLooksAtEachFileOnce) {
  MemoryWorld world(ample());
  CachedFile other(world.cache, world.backing);
  other.insert(0, world.cache.zero_page());
  world.cache.mark_dirty(other, 0, world.worker);
  world.dirty(0, 1);
  for (CachedFile* const file : {&world.file, &other}) {
    world.cache.start_writeback(*file, PageRange(), sim::WrittenFor::sync);
    world.cache.mark_dirty(*file, 0, world.worker);
  }
  world.cache.write_for_reclaim(world.backing.device());
  world.kernel.run_until(1'000'000);
  EXPECT_EQ(world.cache.dirty_pages(), 2);
  world.backing.finish();
  world.cache.write_for_reclaim(world.backing.device());
  world.kernel.run_until(2'000'000);
  EXPECT_EQ(world.cache.dirty_pages(), 0);
  world.cache.forget(other);
}

TEST(Reclaim, LeavesLockedPages) {
  MemoryWorld world(ample());
  world.read(0, 100);
  world.file.set_pinned(true);
  world.read(100, 200);
  EXPECT_EQ(world.domain().unevictable(), 200);
  EXPECT_EQ(world.domain().give_back(1), 0);
  world.file.set_pinned(false);
  EXPECT_EQ(world.domain().give_back(200), 200);
}

TEST(Reclaim, ForgetsNothingOfWhatIsCutOrDropped) {
  MemoryWorld world(ample());
  world.read(0, 3000);
  world.domain().accessed(world.file, {0, 100});
  world.domain().accessed(world.file, {0, 100});
  world.file.drop({50, 2000});
  world.file.drop_clean({2990, 3000});
  EXPECT_EQ(world.domain().active(), 50);
  EXPECT_EQ(world.domain().inactive(), 990);
  world.domain().check_invariants();
  EXPECT_EQ(world.domain().give_back(5000), 1040);
}

// With `distance` evictions since its own, a page that comes back is active at once if there are so
// many active pages.
TEST(Refault, ActivatesAPageThatWasEvictedTooEarly) {
  MemoryWorld world(ample());
  world.read(0, 500);
  world.domain().accessed(world.file, {400, 500});
  world.domain().accessed(world.file, {400, 500});  // 100 active pages.
  ASSERT_EQ(world.domain().give_back(100), 100);
  world.read(50, 51);  // 49 evictions ago.
  EXPECT_EQ(world.domain().active(), 101);
  EXPECT_EQ(world.domain().counters().refault_activated, 1);
}

TEST(Refault, OfAPageThatWasAwayForLongIsNothingSpecial) {
  MemoryWorld world(ample());
  world.read(0, 1010);
  world.domain().accessed(world.file, {1000, 1010});
  world.domain().accessed(world.file, {1000, 1010});
  ASSERT_EQ(world.domain().give_back(1000), 1000);
  world.read(0, 1);
  EXPECT_EQ(world.domain().active(), 10);
  EXPECT_EQ(world.domain().counters().refaulted, 1);
}

TEST(Refault, IsNotSeenByOldKernels) {
  MemoryOptions old = ample();
  old.kernel = kernel_el7();
  MemoryWorld world(old);
  world.read(0, 200);
  world.domain().accessed(world.file, {100, 200});
  world.domain().accessed(world.file, {100, 200});
  world.domain().give_back(32);
  world.read(0, 32);
  EXPECT_EQ(world.domain().counters().refault_activated, 0);
}

TEST(Lists, KeepTheirRatioBySize) {
  using Lists = KernelProfile::FileLists;
  const std::int64_t gib = kGiB / kPageBytes;
  EXPECT_EQ(inactive_ratio(gib / 2, Lists::square_root), 1);
  EXPECT_EQ(inactive_ratio(gib, Lists::square_root), 3);
  EXPECT_EQ(inactive_ratio(10 * gib, Lists::square_root), 10);
  EXPECT_EQ(inactive_ratio(100 * gib, Lists::square_root), 31);
  EXPECT_EQ(inactive_ratio(100 * gib, Lists::one_to_one), 1);
}

TEST(Kswapd, ReclaimsFromBelowTheLowMarkToTheHighOne) {
  MemoryWorld world({.bytes = 64 * kMiB, .min_free_bytes = 4 * kMiB});
  const HostMemory& memory = *world.host.memory();
  EXPECT_EQ(memory.watermarks().min, 1024);
  EXPECT_EQ(memory.watermarks().low, 1280);
  EXPECT_EQ(memory.watermarks().high, 1536);
  world.read(0, 16384 - 1280);
  world.kernel.run_until(1'000'000'000);
  EXPECT_EQ(memory.free(), 1280) << "not below it";
  world.read(16384 - 1280, 16384 - 1279);
  world.kernel.run_until(2'000'000'000);
  EXPECT_GE(memory.free(), 1536);
  EXPECT_LT(memory.free(), 1536 + 32);
  EXPECT_EQ(world.domain().counters().scanned_direct, 0);
}

TEST(Memory, ThatMayBeDirtyIsFreeMemoryAndTheListsWithoutTheReserve) {
  MemoryWorld world({.bytes = 64 * kMiB, .min_free_bytes = 4 * kMiB});
  EXPECT_EQ(world.domain().dirtyable(), 16384 - 1536);
  world.read(0, 1000);
  EXPECT_EQ(world.domain().dirtyable(), 16384 - 1536);
  world.file.set_pinned(true);
  EXPECT_EQ(world.domain().dirtyable(), 16384 - 1536 - 1000);
}

// A host of 256 GiB with 33 GiB of dirty log: what is not the log's bytes fits in 1 GiB.
TEST(Memory, OfABigHostCostsTheSimulatorLittle) {
  MemoryWorld world({.bytes = 256 * kGiB});
  const std::size_t before = mallinfo2().uordblks;
  world.dirty(0, 33 * kGiB / kPageBytes);
  EXPECT_EQ(world.cache.dirty_pages(), 33 * kGiB / kPageBytes);
  EXPECT_LE(world.domain().runs(), 10u);
  EXPECT_LT(mallinfo2().uordblks - before, static_cast<std::size_t>(kGiB) / 3);
}

TEST(Memory, OfStaleEntriesIsGivenBack) {
  MemoryWorld world(ample());
  for (int round = 0; round < 100; ++round) {
    for (std::int64_t page = 0; page < 1000; ++page) world.read(2 * page, 2 * page + 1);
    world.file.drop(PageRange());
  }
  EXPECT_LT(world.domain().runs(), 8000u);
  EXPECT_EQ(world.domain().pages(), 0);
}

}  // namespace
}  // namespace drydock::sim
