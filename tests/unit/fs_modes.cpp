// Mount options that change what a crash leaves or who waits: data=, dioread_lock, lazytime, no
// barriers, errors=. Linux I/O model, sections 4.2 to 4.5.
#include <gtest/gtest.h>

#include "tests/support/disk_world.hpp"
#include "tests/support/file_world.hpp"

namespace drydock::test {
namespace {

using sim::DiskHang;
using Kind = sim::DiskCommand::Kind;
using Purpose = sim::DiskCommand::Purpose;
constexpr Error kEio = Error::from_errno(ErrorCode::io_error, 5);

FileWorldOptions flat(sim::FileSystemOptions files = {}) {
  return {.disk = {.name = "d0", .capacity_bytes = 256 << 20, .profile = flat_profile()},
          .files = files};
}
std::optional<ErrorCode> code(const Result<void>& result) {
  if (result) return std::nullopt;
  return result.error().code();
}
template <class T>
std::optional<ErrorCode> code(const Result<T>& result) {
  if (result) return std::nullopt;
  return result.error().code();
}

// Blocks that count from their allocation on: a file's data hangs on its way to the device.
Asked<void> hang_data_of_f(FileWorld& world) {
  EXPECT_TRUE(world->write("/f", 0, std::string(4096, 'f')).has_value());
  world.disk.hang(DiskHang::data_writes);
  Worker& other = world->process().context().workers.add("other");
  const Asked<void> sync = world->start(world->file("/f").sync_range(other, 0, 4096));
  world.run_for(Duration::ms(1));
  return sync;
}

TEST(OrderedData, OfAnotherFileHoldsASyncUpIfItsBlocksCountAtOnce) {
  for (const bool nolock : {true, false}) {
    FileWorld world(flat({.dioread_nolock = nolock}));
    hang_data_of_f(world);
    const Asked<void> made = world->start(world->files().sync_directory(world->worker(), "/"));
    world.run_for(Duration::s(1));
    EXPECT_EQ(made->done(), nolock);
    world.disk.release(DiskHang::data_writes);
    world.run_for(Duration::ms(1));
    EXPECT_TRUE(made->done());
  }
}

// Secrets all over the disk, in a file that is removed; then another file gets their blocks, and
// the power fails while its data is on its way.
std::string found_after_a_cut(std::uint64_t seed, sim::FileSystemOptions files) {
  FileWorldOptions options = flat(files);
  options.kernel.seed = seed;
  options.disk.capacity_bytes = 4 << 20;
  FileWorld world(options);
  const auto length = static_cast<std::size_t>(world->free_bytes() - (64 << 10));
  EXPECT_TRUE(world->write("/old", 0, std::string(length, 's')).has_value());
  EXPECT_TRUE(world->sync("/old").has_value());
  world->close("/old");
  EXPECT_TRUE(world->now(world->files().remove(world->worker(), "/old")).has_value());
  world.settle();
  hang_data_of_f(world);
  world->start(world->files().sync_directory(world->worker(), "/"));
  world.run_for(Duration::s(1));
  world.power_cut();
  return world->read("/f");
}

TEST(WritebackMode, WaitsForNoDataAndShowsWhatTheBlocksHeldBefore) {
  const sim::FileSystemOptions writeback{.data = sim::DataMode::writeback, .dioread_nolock = false};
  const sim::FileSystemOptions ordered{.dioread_nolock = false};
  int exposed = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::string found = found_after_a_cut(seed, writeback);
    EXPECT_EQ(found.size(), 4096u);
    if (found.find('s') != std::string::npos) ++exposed;
    EXPECT_EQ(found_after_a_cut(seed, ordered), "<absent>") << "its commit waits";
  }
  EXPECT_GT(exposed, 0);
}

TEST(Lazytime, SparesAMappedWriterTheWaitForTheJournal) {
  for (const bool lazytime : {false, true}) {
    FileWorld world(flat({.lazytime = lazytime}));
    MappedFile& map = world->map("/m", 64 << 20);
    ASSERT_TRUE(map.try_store(world->worker(), 0, bytes_of("x")));
    ASSERT_TRUE(world->sync("/m").has_value());
    world.settle();
    ASSERT_TRUE(map.try_store(world->worker(), 0, bytes_of("x")));
    world->file("/other");
    world.disk.hang(DiskHang::writes);
    world.run_for(Duration::s(6));
    EXPECT_EQ(map.try_store(world->worker(), 4096, bytes_of("x")), lazytime);
    world.disk.release(DiskHang::writes);
  }
}

TEST(Lazytime, CommitsTheTimesWithAFullSyncAlone) {
  FileWorld world(flat({.lazytime = true}));
  ASSERT_TRUE(world->write("/f", 0, "old").has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  world.settle();
  const sim::Tid before = world.files.mount().journal().committed();
  ASSERT_TRUE(world->write("/f", 0, "new").has_value());
  world.run_for(Duration::s(20));
  ASSERT_TRUE(world->sync_data("/f").has_value());
  EXPECT_EQ(world.files.mount().journal().committed(), before);
  ASSERT_TRUE(world->sync("/f").has_value());
  EXPECT_EQ(world.files.mount().journal().committed(), before.next());
}

sim::DiskProfile cached_profile() {
  sim::DiskProfile profile = flat_profile();
  profile.volatile_cache = true;
  profile.cache_bytes = 64 << 20;
  return profile;
}

TEST(NoBarriers, SyncWithoutAFlush) {
  FileWorld world(flat({.barrier = false}));
  ASSERT_TRUE(world->write("/f", 0, "old").has_value());
  const std::int64_t start = world.kernel.now();
  ASSERT_TRUE(world->sync("/f").has_value());
  EXPECT_EQ(world.kernel.now() - start, Duration::us(100 + 100 + 100).count_ns());
}

// With a volatile cache a sync proves nothing; whatever is found is one of the states that there
// were, or a log that does not add up, which a check mends.
TEST(NoBarriers, LoseWhatWasSyncedIfTheDeviceHasACache) {
  int intact = 0;
  int lost = 0;
  int unmountable = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    FileWorldOptions options = flat({.barrier = false});
    options.kernel.seed = seed;
    options.disk.profile = cached_profile();
    FileWorld world(options);
    for (const char* path : {"/1", "/2", "/3"}) {
      world->file(path);
      ASSERT_TRUE(world->sync(path).has_value());
    }
    world.power_cut();
    const Result<std::vector<FileInfo>> names =
        world->now(world->files().list(world->worker(), "/"));
    if (!names) {
      ++unmountable;
      EXPECT_EQ(names.error().code(), ErrorCode::io_error);
      sim::MediaLog log(world.disk.store());
      static_cast<sim::VolumeImage&>(*world.disk.format()).mend_log(log);
      world.power_cut();
      EXPECT_TRUE(world->now(world->files().list(world->worker(), "/")).has_value());
      continue;
    }
    for (std::size_t i = 0; i < names->size(); ++i) {
      EXPECT_EQ(names->at(i).name, std::to_string(i + 1)) << "in their order";
    }
    ++(names->size() == 3 ? intact : lost);
  }
  EXPECT_GT(lost, 0);
  EXPECT_GT(intact, 0);
  EXPECT_GT(unmountable, 0);
}

// Barriers that the device does not obey are none; an honest flush makes up for them.
TEST(LyingFlush, LosesWhatWasCommittedUntilOneIsObeyed) {
  for (const bool obeyed_at_last : {false, true}) {
    int lost = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      FileWorldOptions options = flat();
      options.kernel.seed = seed;
      options.disk.profile = cached_profile();
      FileWorld world(options);
      const sim::DiskFaultId lie = world.disk.begin({.commands = {}, .effect = sim::FlushLie()});
      world->file("/1");
      ASSERT_TRUE(world->sync("/1").has_value());
      world.disk.end(lie);
      if (obeyed_at_last) {
        world->file("/2");
        ASSERT_TRUE(world->sync("/2").has_value());
      }
      world.power_cut();
      const Result<std::vector<FileInfo>> names =
          world->now(world->files().list(world->worker(), "/"));
      const std::size_t expected = obeyed_at_last ? 2 : 1;
      if (!names || names->size() != expected) ++lost;
    }
    EXPECT_EQ(lost > 0, !obeyed_at_last);
  }
}

