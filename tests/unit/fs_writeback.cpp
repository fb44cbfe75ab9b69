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

TEST(Flusher, StartsAtTheBackgroundLimitAndStopsBelowIt) {
  FileWorld world(with_limits(64 * kMiB, 16 * kMiB));
  MappedFile& map = world->map("/m", 64 * kMiB);
  for (std::int64_t page = 0; page < 4096; ++page) ASSERT_TRUE(store_page(world, map, page));
  world.run_for(Duration::ms(1));
  EXPECT_EQ(world.files.cache().dirty_pages(), 4096);
  ASSERT_TRUE(store_page(world, map, 4096));
  world.run_for(Duration::ms(10));
  EXPECT_EQ(world.files.cache().dirty_pages(), 4097 - 1024);  // One chunk of 4 MiB.
  EXPECT_EQ(world.files.cache().writeback_pages(), 0);
}

TEST(DirtyLimit, BlocksAWriterUntilAWritebackEnds) {
  FileWorld world(with_limits(16 * kMiB, 8 * kMiB));
  MappedFile& map = world->map("/m", 64 * kMiB);
  world.disk.hang(sim::DiskHang::data_writes);
  std::int64_t page = 0;
  while (store_page(world, map, page)) ++page;
  EXPECT_EQ(page, 4096);
  const Asked<void> store =
      world->start(map.store(world->worker(), page * 4096, SharedBytes::copy_of("x")));
  world.run_for(Duration::s(3));
  EXPECT_FALSE(store->done());
  EXPECT_EQ(world->worker().wait_place(), WaitPlace::dirty_throttle);
  EXPECT_TRUE(store_page(world, map, page - 1)) << "a page that is dirty already costs nothing";
  world.disk.release(sim::DiskHang::data_writes);
  world.run_for(Duration::ms(10));
  EXPECT_TRUE(store->done());
}

TEST(DirtyLimit, HoldsForBufferedWritesToo) {
  FileWorld world(with_limits(1 * kMiB, 512 << 10));
  const SharedBytes bytes = SharedBytes::copy_of(std::string(8 * kMiB, 'b'));
  ASSERT_TRUE(world->now(world->file("/f").write_at(world->worker(), 0, bytes)).has_value());
  EXPECT_LE(world.files.cache().dirty_pages() + world.files.cache().writeback_pages(), 256);
  EXPECT_EQ(world->read("/f"), std::string(8 * kMiB, 'b'));
}

TEST(DirtyLimit, AThrottledProcessCanBeKilled) {
  FileWorld world(with_limits(16 * kMiB, 8 * kMiB));
  MappedFile& map = world->map("/m", 64 * kMiB);
  world.disk.hang(sim::DiskHang::data_writes);
  std::int64_t page = 0;
  while (store_page(world, map, page)) ++page;
  world->start(map.store(world->worker(), page * 4096, SharedBytes::copy_of("x")));
  world.run_for(Duration::ms(1));
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

TEST(PageCache, AMajorFaultReadsAheadUnlessTheAdviceIsRandom) {
  FileWorld world;
  ASSERT_TRUE(world->write("/m", 0, std::string(kMiB, 'm')).has_value());
  ASSERT_TRUE(world->sync("/m").has_value());
  world.drop_clean_pages();
  MappedFile& map = world->map("/m", kMiB);
  ASSERT_TRUE(map.advise(Advice::random).has_value());
  ASSERT_TRUE(world->now(map.load(world->worker(), 0, 1)).has_value());
  EXPECT_TRUE(map.try_load(4096, 1).empty());
  ASSERT_TRUE(map.advise(Advice::normal).has_value());
  ASSERT_TRUE(world->now(map.load(world->worker(), 4096, 1)).has_value());
  EXPECT_EQ(map.try_load(4096, 128 << 10).size(), 128u << 10);
  EXPECT_TRUE(map.try_load(4096 + (128 << 10), 1).empty());
}

}  // namespace
}  // namespace drydock::test
