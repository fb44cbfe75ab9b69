// ext4 with data=journal: data goes through the log, and home from there. What follows for who
// waits, for what the log has room for, and for what is found after a loss of power. (What a crash
// leaves of each pattern: fs_crash_table.cpp.) The reference has measured data=ordered alone: this
// follows from how ext4 and jbd2 are described.
#include <gtest/gtest.h>

#include "tests/support/disk_world.hpp"
#include "tests/support/file_world.hpp"

namespace drydock::test {
namespace {

using sim::DiskHang;
using sim::HandleWait;
using Kind = sim::DiskCommand::Kind;
using Purpose = sim::DiskCommand::Purpose;
constexpr Error kEio = Error::from_errno(ErrorCode::io_error, 5);

FileWorldOptions journalled(sim::DiskProfile profile = flat_profile(),
                            std::int64_t journal_bytes = 0) {
  FileWorldOptions options{
      .disk = {.name = "d0", .capacity_bytes = 256 << 20, .profile = std::move(profile)}};
  options.files.data = sim::DataMode::journal;
  options.files.journal_bytes = journal_bytes;
  return options;
}
sim::Journal& journal_of(FileWorld& world) { return world.files.mount().journal(); }

// What the media hold where the first pages of the file have their home.
std::string at_home(FileWorld& world, const std::string& path, std::int64_t pages) {
  std::string found;
  for (const sim::BlockRun& run : world.files.mount().blocks_of(path, {0, pages})) {
    found += text_of(world.disk.store().read(run.block * 4096, run.count * 4096));
  }
  return found;
}

const std::string kOld(16 * 4096, 'o');
const std::string kNew(16 * 4096, 'n');

// "o" is durable and at home in 16 pages of /f.
void with_old_file(FileWorld& world) {
  ASSERT_TRUE(world->write("/f", 0, kOld).has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  world.settle();
  ASSERT_EQ(at_home(world, "/f", 16), kOld);
}

TEST(DataJournal, SyncIsACommitThatHoldsTheData) {
  FileWorld world(journalled());
  with_old_file(world);
  ASSERT_TRUE(world->write("/f", 0, kNew).has_value());
  const std::int64_t start = world.kernel.now();
  ASSERT_TRUE(world->sync_data("/f").has_value());
  // Log; flush; record. Nothing is written home.
  EXPECT_EQ(world.kernel.now() - start, Duration::us(100 + 30 + 100).count_ns());
  EXPECT_EQ(at_home(world, "/f", 16), kOld);
  // 16 pages, their inode, a descriptor, the record. (The first commit has become unneeded.)
  EXPECT_EQ(journal_of(world).checkpoint().homes(), 17u);
  world.power_cut();
  EXPECT_EQ(at_home(world, "/f", 16), kNew) << "replayed before anybody reads it";
  EXPECT_EQ(world->read("/f"), kNew);
}

TEST(DataJournal, SyncCommitsWhatThereIsOfAnyFileAndNothingElseCostsAFlush) {
  FileWorld world(journalled());
  with_old_file(world);
  ASSERT_TRUE(world->write("/other", 0, "other").has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  const std::int64_t start = world.kernel.now();
  ASSERT_TRUE(world->sync("/f").has_value());
  EXPECT_EQ(world.kernel.now(), start);
  world.power_cut();
  EXPECT_EQ(world->read("/other"), "other");
}

TEST(DataJournal, SyncOfPagesAloneProvesNothing) {
  FileWorld world(journalled());
  ASSERT_TRUE(world->write("/f", 0, kNew).has_value());
  ASSERT_TRUE(world->now(world->file("/f").sync_range(world->worker(), 0, 4096)).has_value());
  world.power_cut();
  EXPECT_EQ(world->read("/f"), "<absent>");
}

TEST(DataJournal, CheckpointBringsDataHomeThirtySecondsAfterItsCommit) {
  FileWorld world(journalled());
  with_old_file(world);
  ASSERT_TRUE(world->write("/f", 0, kNew).has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  world.run_for(Duration::ms(29'900));
  EXPECT_EQ(at_home(world, "/f", 16), kOld);
  world.run_for(Duration::ms(200));
  EXPECT_EQ(at_home(world, "/f", 16), kNew);
  EXPECT_EQ(journal_of(world).checkpoint().homes(), 0u);
}

TEST(DataJournal, GivesBlocksAtOnceBecauseNothingIsDelayed) {
  for (const sim::DataMode mode : {sim::DataMode::journal, sim::DataMode::ordered}) {
    FileWorldOptions options = journalled();
    options.files.data = mode;
    FileWorld world(options);
    ASSERT_TRUE(world->write("/f", 0, kNew).has_value());
    const bool at_once = mode == sim::DataMode::journal;
    EXPECT_EQ(world.files.mount().blocks_of("/f", {0, 16}).empty(), !at_once);
  }
}

// A commit takes a mapped page as it is at that moment, and write-protects it: what is stored later
// is the next one's.
TEST(DataJournal, CommitsMappedPagesAsTheyWere) {
  FileWorld world(journalled());
  MappedFile& map = world->map("/m", 8192);
  ASSERT_TRUE(world->sync("/m").has_value());
  world.settle();
  ASSERT_TRUE(map.try_store(world->worker(), 0, bytes_of("first")));
  ASSERT_TRUE(map.try_store(world->worker(), 4096, bytes_of("second")));
  world.run_for(Duration::ms(5'010));
  ASSERT_TRUE(map.try_store(world->worker(), 0, bytes_of("later")));
  world.power_cut();
  EXPECT_EQ(world->read("/m", 0, 5), "first");
  EXPECT_EQ(world->read("/m", 4096, 6), "second");
}

// A page on its way to the log is shadow: who stores into it waits for that write, and for no more.
TEST(DataJournal, StopsAStoreIntoAPageThatIsBeingLogged) {
  FileWorld world(journalled());
  MappedFile& map = world->map("/m", 8192);
  ASSERT_TRUE(world->sync("/m").has_value());
  world.settle();
  ASSERT_TRUE(map.try_store(world->worker(), 0, bytes_of("first")));
  Worker& other = world->process().context().workers.add("other");
  const Asked<void> sync = world->start(map.sync(other, 0, 8192));
  world.run_for(Duration::us(50));
  EXPECT_FALSE(map.try_store(world->worker(), 0, bytes_of("later")));
  const Asked<void> stored =
      world->start(map.store(world->worker(), 0, SharedBytes::copy_of("later")));
  world.run_for(Duration::us(40));
  EXPECT_EQ(world->worker().wait_place(), WaitPlace::journal);
  world.run_for(Duration::us(20));
  EXPECT_TRUE(stored->done());
  EXPECT_FALSE(sync->done()) << "its flush is under way";
  world.run_for(Duration::ms(1));
  EXPECT_TRUE(sync->done());
  world.power_cut();
  EXPECT_EQ(world->read("/m", 0, 5), "first");
}

// Writes of homes hang, writes of the log do not.
TEST(DataJournal, SyncDoesNotWaitForADeviceThatHangsOnDataAlone) {
  FileWorld world(journalled());
  with_old_file(world);
  world.disk.hang(DiskHang::data_writes);
  ASSERT_TRUE(world->write("/f", 0, kNew).has_value());
  const std::int64_t start = world.kernel.now();
  ASSERT_TRUE(world->sync("/f").has_value());
  EXPECT_EQ(world.kernel.now() - start, Duration::us(100 + 30 + 100).count_ns());
}

TEST(DataJournal, CommitComesEarlyWhenDataIsAQuarterOfTheLog) {
  FileWorld world(journalled(flat_profile(), 64 << 12));
  world->file("/f");
  ASSERT_TRUE(world->sync("/f").has_value());
  const sim::Tid before = journal_of(world).committed();
  for (int page = 0; page < 16; ++page) {
    ASSERT_TRUE(world->write("/f", page * 4096, std::string(4096, 'f')).has_value());
  }
  world.run_for(Duration::ms(10));
  EXPECT_GT(journal_of(world).committed(), before);
}

TEST(DataJournal, IsRefusedWithALogThatHasNoRoomForAPage) {
  EXPECT_DEATH(FileWorld(journalled(flat_profile(), 35 << 12)), "ENSURE failed");
  FileWorld world(journalled(flat_profile(), 36 << 12));
  std::int64_t most = 0;
  for (int page = 0; page < 300; ++page) {
    ASSERT_TRUE(world->write("/f", page * 4096, std::string(4096, 'f')).has_value());
    if (page % 7 == 0) {
      ASSERT_TRUE(world->sync("/f").has_value());
    }
    most = std::max(most, journal_of(world).checkpoint().used_blocks());
  }
  EXPECT_GT(most, 18);
  EXPECT_LE(most, 36);
}

// J3: three quarters of the log are full of data that cannot go home.
TEST(DataJournal, WriterWaitsForSpaceInTheLogUntilItsDataIsHome) {
  FileWorld world(journalled(flat_profile(), 64 << 12));
  world->file("/f");
  world.disk.hang(DiskHang::data_writes);
  const std::string much(100 * 4096, 'm');
  const Asked<void> write =
      world->start(world->file("/f").write_at(world->worker(), 0, SharedBytes::copy_of(much)));
  world.run_for(Duration::s(4));
  EXPECT_FALSE(write->done());
  EXPECT_EQ(world->worker().wait_place(), WaitPlace::journal);
  EXPECT_GT(journal_of(world).waits(HandleWait::space), 0);
  EXPECT_LE(journal_of(world).checkpoint().used_blocks(), 64);
  world.disk.release(DiskHang::data_writes);
  world.run_for(Duration::ms(100));
  EXPECT_TRUE(write->done());
  ASSERT_TRUE(world->sync("/f").has_value());
  world.power_cut();
  EXPECT_EQ(world->read("/f"), much);
}

// More than may be dirty: nobody can write those pages before they are committed, so that happens.
TEST(DataJournal, FlusherHasTheTransactionCommitted) {
  FileWorldOptions options = journalled();
  options.files.page_cache.dirty_bytes = 1 << 20;
  options.files.page_cache.dirty_background_bytes = 512 << 10;
  FileWorld world(options);
  for (int round = 0; round < 8; ++round) {
    ASSERT_TRUE(world->write("/f", 0, std::string(1 << 20, 'f')).has_value());
  }
  EXPECT_GT(journal_of(world).committed(), sim::Tid());
  EXPECT_LT(world.kernel.now(), Duration::s(5).count_ns());
}

// Clean and not at home: Linux cannot evict such a page, so it is never read from its old home.
TEST(DataJournal, EvictedPagesAreReadFromTheLog) {
  FileWorld world(journalled());
  with_old_file(world);
  ASSERT_TRUE(world->write("/f", 0, kNew).has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  world.drop_clean_pages();
  const std::int64_t start = world.kernel.now();
  EXPECT_EQ(world->read("/f"), kNew);
  EXPECT_EQ(world.kernel.now(), start) << "no I/O";
  world.drop_clean_pages();
  MappedFile& map = world->map("/f", 16 * 4096);
  EXPECT_EQ(text_of(*world->now(map.load(world->worker(), 4096, 3))), "nnn");
  ASSERT_TRUE(world->now(world->file("/f").truncate(world->worker(), 4097)).has_value());
  EXPECT_EQ(world->read("/f"), kNew.substr(0, 4097));
}

// On a disk that tears pages, at every moment of the way home.
TEST(DataJournal, ReplayMendsHomesThatALossOfPowerTore) {
  int torn = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    FileWorldOptions options = journalled(sim::sata_ssd());
    options.kernel.seed = seed;
    FileWorld world(options);
    with_old_file(world);
    ASSERT_TRUE(world->write("/f", 0, kNew).has_value());
    ASSERT_TRUE(world->sync("/f").has_value());
    const std::int64_t limit = world.kernel.now() + Duration::s(31).count_ns();
    const sim::Checkpoint& checkpoint = journal_of(world).checkpoint();
    ASSERT_TRUE(world.kernel.run_while_not([&] { return checkpoint.homes() < 17; }, limit));
    const std::vector<sim::BlockRun> home = world.files.mount().blocks_of("/f", {0, 16});
    world.host.lose_power();
    world.run_for(Duration());
    const std::string left = text_of(world.disk.store().read(home.front().block * 4096, 16 * 4096));
    if (left != kOld && left != kNew) ++torn;
    world.power_cut();
    EXPECT_EQ(world->read("/f"), kNew);
  }
  EXPECT_GT(torn, 0);
}

// The log is kept until all of it is at home: a second loss of power in the middle costs nothing.
TEST(DataJournal, ReplayThatIsInterruptedBeginsAnew) {
  for (std::int64_t delay_us = 0; delay_us < 1500; delay_us += 100) {
    FileWorld world(journalled());
    with_old_file(world);
    ASSERT_TRUE(world->write("/f", 0, kNew).has_value());
    ASSERT_TRUE(world->sync("/f").has_value());
    world.host.lose_power();
    world.run_for(Duration());
    world.host.restore_power();
    world.run_for(Duration::us(delay_us));
    world.power_cut();
    EXPECT_EQ(world->read("/f"), kNew) << "after " << delay_us << " us";
  }
}

// jbd2 forgets and revokes what the log holds of blocks that have been freed: neither a checkpoint
// nor a replay writes it.
TEST(DataJournal, ForgetsWhatARemovedFileHeld) {
  FileWorld world(journalled());
  with_old_file(world);
  ASSERT_TRUE(world->write("/f", 0, kNew).has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  const auto& image = static_cast<const sim::VolumeImage&>(*world.disk.format());
  EXPECT_EQ(image.data_in_log().size(), 16u);
  world->close("/f");
  ASSERT_TRUE(world->now(world->files().remove(world->worker(), "/f")).has_value());
  ASSERT_TRUE(world->now(world->files().sync_directory(world->worker(), "/")).has_value());
  EXPECT_TRUE(image.data_in_log().empty());
  EXPECT_EQ(journal_of(world).checkpoint().homes(), 2u) << "inodes and a bitmap";
}

TEST(DataJournal, LeavesTheNextOwnerOfABlockAlone) {
  for (const bool crash : {false, true}) {
    FileWorldOptions options = journalled();
    options.disk.capacity_bytes = 8 << 20;
    FileWorld world(options);
    const auto length = static_cast<std::size_t>(world->free_bytes() - (64 << 10));
    const std::string first(length, '1');
    const std::string second(length, '2');
    ASSERT_TRUE(world->write("/1", 0, first).has_value());
    ASSERT_TRUE(world->sync("/1").has_value());
    world->close("/1");
    ASSERT_TRUE(world->now(world->files().remove(world->worker(), "/1")).has_value());
    ASSERT_TRUE(world->write("/2", 0, second).has_value());
    ASSERT_TRUE(world->sync("/2").has_value());
    if (crash) world.power_cut();
    world.settle();
    world.drop_clean_pages();
    EXPECT_EQ(world->read("/2") == second, true);
  }
}

// Everything that one process does is found up to some moment, and nothing behind it.
TEST(DataJournal, KeepsTheOrderOfWritesToDifferentFiles) {
  int some = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    FileWorldOptions options = journalled(sim::sata_ssd());
    options.kernel.seed = seed;
    options.files.commit_interval = Duration::ms(1);
    FileWorld world(options);
    for (const char* path : {"/0", "/1", "/2"}) ASSERT_TRUE(world->sync(path).has_value());
    for (std::int64_t number = 0; number < 60; ++number) {
      const std::string path = "/" + std::to_string(number % 3);
      ASSERT_TRUE(world->write(path, number / 3 * 100, std::string(100, 'x')).has_value());
      world.run_for(Duration::us(static_cast<std::int64_t>(seed) * 3));
    }
    world.power_cut();
    std::int64_t found = 0;
    for (const char* path : {"/0", "/1", "/2"}) {
      found += static_cast<std::int64_t>(world->read(path).size()) / 100;
    }
    for (std::int64_t file = 0; file < 3; ++file) {
      const std::string content = world->read("/" + std::to_string(file));
      EXPECT_EQ(content, std::string(static_cast<std::size_t>((found + 2 - file) / 3) * 100, 'x'));
    }
    if (found > 0 && found < 60) ++some;
  }
  EXPECT_GT(some, 0);
}

TEST(DataJournal, MakesDirectIoBuffered) {
  FileWorld world(journalled());
  const OpenOptions direct{.create = Create::if_missing, .caching = Caching::direct};
  File& file = world->file("/f", direct);
  EXPECT_TRUE(
      world->now(file.write_at(world->worker(), 0, SharedBytes::copy_of("odd"))).has_value());
  EXPECT_EQ(world.files.cache().dirty_pages(), 1);
  const std::int64_t start = world.kernel.now();
  EXPECT_EQ(text_of(*world->now(file.read_at(world->worker(), 1, 2))), "dd");
  EXPECT_EQ(world.kernel.now(), start);
  world.power_cut();
  EXPECT_EQ(world->read("/f"), "<absent>");
}

TEST(DataJournal, ErrorOfALogWriteLosesTheDataAndEndsWriting) {
  FileWorld world(journalled());
  with_old_file(world);
  ASSERT_TRUE(world->write("/f", 0, kNew).has_value());
  world.disk.fail_next(Kind::write, Purpose::journal, 1, kEio);
  EXPECT_EQ(world->sync("/f").error().code(), ErrorCode::io_error);
  EXPECT_EQ(world->write("/f", 0, "x").error().code(), ErrorCode::read_only);
  EXPECT_EQ(world->read("/f"), kNew) << "until it is evicted";
  world.drop_clean_pages();
  EXPECT_EQ(world->read("/f"), kOld);
}

// Of a home: nothing is lost, because the log has it; but the journal is given up.
TEST(DataJournal, ErrorOnTheWayHomeEndsWritingAndLosesNothing) {
  FileWorld world(journalled());
  with_old_file(world);
  ASSERT_TRUE(world->write("/f", 0, kNew).has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  world.disk.fail_next(Kind::write, Purpose::data, 1, kEio);
  world.run_for(Duration::s(31));
  EXPECT_EQ(world->write("/f", 0, "x").error().code(), ErrorCode::read_only);
  world.power_cut();
  EXPECT_EQ(world->read("/f"), kNew);
}

TEST(DataJournal, IsAllAtHomeAfterAnUnmount) {
  FileWorld world(journalled());
  with_old_file(world);
  ASSERT_TRUE(world->write("/f", 0, kNew).has_value());
  world->close("/f");
  const auto quiesce = [](sim::Mount& mount, Worker& worker) -> Task<Result<void>> {
    co_await mount.quiesce(worker);
    co_return Result<void>();
  };
  ASSERT_TRUE(world->now(quiesce(world.files.mount(), world->worker())).has_value());
  EXPECT_EQ(at_home(world, "/f", 16), kNew);
  const auto& image = static_cast<const sim::VolumeImage&>(*world.disk.format());
  EXPECT_TRUE(image.data_in_log().empty());
  EXPECT_EQ(image.log().blocks, 0);
}

}  // namespace
}  // namespace drydock::test
