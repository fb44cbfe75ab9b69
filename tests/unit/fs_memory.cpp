// A file system on a host whose memory runs out: Linux I/O model, section 2, and acceptance
// experiment A17.
#include <gtest/gtest.h>
#include <malloc.h>

#include "engine/runtime/sync.hpp"
#include "engine/types/random_stream.hpp"
#include "sim/pagecache/memory_domain.hpp"
#include "tests/support/disk_world.hpp"
#include "tests/support/file_world.hpp"

namespace drydock::test {
namespace {

constexpr std::int64_t kMiB = 1 << 20;
constexpr std::int64_t kGiB = 1 << 30;
constexpr std::int64_t kPage = 4096;

// A file of which every megabyte is the same one, so that it costs the test nothing.
void write_cold_file(FileWorld& world, const std::string& path, std::int64_t bytes) {
  const OpenOptions direct{.create = Create::if_missing, .caching = Caching::direct};
  File& file = world->file(path, direct);
  const SharedBytes piece = SharedBytes::copy_of(std::string(kMiB, 'c'));
  for (std::int64_t at = 0; at < bytes; at += kMiB) {
    ASSERT_TRUE(world->now(file.write_at(world->worker(), at, piece)).has_value());
  }
  ASSERT_TRUE(world->sync(path).has_value());
  world->close(path);  // What follows is not direct.
}

// --- A17: a cold-read storm in a group of 192 MiB.

struct Storm {
  Clock& clock;
  std::int64_t began_ns;
  std::int64_t written = 0;  // Bytes of the hot file.
};

// 20 MB/s through a mapping, page by page.
Task<Result<void>> write_log(MappedFile& map, Worker& worker, Storm& storm) {
  for (std::int64_t page = 0;; ++page) {
    Result<void> due =
        co_await sleep_until(MonotonicTime::at_ns(storm.began_ns + page * kPage * 50));
    if (!due) co_return due;
    const SharedBytes bytes = SharedBytes::copy_of("record");
    Result<void> stored = co_await map.store(worker, page * kPage, bytes);
    if (!stored) co_return stored;
    storm.written = (page + 1) * kPage;
  }
}

// Random reads of 64 KiB, one after the other, from 5 s on.
Task<Result<void>> read_at_random(File& file, Worker& worker, const Storm& storm,
                                  RandomStream random) {
  Result<void> begun = co_await sleep_until(MonotonicTime::at_ns(storm.began_ns + 5'000'000'000));
  if (!begun) co_return begun;
  for (;;) {
    const auto piece = static_cast<std::int64_t>(random.below(640 * 16));
    Result<ByteChain> read = co_await file.read_at(worker, piece * 65536, 65536);
    if (!read) co_return read.error();
  }
}

// Touches what was written 16 MiB ago, every fourth KiB of the log.
Task<Result<void>> follow_log(MappedFile& map, Worker& worker, const Storm& storm) {
  for (std::int64_t page = 0;; ++page) {
    Result<void> due = co_await sleep_until(
        MonotonicTime::at_ns(storm.began_ns + (page * kPage + 16 * kMiB + kPage) * 50));
    if (!due) co_return due;
    Result<ByteChain> loaded = co_await map.load(worker, page * kPage, 1);
    if (!loaded) co_return loaded.error();
  }
}

// Which part of what was written between two lags is resident, in percent, at the end of the run.
struct Residency {
  double of_16 = 0, of_32 = 0, of_64 = 0, of_96 = 0;
  double window_mib = 0;
};

Residency run_storm(bool follower, std::int64_t end_s) {
  sim::DiskProfile profile = flat_profile();
  // Three readers of 64 KiB get 220 MB/s together, as was measured.
  profile.read = sim::QuantileTable::constant(Duration::us(890));
  FileWorld world({.disk = {.name = "d0", .capacity_bytes = 2 * kGiB, .profile = profile},
                   .memory = {.bytes = 16 * kGiB, .group_limit_bytes = 192 * kMiB}});
  write_cold_file(world, "/cold", 640 * kMiB);
  File& hot_file = world->file("/hot");
  EXPECT_TRUE(world->now(hot_file.allocate(world->worker(), 0, 512 * kMiB)).has_value());
  MappedFile& hot = world->map("/hot", 512 * kMiB);
  Context& context = world->process().context();
  Storm storm{context.clock, context.clock.now().count_ns()};
  world->start(write_log(hot, context.workers.add("writer"), storm));
  const OpenOptions read_only{.mode = OpenMode::read_only};
  auto cold = world->now(world->files().open(world->worker(), "/cold", read_only));
  for (const std::string name : {"cold-1", "cold-2", "cold-3"}) {
    world->start(read_at_random(**cold, context.workers.add(name), storm, RandomStream(1, name)));
  }
  if (follower) world->start(follow_log(hot, context.workers.add("tail"), storm));
  world.run_for(Duration::s(end_s));

  const auto resident = [&](std::int64_t from_mib, std::int64_t to_mib) {
    std::int64_t pages = 0;
    const std::int64_t end = storm.written - from_mib * kMiB;
    const std::int64_t begin = std::max<std::int64_t>(0, storm.written - to_mib * kMiB);
    for (std::int64_t at = begin; at < end; at += kPage) {
      if (!hot.try_load(at, 1).empty()) ++pages;
    }
    return 100.0 * static_cast<double>(pages * kPage) /
           static_cast<double>((to_mib - from_mib) * kMiB);
  };
  world.files.cache().memory()->check_invariants();
  Residency residency{resident(0, 16), resident(16, 32), resident(32, 64), resident(64, 96)};
  residency.window_mib =
      (residency.of_16 * 16 + residency.of_32 * 16 + residency.of_64 * 32 + residency.of_96 * 32) /
      100;
  return residency;
}

// Measured: the last 16 MiB resident, 0 to 68 % of the next 16, nothing beyond; 21 MiB on average.
TEST(ColdReadStorm, EvictsTheLogBehindAHorizon) {
  for (const std::int64_t end_s : {8, 10}) {
    const Residency at = run_storm(false, end_s);
    EXPECT_GE(at.of_16, 90);
    EXPECT_GE(at.of_16, at.of_32);
    EXPECT_LE(at.of_32, 68);
    EXPECT_EQ(at.of_64, 0);
    EXPECT_EQ(at.of_96, 0);
    EXPECT_GE(at.window_mib, 21 / 1.5);
    EXPECT_LE(at.window_mib, 21 * 1.5);
  }
}

// Measured with a reader 16 MiB behind: 38 to 100 % of what is 32 to 64 MiB old, at most 52 % of
// the next 32 MiB.
TEST(ColdReadStorm, ReachesLessFarWhereAReaderFollowsTheLog) {
  const Residency alone = run_storm(false, 8);
  const Residency followed = run_storm(true, 8);
  EXPECT_GT(followed.window_mib, 1.5 * alone.window_mib);
  EXPECT_GE(followed.of_32, 75);
  EXPECT_GE(followed.of_64, 38);
  EXPECT_LE(followed.of_96, 52);
}

// Without reads everything stays, as long as there is memory.
TEST(ColdReadStorm, IsWhatEvicts) {
  const Residency before = run_storm(false, 5);
  EXPECT_GE(before.of_16, 99);
  EXPECT_GE(before.of_32, 99);
  EXPECT_GE(before.of_64, 99);
}

// --- Waiting for memory (W5).

FileWorldOptions in_a_group(std::int64_t limit_bytes) {
  return {.disk = {.name = "d0", .capacity_bytes = 512 * kMiB, .profile = flat_profile()},
          .memory = {.bytes = 8 * kGiB, .group_limit_bytes = limit_bytes}};
}

// Stores into page after page until a store would block.
std::int64_t fill_with_dirty_pages(FileWorld& world, MappedFile& map) {
  std::int64_t page = 0;
  while (map.try_store(world->worker(), page * kPage, bytes_of("x"))) ++page;
  return page;
}

TEST(WaitForMemory, EndsWhenDirtyPagesHaveBeenWritten) {
  FileWorld world(in_a_group(32 * kMiB));
  MappedFile& map = world->map("/m", 256 * kMiB);
  world.disk.hang(sim::DiskHang::data_writes);
  const std::int64_t page = fill_with_dirty_pages(world, map);
  EXPECT_EQ(page, 32 * kMiB / kPage);
  const Asked<void> store =
      world->start(map.store(world->worker(), page * kPage, SharedBytes::copy_of("x")));
  world.run_for(Duration::ms(500));
  EXPECT_FALSE(store->done());
  EXPECT_EQ(world->worker().wait_place(), WaitPlace::memory);
  EXPECT_GT(world.files.cache().writeback_pages(), 0) << "reclaim wakes the flusher";
  world.disk.release(sim::DiskHang::data_writes);
  world.run_for(Duration::ms(200));
  EXPECT_TRUE(store->done());
  EXPECT_EQ(world->worker().wait_place(), WaitPlace::none);
  EXPECT_TRUE(world->process().alive());
  EXPECT_GT(world.files.cache().memory()->counters().direct_wait, Duration::ms(499));
  world.files.cache().memory()->check_invariants();
}

// A hung disk makes of dirty pages memory that cannot be reclaimed, and so of an I/O incident an
// out-of-memory kill.
TEST(WaitForMemory, EndsWithAKillIfNothingCanBeReclaimed) {
  FileWorld world(in_a_group(32 * kMiB));
  MappedFile& map = world->map("/m", 256 * kMiB);
  world.disk.hang(sim::DiskHang::data_writes);
  const std::int64_t page = fill_with_dirty_pages(world, map);
  world->start(map.store(world->worker(), page * kPage, SharedBytes::copy_of("x")));
  world.run_for(Duration::s(1));
  EXPECT_TRUE(world->process().alive());
  world.run_for(Duration::s(2));
  EXPECT_FALSE(world->process().alive());
  EXPECT_EQ(world.host.memory()->counters().group_kills, 1);
  world.disk.release(sim::DiskHang::data_writes);
  world.settle();
  EXPECT_EQ(world.files.cache().dirty_pages(), 0) << "a kill leaves them to the kernel";
}

// Locked pages cannot be reclaimed either.
TEST(WaitForMemory, EndsWithAKillIfPagesAreLocked) {
  FileWorld world(in_a_group(32 * kMiB));
  write_cold_file(world, "/m", 64 * kMiB);
  MappedFile& map = world->map("/m", 64 * kMiB);
  world->start(map.lock_memory(world->worker()));
  world.run_for(Duration::s(30));
  EXPECT_FALSE(world->process().alive());
  EXPECT_EQ(world.host.memory()->counters().group_kills, 1);
  world.files.cache().memory()->check_invariants();
}

TEST(WaitForMemory, IsKillable) {
  FileWorld world(in_a_group(32 * kMiB));
  MappedFile& map = world->map("/m", 256 * kMiB);
  world.disk.hang(sim::DiskHang::data_writes);
  const std::int64_t page = fill_with_dirty_pages(world, map);
  world->start(map.store(world->worker(), page * kPage, SharedBytes::copy_of("x")));
  world.run_for(Duration::ms(1));
  sim::SimProcess& process = world->process();
  world.kill();
  EXPECT_FALSE(process.alive());
}

TEST(SmallHost, ReadsMoreThanItHasMemoryFor) {
  FileWorld world({.disk = {.name = "d0", .capacity_bytes = 512 * kMiB, .profile = flat_profile()},
                   .memory = {.bytes = 64 * kMiB, .min_free_bytes = 4 * kMiB}});
  write_cold_file(world, "/f", 256 * kMiB);
  File& file = world->file("/f");
  std::int64_t bytes = 0;
  for (std::int64_t at = 0; at < 256 * kMiB; at += kMiB) {
    Result<ByteChain> read = world->now(file.read_at(world->worker(), at, kMiB));
    ASSERT_TRUE(read.has_value());
    bytes += static_cast<std::int64_t>(read->size());
    ASSERT_GE(world.host.memory()->free(), 0);
  }
  EXPECT_EQ(bytes, 256 * kMiB);
  const sim::MemoryDomain& memory = *world.files.cache().memory();
  EXPECT_GT(memory.counters().scanned_kswapd, 0);
  EXPECT_GT(memory.counters().evicted, (256 - 64) * kMiB / kPage);
  memory.check_invariants();
}

TEST(SmallHost, HasItsMemoryBackAfterAPowerCut) {
  FileWorld world(in_a_group(32 * kMiB));
  const std::int64_t free = world.host.memory()->free();
  write_cold_file(world, "/f", 16 * kMiB);
  ASSERT_FALSE(world->read("/f").empty());
  MappedFile& map = world->map("/m", 16 * kMiB);
  ASSERT_TRUE(map.try_store(world->worker(), 0, bytes_of("x")));
  EXPECT_LT(world.host.memory()->free(), free);
  File& file = world->file("/f");
  world.drop_clean_pages();
  world->start(file.read_at(world->worker(), 0, kMiB));  // On its way when the power goes.
  world.run_for(Duration::us(10));
  world.power_cut();
  EXPECT_EQ(world.host.memory()->free(), free);
  EXPECT_EQ(world->read("/f", 0, 1), "c");
}

// Design, section 11. Page cache and disk hold the same blocks.
TEST(Simulator, StoresDistinctBlocksInLessThanAThirdMoreMemory) {
  constexpr std::int64_t kBlocks = 16 * 1024;  // 64 MiB.
  constexpr std::int64_t kStep = 256;
  FileWorld world;
  const std::size_t before = mallinfo2().uordblks;
  if (before == 0) GTEST_SKIP() << "optional: a sanitizer keeps the books of memory itself";
  for (std::int64_t block = 0; block < kBlocks; block += kStep) {
    std::string bytes;
    for (std::int64_t i = 0; i < kStep; ++i) {
      std::string one = std::to_string(block + i);
      one.resize(sim::kPageBytes, '.');
      bytes += one;
    }
    ASSERT_TRUE(world->write("/f", block * sim::kPageBytes, bytes).has_value());
  }
  ASSERT_TRUE(world->sync("/f").has_value());
  const auto used = static_cast<std::int64_t>(mallinfo2().uordblks - before);
  EXPECT_GE(used, kBlocks * sim::kPageBytes);
  EXPECT_LE(used, kBlocks * sim::kPageBytes * 13 / 10);
}

}  // namespace
}  // namespace drydock::test
