// The journal's own waits and its space: handles that hold a commit up (J1), a full log (J3),
// checkpoints, and what a mount replays. Linux I/O model, section 4.2. (J2: fs_sync.cpp.)
#include <gtest/gtest.h>

#include "tests/support/disk_world.hpp"
#include "tests/support/file_world.hpp"

namespace drydock::test {
namespace {

using sim::DiskHang;
using sim::HandleWait;

FileWorldOptions with_journal(std::int64_t journal_bytes) {
  FileWorldOptions options{
      .disk = {.name = "d0", .capacity_bytes = 256 << 20, .profile = flat_profile()}};
  options.files.journal_bytes = journal_bytes;
  return options;
}
FileWorldOptions usual() { return with_journal(0); }

sim::Journal& journal_of(FileWorld& world) { return world.files.mount().journal(); }
std::string path_of(int file) { return "/" + std::to_string(file); }

// A truncate reads the last page with its handle open; until that read returns, the transaction
// cannot be committed, and once its commit is due nobody else gets a handle.
TEST(OpenHandle, StopsEveryNewOneFromTheNextCommitOn) {
  FileWorld world(usual());
  ASSERT_TRUE(world->write("/f", 0, std::string(8192, 'f')).has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  world.settle();
  world.drop_clean_pages();
  world.disk.hang(DiskHang::reads);
  const Asked<void> cut = world->start(world->file("/f").truncate(world->worker(), 5000));
  Worker& other = world->process().context().workers.add("other");
  world.run_for(Duration::ms(4'900));
  ASSERT_TRUE(world->now(world->files().create_directories(other, "/before")).has_value());
  world.run_for(Duration::ms(200));
  const Asked<void> made = world->start(world->files().create_directories(other, "/after"));
  world.run_for(Duration::s(30));
  EXPECT_FALSE(made->done());
  EXPECT_EQ(other.wait_place(), WaitPlace::journal);
  EXPECT_EQ(journal_of(world).waits(HandleWait::locked), 1);
  EXPECT_EQ(journal_of(world).waits(HandleWait::shadow), 0);
  world.disk.release(DiskHang::reads);
  world.run_for(Duration::ms(1));
  EXPECT_TRUE(cut->done());
  EXPECT_TRUE(made->done());
}

TEST(OpenHandle, OfAKilledProcessIsClosed) {
  FileWorld world(usual());
  ASSERT_TRUE(world->write("/f", 0, std::string(8192, 'f')).has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  world.settle();
  world.drop_clean_pages();
  world.disk.hang(DiskHang::reads);
  world->start(world->file("/f").truncate(world->worker(), 5000));
  world.run_for(Duration::s(6));
  world.kill();
  EXPECT_TRUE(world->write("/g", 0, "g").has_value());
  EXPECT_TRUE(world->sync("/g").has_value());
}

TEST(Journal, IsAsLargeAsMke2fsMakesIt) {
  const sim::FileSystemOptions usual_size;
  const sim::FileSystemOptions chosen{.journal_bytes = 32 << 20};
  EXPECT_EQ(sim::VolumeImage(std::int64_t{64} << 20, usual_size).log_end(), 1'024 + 2);
  EXPECT_EQ(sim::VolumeImage(std::int64_t{256} << 20, usual_size).log_end(), 4'096 + 2);
  EXPECT_EQ(sim::VolumeImage(std::int64_t{8} << 30, usual_size).log_end(), 16'384 + 2);
  EXPECT_EQ(sim::VolumeImage(std::int64_t{200} << 30, usual_size).log_end(), 262'144 + 2);
  EXPECT_EQ(sim::VolumeImage(std::int64_t{256} << 20, chosen).log_end(), 8'192 + 2);
}

TEST(Commit, ComesEarlyWhenATransactionHoldsAQuarterOfTheJournal) {
  FileWorld world(with_journal(64 << 12));
  // 16 inodes are in a block: these are 13 of them, of 16 that are a quarter.
  int file = 0;
  for (; file < 200; ++file) world->file(path_of(file));
  world.run_for(Duration::ms(10));
  EXPECT_EQ(journal_of(world).committed(), sim::Tid());
  for (; file < 260; ++file) world->file(path_of(file));
  world.run_for(Duration::ms(10));
  EXPECT_EQ(journal_of(world).committed(), sim::Tid(1));
  world.power_cut();
  EXPECT_EQ(world->read(path_of(100)), "");
}

TEST(Checkpoint, WritesBlocksOfMetadataHomeThirtySecondsAfterTheirCommit) {
  FileWorld world(usual());
  ASSERT_TRUE(world->write("/f", 0, "f").has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  const sim::Checkpoint& checkpoint = journal_of(world).checkpoint();
  // Two inodes in one block, a bitmap.
  EXPECT_EQ(checkpoint.homes(), 2u);
  world.run_for(Duration::ms(29'900));
  EXPECT_EQ(checkpoint.homes(), 2u);
  world.run_for(Duration::ms(200));
  EXPECT_EQ(checkpoint.homes(), 0u);
}

TEST(Checkpoint, OfABlockThatIsCommittedAgainAndAgainIsNotNeeded) {
  FileWorld world(with_journal(64 << 12));
  std::int64_t offset = 0;
  for (int sync = 0; sync < 200; ++sync, offset += 4096) {
    ASSERT_TRUE(world->write("/f", offset, "f").has_value());
    ASSERT_TRUE(world->sync("/f").has_value());
  }
  EXPECT_EQ(journal_of(world).waits(HandleWait::space), 0);
  EXPECT_LT(journal_of(world).checkpoint().used_blocks(), 64);
}

// Every commit has a block of inodes of its own, so the log fills up.
void fill_log(FileWorld& world, int commits) {
  for (int file = 0; file < commits * 16; ++file) {
    ASSERT_TRUE(world->write(path_of(file), 0, "x").has_value());
    if (file % 16 == 15) {
      ASSERT_TRUE(world->sync(path_of(file)).has_value());
    }
  }
}

TEST(FullJournal, MakesHandlesWaitForACheckpoint) {
  FileWorld world(with_journal(64 << 12));
  fill_log(world, 40);
  const std::int64_t waits = journal_of(world).waits(HandleWait::space);
  EXPECT_GT(waits, 0);
  EXPECT_LE(journal_of(world).checkpoint().used_blocks(), 64);
  world.power_cut();
  for (int file = 0; file < 40 * 16; ++file) ASSERT_NE(world->read(path_of(file)), "<absent>");
}

TEST(FullJournal, StopsAMappedWriterForAsLongAsTheCheckpointTakes) {
  FileWorld world(with_journal(64 << 12));
  MappedFile& map = world->map("/m", 64 << 20);
  std::int64_t page = 0;
  const auto store = [&] { return map.try_store(world->worker(), page++ * 4096, bytes_of("x")); };
  int file = 0;
  while (store()) {
    const std::string path = path_of(file++);
    ASSERT_LT(file, 2'000);
    ASSERT_TRUE(world->write(path, 0, "x").has_value());
    if (file % 16 == 0) {
      ASSERT_TRUE(world->sync(path).has_value());
    }
  }
  // Stores in the same jiffy took no handle, so others may have waited before.
  const std::int64_t waits = journal_of(world).waits(HandleWait::space);
  world.disk.hang(DiskHang::writes);
  const Asked<void> stuck =
      world->start(map.store(world->worker(), page * 4096, SharedBytes::copy_of("x")));
  world.run_for(Duration::s(4));  // Before any periodic commit.
  EXPECT_FALSE(stuck->done());
  EXPECT_EQ(journal_of(world).waits(HandleWait::space), waits + 1);
  EXPECT_EQ(world->worker().wait_place(), WaitPlace::journal);
  world.disk.release(DiskHang::writes);
  world.run_for(Duration::ms(10));
  EXPECT_TRUE(stuck->done());
}

// Writeback allocates blocks, so it waits for the journal as everybody does, and with it the worker
// that syncs.
TEST(Writeback, OfPagesWithoutBlocksWaitsForTheJournalToo) {
  FileWorld world(usual());
  ASSERT_TRUE(world->write("/f", 0, "old").has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  world.settle();
  ASSERT_TRUE(world->write("/f", 4096, "new").has_value());
  world->file("/g");
  Worker& other = world->process().context().workers.add("other");
  world.disk.hang(DiskHang::writes);
  const Asked<void> first = world->start(world->file("/g").sync_all(other));
  world.run_for(Duration::ms(1));
  const Asked<void> second = world->start(world->file("/f").sync_data(world->worker()));
  world.run_for(Duration::s(1));
  EXPECT_EQ(world->worker().wait_place(), WaitPlace::journal);
  EXPECT_EQ(journal_of(world).waits(HandleWait::shadow), 1);
  world.disk.release(DiskHang::writes);
  world.run_for(Duration::ms(1));
  EXPECT_TRUE(first->done());
  EXPECT_TRUE(second->done());
  EXPECT_EQ(world->free_bytes() % 4096, 0);
  world.power_cut();
  EXPECT_EQ(world->read("/f", 4096), "new");
}

// A transaction is full when four blocks are in it. Every 16th file has a block of inodes for
// itself and those behind it, so who touches it adds one.
class SmallJournal : public testing::TestWithParam<sim::FsKind> {
 protected:
  static FileWorldOptions options() {
    FileWorldOptions options = with_journal(16 << 12);
    options.files.kind = GetParam();
    options.files.commit_interval = Duration::s(600);
    options.files.log_interval = Duration::s(600);
    return options;
  }
  static void make_files(FileWorld& world) {
    for (int file = 0; file <= 8 * 16; ++file) world->file(path_of(file));
    ASSERT_TRUE(world->sync(in_block(8)).has_value());
    world.settle();
    ASSERT_TRUE(journal_of(world).at_rest());
  }
  static std::string in_block(int block) { return path_of(block * 16); }
  static void touch(FileWorld& world, int block) {
    File& file = world->file(in_block(block));
    ASSERT_TRUE(world->now(file.truncate(world->worker(), 100'000 + ++touched)).has_value());
  }
  static inline int touched = 0;
  // As a transaction is when the last who was let in has filled it.
  static void fill_transaction(FileWorld& world) {
    const sim::Tid committed = journal_of(world).committed();
    for (int block = 1; journal_of(world).must_wait(0) == HandleWait::none; ++block) {
      ASSERT_LE(block, 4);
      touch(world, block);
    }
    ASSERT_EQ(journal_of(world).must_wait(0), HandleWait::locked);
    ASSERT_EQ(journal_of(world).committed(), committed);
  }
};

TEST_P(SmallJournal, FullTransactionIsCommittedForASyncThatAllocates) {
  FileWorld world(options());
  make_files(world);
  ASSERT_TRUE(world->write(in_block(5), 0, "new").has_value());
  fill_transaction(world);
  const std::int64_t waits = journal_of(world).waits(HandleWait::locked);
  ASSERT_TRUE(world->sync(in_block(5)).has_value());
  EXPECT_EQ(journal_of(world).waits(HandleWait::locked), waits + 1);
  world.power_cut();
  EXPECT_EQ(world->read(in_block(5)), "new");
}

// The flusher goes through all dirty files. The commit that it brings about writes one of them: its
// data is ordered.
TEST_P(SmallJournal, FullTransactionIsCommittedForTheFlusher) {
  FileWorld world(options());
  make_files(world);
  ASSERT_TRUE(world->write(in_block(6), 0, std::string(4096, 'o')).has_value());
  ASSERT_TRUE(world->sync(in_block(6)).has_value());
  world.settle();
  const sim::Tid before = journal_of(world).committed();
  ASSERT_TRUE(world->write(in_block(5), 0, "new").has_value());
  ASSERT_TRUE(world->now(world->file(in_block(6)).truncate(world->worker(), 100)).has_value());
  fill_transaction(world);
  EXPECT_EQ(journal_of(world).committed(), before);
  world.run_for(Duration::s(40));
  EXPECT_GT(journal_of(world).committed(), before);
  EXPECT_EQ(world.files.cache().dirty_pages(), 0);
  ASSERT_TRUE(world->sync("/0").has_value());
  ASSERT_TRUE(world->sync(in_block(5)).has_value());
  world.power_cut();
  EXPECT_EQ(world->read(in_block(5)), "new");
  EXPECT_EQ(world->read(in_block(6)), std::string(100, 'o'));
}

// It looks again after each phase of the commit before it.
TEST_P(SmallJournal, CountsOneWaitOfAWriteHoweverOftenItLooks) {
  FileWorld world(options());
  make_files(world);
  ASSERT_TRUE(world->write(in_block(5), 0, "new").has_value());
  touch(world, 7);
  ASSERT_TRUE(world->sync(in_block(7)).has_value());
  ASSERT_TRUE(journal_of(world).at_rest());
  touch(world, 6);
  Worker& other = world->process().context().workers.add("other");
  world.disk.hang(DiskHang::writes);
  const Asked<void> first = world->start(world->file(in_block(6)).sync_all(other));
  world.run_for(Duration::ms(1));
  fill_transaction(world);
  const std::int64_t waits = journal_of(world).waits(HandleWait::locked);
  const std::int64_t shadows = journal_of(world).waits(HandleWait::shadow);
  const Asked<void> second = world->start(world->file(in_block(5)).sync_all(world->worker()));
  world.run_for(Duration::ms(1));
  EXPECT_EQ(world->worker().wait_place(), WaitPlace::journal);
  world.disk.release(DiskHang::writes);
  ASSERT_TRUE(world->finish(first).has_value());
  ASSERT_TRUE(world->finish(second).has_value());
  EXPECT_EQ(journal_of(world).waits(HandleWait::locked), waits + 1);
  EXPECT_EQ(journal_of(world).waits(HandleWait::shadow), shadows);
}

INSTANTIATE_TEST_SUITE_P(Kinds, SmallJournal, testing::Values(sim::FsKind::ext4, sim::FsKind::xfs));

std::int64_t mount_time(FileWorld& world) {
  world.host.lose_power();
  world.run_for(Duration());
  world.host.restore_power();
  world.run_for(Duration());
  FileActor early(world.files, world.host, "early");
  const std::int64_t start = world.kernel.now();
  EXPECT_NE(early.read("/f"), "<absent>");
  const std::int64_t time = world.kernel.now() - start;
  world.power_cut();
  return time;
}

TEST(Mount, TakesTheTimeOfReadingAndReplayingTheLog) {
  FileWorldOptions options = with_journal(64 << 20);
  options.disk.profile.read_bytes_per_s = 100 << 20;
  FileWorld world(options);
  ASSERT_TRUE(world->write("/f", 0, "f").has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  world.settle();
  // Superblock read and written; the profile: 100 us, and 200 us for a cold /f (its inode, its
  // page).
  const std::int64_t empty = mount_time(world);
  EXPECT_GE(empty, Duration::ms(20).count_ns());
  EXPECT_LE(empty, Duration::ms(21).count_ns());
  for (int file = 0; file < 2'560; ++file) {
    world->file(path_of(file));
    if (file % 16 == 15) {
      ASSERT_TRUE(world->sync(path_of(file)).has_value());
    }
  }
  const std::int64_t blocks = journal_of(world).checkpoint().used_blocks();
  EXPECT_GE(blocks, 3 * 160);
  const std::int64_t full = mount_time(world);
  EXPECT_GE(full - empty, blocks * 4096 * 9);  // At 100 MiB/s.
}

}  // namespace
}  // namespace drydock::test
