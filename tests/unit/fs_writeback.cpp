// The flusher, the limits and the memory of the page cache: Linux I/O model,
// sections 1.1, 1.6, 1.7.
#include <gtest/gtest.h>

#include "engine/types/memory_pool.hpp"
#include "tests/support/disk_world.hpp"
#include "tests/support/file_world.hpp"

namespace drydock::test {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

FileWorldOptions with_limits(std::int64_t dirty_bytes, std::int64_t background_bytes) {
  FileWorldOptions options{
      .disk = {.name = "d0", .capacity_bytes = 256 * kMiB, .profile = flat_profile()}};
  options.files.page_cache.dirty_bytes = dirty_bytes;
  options.files.page_cache.dirty_background_bytes = background_bytes;
  return options;
}
bool store_page(FileWorld& world, MappedFile& map, std::int64_t page) {
  return map.try_store(world->worker(), page * 4096, bytes_of("x"));
}

// Measured (A16): 64 MiB dirtied, one page again after 20 s, all written in one burst at 30.2 s.
TEST(Flusher, WritesAFileThirtySecondsAfterItsFirstPageBecameDirty) {
  FileWorld world(with_limits(1024 * kMiB, 512 * kMiB));
  MappedFile& map = world->map("/m", 64 * kMiB);
  world.settle();
  for (std::int64_t page = 0; page < 16384; ++page) ASSERT_TRUE(store_page(world, map, page));
  world.run_for(Duration::s(20));
  ASSERT_TRUE(store_page(world, map, 0));
  world.run_for(Duration::ms(9'999));
  EXPECT_EQ(world.files.cache().dirty_pages(), 16384);
  world.run_for(Duration::ms(5'001));
  EXPECT_EQ(world.files.cache().dirty_pages(), 0);
  EXPECT_EQ(world.files.cache().writeback_pages(), 0);
}

// What is frozen is the processes, not the kernel.
TEST(Flusher, GoesOnWhileTheHostsProcessesArePaused) {
  FileWorld world;
  ASSERT_TRUE(world->write("/f", 0, "written").has_value());
  world.host.pause();
  world.run_for(Duration::s(40));
  EXPECT_EQ(world.files.cache().dirty_pages(), 0);
  world.power_cut();
  EXPECT_EQ(world->read("/f"), "written");
}

// Who dirties pages looks at the limit every few of them (here every 64, the root of the distance
// to the limit); the chunk of a device of 100 MiB/s is half a second of that, but no more than an
// eighth of the limit and 4 MiB.
TEST(Flusher, StartsAtTheBackgroundLimitAndStopsBelowIt) {
  FileWorld world(with_limits(64 * kMiB, 16 * kMiB));
  MappedFile& map = world->map("/m", 64 * kMiB);
  for (std::int64_t page = 0; page < 4096; ++page) ASSERT_TRUE(store_page(world, map, page));
  world.run_for(Duration::ms(1));
  EXPECT_EQ(world.files.cache().dirty_pages(), 4096);
  for (std::int64_t page = 4096; page < 4160; ++page) ASSERT_TRUE(store_page(world, map, page));
  world.run_for(Duration::ms(10));
  EXPECT_EQ(world.files.cache().dirty_pages(), 4160 - 3072);
  EXPECT_EQ(world.files.cache().writeback_pages(), 0);
}

// Section 5: buffered writes at the device are at most 8, those of a sync 16, direct ones as many
// as there are.
TEST(WritebackThrottling, CountsTheWritesOfAFileByWhoWaitsForThem) {
  FileWorldOptions options = with_limits(1024 * kMiB, 512 * kMiB);
  options.disk.profile.write_servers = 64;
  options.disk.profile.wbt_target = Duration::ms(2);
  options.files.page_cache.command_bytes = 4096;
  FileWorld world(options);
  ASSERT_TRUE(world->write("/f", 0, std::string(40 * 4096, 'f')).has_value());
  world.disk.hang(sim::DiskHang::data_writes);
  const Asked<void> sync = world->start(world->file("/f").sync_data(world->worker()));
  world.run_for(Duration::ms(1));
  EXPECT_EQ(world.disk.queue_of(HostId(1)).at_device(), 16);
  world.disk.release(sim::DiskHang::data_writes);
  world.run_for(Duration::s(1));
  ASSERT_TRUE(world->write("/f", 0, std::string(40 * 4096, 'g')).has_value());
  world.disk.hang(sim::DiskHang::data_writes);
  world.run_for(Duration::s(40));  // The flusher, after 30 s.
  EXPECT_EQ(world.disk.queue_of(HostId(1)).at_device(), 8);
  world.disk.release(sim::DiskHang::data_writes);
}

// Memory that may become dirty, in place of bytes: 20 and 10 percent of it.
TEST(Flusher, TakesItsLimitsFromTheMemoryIfTheyAreRatios) {
  FileWorldOptions options = with_limits(0, 0);
  options.files.page_cache.dirtyable_bytes = 160 * kMiB;
  FileWorld world(options);
  const sim::DirtyDomain& domain = world.files.cache().domain();
  EXPECT_EQ(domain.threshold(), 32 * 256);
  EXPECT_EQ(domain.background(), 16 * 256);
  world.files.cache().set_dirtyable(80 * kMiB);
  EXPECT_EQ(domain.threshold(), 16 * 256);
  EXPECT_EQ(domain.limit(), 32 * 256) << "the smoothed limit follows in its own time";
}

// A sequence of stores by a writer that waits as it is told.
Task<Result<void>> store_pages(MappedFile& map, Worker& worker, std::int64_t count,
                               std::int64_t& stored) {
  const SharedBytes byte = SharedBytes::copy_of("x");
  for (std::int64_t page = 0; page < count; ++page) {
    Result<void> done = co_await map.store(worker, page * 4096, byte);
    if (!done) co_return done;
    ++stored;
  }
  co_return Result<void>();
}

TEST(DirtyLimit, BlocksAWriterUntilAWritebackEnds) {
  FileWorld world(with_limits(16 * kMiB, 8 * kMiB));
  MappedFile& map = world->map("/m", 64 * kMiB);
  world.disk.hang(sim::DiskHang::data_writes);
  std::int64_t stored = 0;
  const Asked<void> stores = world->start(store_pages(map, world->worker(), 8192, stored));
  world.run_for(Duration::s(10));
  EXPECT_GE(stored, 4096 - 1);
  EXPECT_LE(stored, 4096 + 32) << "what a task may dirty between two looks at the limit";
  EXPECT_EQ(world->worker().wait_place(), WaitPlace::dirty_throttle);
  EXPECT_TRUE(store_page(world, map, stored - 1)) << "a page that is dirty already costs nothing";
  const std::int64_t blocked = stored;
  world.disk.release(sim::DiskHang::data_writes);
  world.run_for(Duration::ms(300));
  EXPECT_GT(stored, blocked + 1024);
  EXPECT_TRUE(world->finish(stores).has_value());
}

TEST(DirtyLimit, AThrottledProcessCanBeKilled) {
  FileWorld world(with_limits(16 * kMiB, 8 * kMiB));
  MappedFile& map = world->map("/m", 64 * kMiB);
  world.disk.hang(sim::DiskHang::data_writes);
  std::int64_t stored = 0;
  world->start(store_pages(map, world->worker(), 8192, stored));
  world.run_for(Duration::s(10));
  EXPECT_EQ(world->worker().wait_place(), WaitPlace::dirty_throttle);
  sim::SimProcess& process = world->process();
  world.kill();
  EXPECT_FALSE(process.alive());
}

TEST(PageCache, SharesItsBytesWithTheDisk) {
  FileWorld world;
  MappedFile& map = world->map("/m", 64 * kMiB);
  const std::string page(4096, 'x');
  for (std::int64_t at = 0; at < 16 * kMiB; at += 4096) {
    ASSERT_TRUE(map.try_store(world->worker(), at, bytes_of(page)));
  }
  const std::size_t before = pool_bytes_in_use();
  ASSERT_TRUE(world->now(map.sync(world->worker(), 0, 64 * kMiB)).has_value());
  EXPECT_LT(pool_bytes_in_use(), before + kMiB);
  world.drop_clean_pages();
  EXPECT_EQ(text_of(*world->now(map.load(world->worker(), 0, 4096))), page);
  EXPECT_LT(pool_bytes_in_use(), before + kMiB);
}

TEST(PageCache, ASparseMappingCostsMemoryForThePagesThatWereTouched) {
  const std::size_t before = pool_bytes_in_use();
  FileWorld world({.disk = {.name = "d0", .capacity_bytes = 4096 * kMiB}});
  MappedFile& map = world->map("/m", 1024 * kMiB);
  for (std::int64_t page = 0; page < 100; ++page) ASSERT_TRUE(store_page(world, map, page * 2600));
  ASSERT_TRUE(world->now(map.sync(world->worker(), 0, 1024 * kMiB)).has_value());
  EXPECT_LT(pool_bytes_in_use() - before, static_cast<std::size_t>(kMiB));
  EXPECT_EQ(text_of(map.try_load(4096, 4)), std::string(4, '\0'));
}

TEST(PageCache, WhatAReaderWasGivenDoesNotChange) {
  FileWorld world;
  MappedFile& map = world->map("/m", 4096);
  ASSERT_TRUE(map.try_store(world->worker(), 0, bytes_of("before")));
  const ByteChain seen = map.try_load(0, 6);
  ASSERT_TRUE(map.try_store(world->worker(), 0, bytes_of("behind")));
  EXPECT_EQ(text_of(seen), "before");
  EXPECT_EQ(text_of(map.try_load(0, 6)), "behind");
}

TEST(PageCache, LockedPagesStayWhenCleanOnesAreDropped) {
  FileWorld world;
  ASSERT_TRUE(world->write("/m", 0, std::string(8192, 'm')).has_value());
  ASSERT_TRUE(world->sync("/m").has_value());
  world.drop_clean_pages();
  MappedFile& map = world->map("/m", 8192);
  EXPECT_TRUE(map.try_load(0, 8192).empty());
  ASSERT_TRUE(world->now(map.lock_memory(world->worker())).has_value());
  world.drop_clean_pages();
  EXPECT_EQ(text_of(map.try_load(0, 8192)), std::string(8192, 'm'));
}

}  // namespace
}  // namespace drydock::test