TEST(NoBarriers, AreHarmlessWithoutACache) {
  FileWorld world(flat({.barrier = false}));
  ASSERT_TRUE(world->write("/f", 0, "new").has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  world.power_cut();
  EXPECT_EQ(world->read("/f"), "new");
}

// Before Linux 3.11 the whole commit has to be over, its flush included.
TEST(Shadow, LastsForTheWholeCommitInOldKernels) {
  for (const bool old_kernel : {false, true}) {
    FileWorld world(flat({.shadow_until_committed = old_kernel}));
    MappedFile& map = world->map("/m", 64 << 20);
    ASSERT_TRUE(world->sync("/m").has_value());
    world.settle();
    ASSERT_TRUE(map.try_store(world->worker(), 0, bytes_of("x")));
    world.disk.hang(DiskHang::flushes);
    world.run_for(Duration::s(6));
    EXPECT_EQ(map.try_store(world->worker(), 4096, bytes_of("x")), !old_kernel);
    world.disk.release(DiskHang::flushes);
    world.run_for(Duration::ms(1));
    EXPECT_TRUE(map.try_store(world->worker(), 4096, bytes_of("x")));
  }
}

TEST(Errors, ADataErrorAbortsTheJournalOnlyIfToldSo) {
  for (const bool abort : {false, true}) {
    FileWorld world(flat({.abort_on_data_error = abort}));
    ASSERT_TRUE(world->write("/f", 0, "f").has_value());
    world.disk.fail_next(Kind::write, Purpose::data, 1, kEio);
    EXPECT_EQ(code(world->sync("/f")), ErrorCode::io_error);
    const Result<void> made = world->now(world->files().create_directories(world->worker(), "/d"));
    EXPECT_EQ(code(made), abort ? std::optional(ErrorCode::read_only) : std::nullopt);
  }
}

TEST(Errors, OfAnAbortedJournalPanicTheHostIfToldSo) {
  for (const bool panic : {false, true}) {
    sim::FileSystemOptions files;
    if (panic) files.errors = sim::ErrorsPolicy::panic;
    FileWorld world(flat(files));
    ASSERT_TRUE(world->write("/f", 0, "f").has_value());
    world->start(world->file("/f").sync_all(world->worker()));
    world.disk.fail_next(Kind::write, Purpose::journal, 1, kEio);
    world.run_for(Duration::ms(10));
    EXPECT_EQ(world.host.powered(), !panic);
  }
}

// A reservation that another host holds: what the page cache had is lost for ever, and so is the
// journal. (The conflict keeps its own code on its way to who syncs.)
TEST(Errors, OfAReservationConflictAreThoseOfAnyFailedWrite) {
  FileWorld world(flat());
  ASSERT_TRUE(world->write("/f", 0, "old").has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  world.settle();
  const Error conflict = Error::from_nvme(ErrorCode::reservation_conflict, 0x083);
  world.disk.fail_next(Kind::write, 1 << 30, conflict);
  ASSERT_TRUE(world->write("/f", 0, "new").has_value());
  EXPECT_EQ(code(world->sync_data("/f")), ErrorCode::reservation_conflict);
  EXPECT_EQ(world->read("/f"), "new") << "until it is evicted";
  EXPECT_EQ(code(world->sync_data("/f")), std::nullopt) << "reported once";
  world.run_for(Duration::s(6));  // The commit of the times.
  EXPECT_EQ(code(world->write("/f", 4096, "x")), ErrorCode::read_only);
  EXPECT_EQ(code(world->sync("/f")), ErrorCode::read_only);
  world.drop_clean_pages();
  EXPECT_EQ(world->read("/f"), "old");
}

// After a boot metadata has to be read: the block of inodes that a name leads to.
class ColdMetadata : public testing::TestWithParam<sim::ErrorsPolicy> {};

TEST_P(ColdMetadata, ThatCannotBeReadFollowsThePolicy) {
  FileWorld world(flat({.errors = GetParam()}));
  ASSERT_TRUE(world->write("/f", 0, "f").has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  world.power_cut();
  world.disk.fail_next(Kind::read, Purpose::journal, 1, kEio);
  const OpenOptions options;
  const Asked<std::unique_ptr<File>> opened =
      world->start(world->files().open(world->worker(), "/f", options));
  world.run_for(Duration::ms(10));
  if (GetParam() == sim::ErrorsPolicy::panic) {
    EXPECT_FALSE(world.host.powered());
    return;
  }
  ASSERT_TRUE(opened->done());
  EXPECT_EQ(code(*opened->result), ErrorCode::io_error);
  EXPECT_EQ(world->read("/f"), "f") << "the next read succeeds";
  const Result<void> made = world->now(world->files().create_directories(world->worker(), "/d"));
  const bool read_only = GetParam() == sim::ErrorsPolicy::remount_ro;
  EXPECT_EQ(code(made), read_only ? std::optional(ErrorCode::read_only) : std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(Errors, ColdMetadata,
                         testing::Values(sim::ErrorsPolicy::go_on, sim::ErrorsPolicy::remount_ro,
                                         sim::ErrorsPolicy::panic));

TEST(Inodes, AreLimited) {
  FileWorldOptions options = flat();
  options.disk.capacity_bytes = 4 << 20;
  FileWorld world(options);
  // One for every 16 KiB of the disk; the root is one.
  int made = 0;
  for (; made < 300; ++made) {
    const OpenOptions create{.create = Create::if_missing};
    const Result<std::unique_ptr<File>> file =
        world->now(world->files().open(world->worker(), "/" + std::to_string(made), create));
    if (!file) {
      EXPECT_EQ(code(file), ErrorCode::no_space);
      break;
    }
  }
  EXPECT_EQ(made, 255);
  EXPECT_EQ(code(world->now(world->files().create_directories(world->worker(), "/d"))),
            ErrorCode::no_space);
}

}  // namespace
}  // namespace drydock::test
