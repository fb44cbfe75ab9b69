// What a sync waits for and what it costs; who waits for the journal: Linux I/O model,
// sections 4.1, 4.2 and 4.3. Times are worked out on a profile without chance.
#include <gtest/gtest.h>

#include "tests/support/disk_world.hpp"
#include "tests/support/file_world.hpp"

namespace drydock::test {
namespace {

using sim::DiskHang;

FileWorldOptions flat(sim::DiskProfile profile = flat_profile()) {
  return {.disk = {.name = "d0", .capacity_bytes = 256 << 20, .profile = std::move(profile)}};
}
Duration since(const FileWorld& world, std::int64_t start_ns) {
  return Duration::ns(world.kernel.now() - start_ns);
}

TEST(Sync, OfDataOverWrittenBlocksIsAWriteAndAFlush) {
  FileWorld world(flat());
  ASSERT_TRUE(world->write("/f", 0, "old").has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  ASSERT_TRUE(world->write("/f", 0, "new").has_value());
  const std::int64_t start = world.kernel.now();
  ASSERT_TRUE(world->sync_data("/f").has_value());
  EXPECT_EQ(since(world, start), Duration::us(100 + 30));
}

TEST(Sync, OfEverythingAlsoCommitsTheTimes) {
  FileWorld world(flat());
  ASSERT_TRUE(world->write("/f", 0, "old").has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  world.run_for(Duration::ms(4));
  ASSERT_TRUE(world->write("/f", 0, "new").has_value());
  const std::int64_t start = world.kernel.now();
  ASSERT_TRUE(world->sync("/f").has_value());
  // Data; log; flush; record, written through.
  EXPECT_EQ(since(world, start), Duration::us(100 + 100 + 30 + 100));
}

// Times of files are no finer than a jiffy: a store within the same one leaves them as they are.
TEST(Sync, OfAStoreWithinTheSameJiffyHasNoTimeToCommit) {
  FileWorld world(flat());
  ASSERT_TRUE(world->write("/f", 0, "old").has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  ASSERT_TRUE(world->write("/f", 0, "new").has_value());
  const std::int64_t start = world.kernel.now();
  ASSERT_TRUE(world->sync("/f").has_value());
  EXPECT_EQ(since(world, start), Duration::us(100 + 30));
}

TEST(Sync, OfAnAppendCommitsTheSize) {
  FileWorld world(flat());
  ASSERT_TRUE(world->write("/f", 0, std::string(4096, 'a')).has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  ASSERT_TRUE(world->write("/f", 4096, "b").has_value());
  const std::int64_t start = world.kernel.now();
  ASSERT_TRUE(world->sync_data("/f").has_value());
  EXPECT_EQ(since(world, start), Duration::us(100 + 100 + 30 + 100));
}

TEST(Sync, OfNothingNewIsAFlush) {
  FileWorld world(flat());
  ASSERT_TRUE(world->write("/f", 0, "a").has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  const std::int64_t start = world.kernel.now();
  ASSERT_TRUE(world->sync("/f").has_value());
  EXPECT_EQ(since(world, start), Duration::us(30));
}

TEST(Sync, OfARangeNeitherCommitsNorFlushes) {
  FileWorld world(flat());
  ASSERT_TRUE(world->write("/f", 0, "a").has_value());
  const std::int64_t start = world.kernel.now();
  ASSERT_TRUE(world->now(world->file("/f").sync_range(world->worker(), 0, 4096)).has_value());
  EXPECT_EQ(since(world, start), Duration::us(100));
  world.power_cut();
  EXPECT_EQ(world->read("/f"), "<absent>");
}

// 64 MiB of another file in flight at 50 MiB/s: measured 1.16 to 1.28 s.
TEST(Sync, WaitsBehindWhatIsQueuedAtTheDevice) {
  sim::DiskProfile profile = flat_profile();
  profile.write_bytes_per_s = 50 << 20;
  FileWorld world(flat(profile));
  ASSERT_TRUE(world->write("/big", 0, std::string(64 << 20, 'b')).has_value());
  const Asked<void> big = world->start(world->file("/big").sync_data(world->worker()));
  world.run_for(Duration::ms(1));
  ASSERT_TRUE(world->write("/small", 0, "s").has_value());
  const std::int64_t start = world.kernel.now();
  ASSERT_TRUE(world->sync("/small").has_value());
  EXPECT_GE(since(world, start), Duration::ms(1160));
  EXPECT_LE(since(world, start), Duration::ms(1290));
}

// Delayed allocation: 32 MiB of idle dirty data elsewhere do not delay a sync.
TEST(Sync, DoesNotWaitForDirtyDataOfOtherFiles) {
  sim::DiskProfile profile = flat_profile();
  profile.write_bytes_per_s = 50 << 20;
  FileWorld world(flat(profile));
  ASSERT_TRUE(world->write("/big", 0, std::string(32 << 20, 'b')).has_value());
  ASSERT_TRUE(world->write("/small", 0, "s").has_value());
  const std::int64_t start = world.kernel.now();
  ASSERT_TRUE(world->sync("/small").has_value());
  EXPECT_LE(since(world, start), Duration::ms(40));
}

TEST(Sync, WritesAPageAgainThatWasDirtiedWhileItsWritebackWasUnderWay) {
  FileWorld world(flat());
  MappedFile& map = world->map("/m", 4096);
  ASSERT_TRUE(map.try_store(world->worker(), 0, bytes_of("first")));
  const Asked<void> first = world->start(map.sync(world->worker(), 0, 4096));
  world.run_for(Duration::us(50));
  ASSERT_TRUE(map.try_store(world->worker(), 0, bytes_of("again")));
  ASSERT_TRUE(world->now(map.sync(world->worker(), 0, 4096)).has_value());
  EXPECT_TRUE(first->done());
  world.power_cut();
  EXPECT_EQ(world->read("/m", 0, 5), "again");
}

// A commit that is under way may have sent its flush before this data was written: jbd2 asks
// `jbd2_trans_will_send_data_barrier`. Over all instants of the commit.
TEST(Sync, FlushesItselfIfTheCommitItJoinsHasFlushedBefore) {
  sim::DiskProfile profile = flat_profile();
  profile.volatile_cache = true;
  profile.cache_bytes = 1 << 20;
  profile.force_unit_access = false;
  for (std::int64_t delay = 0; delay < 400; delay += 10) {
    FileWorldOptions options = flat(profile);
    options.kernel.seed = static_cast<std::uint64_t>(delay);
    FileWorld world(options);
    ASSERT_TRUE(world->write("/f", 0, "old").has_value());
    ASSERT_TRUE(world->sync("/f").has_value());
    ASSERT_TRUE(world->write("/f", 0, "new").has_value());
    ASSERT_TRUE(world->write("/other", 0, "x").has_value());
    const Asked<void> other = world->start(world->file("/other").sync_all(world->worker()));
    world.run_for(Duration::us(delay));
    ASSERT_TRUE(world->sync("/f").has_value());
    world.power_cut();
    EXPECT_EQ(world->read("/f"), "new") << "after " << delay << " us";
  }
}

// W2: nothing is wrong with memory, but the log's write hangs and the file's inode is in it.
TEST(HungJournal, StopsAMappedWriterFromTheNextCommitUntilTheReleaseOfTheDisk) {
  FileWorld world(flat());
  MappedFile& map = world->map("/m", 64 << 20);
  ASSERT_TRUE(world->sync("/m").has_value());
  world.settle();
  world.disk.hang(DiskHang::writes);
  const std::int64_t start = world.kernel.now();
  std::int64_t offset = 0;
  while (map.try_store(world->worker(), offset, bytes_of("x"))) {
    offset += 4096;
    world.run_for(Duration::ms(10));
    ASSERT_LT(since(world, start), Duration::s(6));
  }
  EXPECT_GE(since(world, start), Duration::s(5));
  const Asked<void> store =
      world->start(map.store(world->worker(), offset, SharedBytes::copy_of("x")));
  world.run_for(Duration::s(5));
  EXPECT_FALSE(store->done());
  EXPECT_EQ(world->worker().wait_place(), WaitPlace::journal);
  world.disk.release(DiskHang::writes);
  world.run_for(Duration::ms(1));
  EXPECT_TRUE(store->done());
  EXPECT_EQ(world->worker().wait_place(), WaitPlace::none);
}

TEST(HungData, StopsOnlyTheSync) {
  FileWorld world(flat());
  MappedFile& map = world->map("/m", 64 << 20);
  ASSERT_TRUE(world->sync("/m").has_value());
  world.settle();
  Worker& other = world->process().context().workers.add("other");
  world.disk.hang(DiskHang::data_writes);
  ASSERT_TRUE(map.try_store(world->worker(), 0, bytes_of("x")));
  const Asked<void> sync = world->start(map.sync(world->worker(), 0, 4096));
  for (std::int64_t offset = 4096; offset < 1100 * 4096; offset += 4096) {
    world.run_for(Duration::ms(10));
    const std::int64_t start = world.kernel.now();
    const SharedBytes bytes = SharedBytes::copy_of("x");
    ASSERT_TRUE(world->now(map.store(other, offset, bytes)).has_value());
    ASSERT_LE(since(world, start), Duration::us(100)) << "while the journal's blocks are written";
  }
  EXPECT_FALSE(sync->done());
  EXPECT_EQ(world->worker().wait_place(), WaitPlace::writeback);
  world.disk.release(DiskHang::data_writes);
  world.run_for(Duration::ms(10));
  EXPECT_TRUE(sync->done());
}

TEST(Sync, OfADirectoryMakesItsNamesDurable) {
  FileWorld world(flat());
  ASSERT_TRUE(world->now(world->files().create_directories(world->worker(), "/a")).has_value());
  world->file("/a/f");
  ASSERT_TRUE(world->now(world->files().sync_directory(world->worker(), "/a")).has_value());
  world.power_cut();
  EXPECT_EQ(world->read("/a/f"), "");
}

}  // namespace
}  // namespace drydock::test
