// A file system that makes a change of names durable with a sync of the directory, or by itself
// every so often, but not with a sync of the file: what fsync(2) and POSIX allow, and KAFKA-3968
// and ClickHouse#116316 tell of.
#include <gtest/gtest.h>

#include "tests/support/file_world.hpp"

namespace drydock::test {
namespace {

constexpr std::int64_t kTwoPages = 8192;
const std::string kOld(kTwoPages, 'o');
const std::string kNew(kTwoPages, 'n');
const std::string kAbsent = "<absent>";

FileWorldOptions with_directories(sim::FileSystemOptions files = {}) {
  files.names = sim::NamesDurable::with_directory_sync;
  return {.files = files};
}

// Each way to make names durable, in each kind of log.
std::vector<sim::FileSystemOptions> logs() {
  return {{.kind = sim::FsKind::ext4},
          {.kind = sim::FsKind::ext4, .data = sim::DataMode::journal},
          {.kind = sim::FsKind::xfs}};
}

void make_synced(FileWorld& world, const std::string& path, const std::string& content) {
  ASSERT_TRUE(world->write(path, 0, content).has_value());
  ASSERT_TRUE(world->sync(path).has_value());
}
void sync_directory(FileWorld& world, const std::string& path) {
  ASSERT_TRUE(world->now(world->files().sync_directory(world->worker(), path)).has_value());
}
void rename(FileWorld& world, const std::string& from, const std::string& to) {
  ASSERT_TRUE(world->now(world->files().rename(world->worker(), from, to)).has_value());
}

TEST(NamesWithDirectories, ASyncOfTheFileKeepsItAndNotItsName) {
  for (const sim::FileSystemOptions& log : logs()) {
    for (const bool synced : {false, true}) {
      FileWorld world(with_directories(log));
      const std::int64_t free = world->free_bytes();
      make_synced(world, "/f", kNew);
      if (synced) sync_directory(world, "/");
      world.power_cut();
      EXPECT_EQ(world->read("/f"), synced ? kNew : kAbsent);
      // What nobody can find takes no room.
      world.settle();
      EXPECT_EQ(world->free_bytes() == free, !synced);
    }
  }
}

TEST(NamesWithDirectories, ItIsTheOptionThatLosesTheName) {
  for (const sim::FileSystemOptions& log : logs()) {
    FileWorld world({.files = log});
    make_synced(world, "/f", kNew);
    world.power_cut();
    EXPECT_EQ(world->read("/f"), kNew);
  }
}

// Syncs of others, ten a second, commit the journal and take the name along no earlier than it is
// due: 5 s after it was made, or at the next 30 s of the mount's life.
TEST(NamesWithDirectories, TheFileSystemCommitsThemByItselfWhateverIsSynced) {
  for (const sim::FileSystemOptions& log : logs()) {
    const bool xfs = log.kind == sim::FsKind::xfs;
    const Duration due = xfs ? Duration::s(30) : Duration::s(5);
    for (const Duration wait : {due - Duration::s(1), due + Duration::s(1)}) {
      FileWorld world(with_directories(log));
      make_synced(world, "/another", kOld);
      sync_directory(world, "/");
      make_synced(world, "/f", kNew);
      while (world.kernel.now() < wait.count_ns()) {
        ASSERT_TRUE(world->write("/another", 0, kOld).has_value());
        ASSERT_TRUE(world->sync("/another").has_value());
        world.run_for(Duration::ms(100));
      }
      world.power_cut();
      EXPECT_EQ(world->read("/f"), wait > due ? kNew : kAbsent);
      EXPECT_EQ(world->read("/another"), kOld);
    }
  }
}

// Renames and removals are names as well, and none overtakes another.
TEST(NamesWithDirectories, ARenameOverIsOldOrNew) {
  for (const sim::FileSystemOptions& log : logs()) {
    for (const bool synced : {false, true}) {
      FileWorld world(with_directories(log));
      make_synced(world, "/f", kOld);
      sync_directory(world, "/");
      make_synced(world, "/f.tmp", kNew);
      rename(world, "/f.tmp", "/f");
      make_synced(world, "/another", kOld);
      if (synced) sync_directory(world, "/");
      world.power_cut();
      EXPECT_EQ(world->read("/f"), synced ? kNew : kOld);
      EXPECT_EQ(world->read("/f.tmp"), kAbsent);
      EXPECT_EQ(world->read("/another"), synced ? kOld : kAbsent);
    }
  }
}

TEST(NamesWithDirectories, ARemovedFileComesBackUntilThen) {
  for (const bool synced : {false, true}) {
    FileWorld world(with_directories());
    make_synced(world, "/f", kOld);
    sync_directory(world, "/");
    world->close("/f");
    ASSERT_TRUE(world->now(world->files().remove(world->worker(), "/f")).has_value());
    make_synced(world, "/another", kNew);
    if (synced) sync_directory(world, "/");
    world.power_cut();
    EXPECT_EQ(world->read("/f"), synced ? kAbsent : kOld);
  }
}

// A sync of a directory while the names are on their way with another's waits for that.
TEST(NamesWithDirectories, TwoSyncsOfDirectoriesAtOnceBothKeepTheNames) {
  FileWorld world(with_directories());
  make_synced(world, "/f", kNew);
  Worker& other = world->process().context().workers.add("other");
  const Asked<void> first = world->start(world->files().sync_directory(world->worker(), "/"));
  const Asked<void> second = world->start(world->files().sync_directory(other, "/"));
  ASSERT_TRUE(world->finish(second).has_value());
  world.power_cut();
  EXPECT_EQ(world->read("/f"), kNew);
}

// Whoever needs the room of a removed file gets it, though nobody syncs the directory.
TEST(NamesWithDirectories, TheRoomOfARemovedFileComesBackWhenItIsNeeded) {
  FileWorldOptions options = with_directories();
  options.disk.capacity_bytes = 16 << 20;
  FileWorld world(options);
  const std::string large(static_cast<std::size_t>(world->free_bytes()) / 4 * 3, 'l');
  make_synced(world, "/f", large);
  world->close("/f");
  ASSERT_TRUE(world->now(world->files().remove(world->worker(), "/f")).has_value());
  EXPECT_TRUE(world->write("/g", 0, large).has_value());
}

}  // namespace
}  // namespace drydock::test
