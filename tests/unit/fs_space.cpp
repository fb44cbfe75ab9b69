// Space: what a volume has, who gets it, and when there is none. Blocks of directories and of trees
// of extents come from the volume, too. Source: ext4 (directory entries, extents, reserved
// clusters).
#include <gtest/gtest.h>

#include <numeric>

#include "tests/support/disk_world.hpp"
#include "tests/support/file_world.hpp"

namespace drydock::test {
namespace {

FileWorldOptions small(std::int64_t bytes = 8 << 20, sim::FileSystemOptions files = {}) {
  return {.disk = {.name = "d0", .capacity_bytes = bytes, .profile = flat_profile()},
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

sim::VolumeImage& image_of(FileWorld& world) {
  return static_cast<sim::VolumeImage&>(*world.disk.format());
}
// ext4 keeps a 50th for itself.
std::int64_t pool_bytes(FileWorld& world) {
  return (image_of(world).data_end() - image_of(world).data_begin()) / 50 * 4096;
}
// By counting what every inode has on the disk.
std::int64_t counted_free_bytes(FileWorld& world) {
  std::int64_t free = image_of(world).data_end() - image_of(world).data_begin();
  for (auto& [number, record] : image_of(world).metadata().inodes()) {
    free -= std::ssize(record.own_blocks);
    record.blocks.for_each_from(0, [&free](std::int64_t, const sim::BlockRef& ref) {
      if (!ref.hole()) --free;
    });
  }
  return free * 4096 - pool_bytes(world);
}
std::int64_t own_blocks(FileWorld& world) {
  const auto& inodes = image_of(world).metadata().inodes();
  return std::accumulate(inodes.begin(), inodes.end(), std::int64_t{0},
                         [](std::int64_t sum, const auto& entry) {
                           return sum + std::ssize(entry.second.own_blocks);
                         });
}
std::string long_name(int number) {
  std::string name = std::to_string(number);
  return name + std::string(200 - name.size(), 'n');
}
Result<std::unique_ptr<File>> make(FileWorld& world, const std::string& path) {
  const OpenOptions create{.create = Create::must_be_new};
  return world->now(world->files().open(world->worker(), path, create));
}
Result<void> make_directory(FileWorld& world, const std::string& path) {
  return world->now(world->files().create_directories(world->worker(), path));
}
void fill(FileWorld& world) {
  const auto rest = static_cast<std::size_t>(world->free_bytes());
  ASSERT_TRUE(world->write("/full", 0, std::string(rest, 'f')).has_value());
  ASSERT_TRUE(world->sync("/full").has_value());
  ASSERT_EQ(world->free_bytes(), 0);
}

TEST(Space, IsToldWithoutWhatExt4KeepsForItself) {
  FileWorld world(small());
  EXPECT_GT(pool_bytes(world), 0);
  EXPECT_EQ(world->free_bytes(), counted_free_bytes(world));
}

// What is written has its blocks for sure; who allocates them first takes no others.
TEST(FullVolume, LetsAWriteThatWaitsForTheJournalHaveItsBlockAllocated) {
  FileWorld world(small());
  const auto path_of = [](int file) { return "/" + std::to_string(file); };
  // 16 inodes are in a block.
  for (int file = 0; file <= 32; ++file) world->file(path_of(file));
  const std::string before = path_of(16);
  const std::string behind = path_of(32);
  ASSERT_TRUE(world->write(behind, 0, "behind").has_value());
  const auto rest = static_cast<std::size_t>(world->free_bytes() - 4096);
  ASSERT_TRUE(world->write("/full", 0, std::string(rest, 'f')).has_value());
  ASSERT_TRUE(world->sync("/full").has_value());
  ASSERT_TRUE(world->write(before, 0, "before").has_value());
  ASSERT_EQ(world->free_bytes(), 0);
  ASSERT_TRUE(world->now(world->file("/0").truncate(world->worker(), 100)).has_value());
  const auto sync = [&world](const std::string& path) {
    Worker& worker = world->process().context().workers.add("of " + path);
    return world->start(world->file(path).sync_all(worker));
  };
  world.disk.hang(sim::DiskHang::writes);
  std::vector<Asked<void>> syncs;
  for (const std::string& path : {path_of(0), before, behind}) {
    syncs.push_back(sync(path));
    world.run_for(Duration::ms(1));
  }
  const Asked<void> allocated =
      world->start(world->file(behind).allocate(world->worker(), 0, 4096));
  world.run_for(Duration::ms(1));
  ASSERT_TRUE(allocated->done());
  EXPECT_EQ(code(*allocated->result), std::nullopt);
  EXPECT_EQ(world->free_bytes(), 0);
  world.disk.release(sim::DiskHang::writes);
  for (const Asked<void>& each : syncs) EXPECT_TRUE(world->finish(each).has_value());
  EXPECT_EQ(world->free_bytes(), counted_free_bytes(world));
  world.power_cut();
  EXPECT_EQ(world->read(behind).substr(0, 6), "behind");
}

// 208 bytes an entry: 19 of them and the two dots are in the first block, which an inode of the
// root has from the beginning.
TEST(FullVolume, RefusesANameOnlyIfItsDirectoryNeedsABlock) {
  FileWorld world(small());
  fill(world);
  int made = 0;
  while (make(world, "/" + long_name(made)).has_value()) ASSERT_LT(++made, 100);
  EXPECT_EQ(made, 19);
  EXPECT_EQ(code(make(world, "/" + long_name(made))), ErrorCode::no_space);
  EXPECT_EQ(code(make(world, "/short")), std::nullopt) << "there is room for that one";
  // The removed name's place is free again.
  ASSERT_TRUE(world->now(world->files().remove(world->worker(), "/" + long_name(0))).has_value());
  EXPECT_EQ(code(make(world, "/" + long_name(made))), std::nullopt);
}

TEST(FullVolume, RefusesADirectory) {
  FileWorld world(small());
  fill(world);
  EXPECT_EQ(code(make_directory(world, "/d")), ErrorCode::no_space);
  world->close("/full");
  ASSERT_TRUE(world->now(world->files().remove(world->worker(), "/full")).has_value());
  EXPECT_EQ(code(make_directory(world, "/d")), std::nullopt) << "having waited for a commit";
}

TEST(FullVolume, RefusesARenameIntoADirectoryThatNeedsABlock) {
  FileWorld world(small());
  ASSERT_TRUE(make_directory(world, "/d").has_value());
  for (int file = 0; file < 19; ++file) {
    ASSERT_TRUE(make(world, "/d/" + long_name(file)).has_value());
  }
  ASSERT_TRUE(make(world, "/f").has_value());
  fill(world);
  const auto rename = [&world](const std::string& to) {
    return world->now(world->files().rename(world->worker(), "/f", to));
  };
  EXPECT_EQ(code(rename("/d/" + long_name(19))), ErrorCode::no_space);
  EXPECT_EQ(world->read("/f"), "");
  EXPECT_EQ(code(rename("/d/" + long_name(18))), std::nullopt) << "in place of another one";
}

TEST(FullVolume, TakesWhatItHasAcceptedThoughItsPiecesNeedATree) {
  FileWorld world(small());
  // Every other page: no two of them are in one extent.
  MappedFile& map = world->map("/sparse", 64 << 20);
  std::int64_t page = 0;
  while (map.try_store(world->worker(), page * 4096, bytes_of("x"))) page += 2;
  EXPECT_GT(page / 2, 4 * 340);
  EXPECT_TRUE(world->sync("/sparse").has_value());
  world.power_cut();
  EXPECT_EQ(world->read("/sparse", (page - 2) * 4096, 1), "x");
  const std::int64_t leaves = (page / 2 + 339) / 340;
  EXPECT_EQ(own_blocks(world), leaves + 1) << "an inode leads to four blocks, here to one";
}

TEST(Directory, HasABlockPerTwoDozenLongNamesAndKeepsThemUntilItIsRemoved) {
  FileWorld world(small());
  const std::int64_t free = world->free_bytes();
  ASSERT_TRUE(make_directory(world, "/d").has_value());
  EXPECT_EQ(world->free_bytes(), free - 4096);
  for (int file = 0; file < 100; ++file) {
    ASSERT_TRUE(make(world, "/d/" + long_name(file)).has_value());
  }
  const std::int64_t blocks = (24 + 100 * 208 + 4083) / 4084;
  EXPECT_EQ(world->free_bytes(), free - blocks * 4096);
  for (int file = 0; file < 100; ++file) {
    const std::string path = "/d/" + long_name(file);
    ASSERT_TRUE(world->now(world->files().remove(world->worker(), path)).has_value());
  }
  world.settle();
  EXPECT_EQ(world->free_bytes(), free - blocks * 4096);
  ASSERT_TRUE(world->now(world->files().remove(world->worker(), "/d")).has_value());
  world.settle();
  EXPECT_EQ(world->free_bytes(), free);
}

// Four extents are in the inode; of contiguous blocks one holds 128 MiB.
TEST(Tree, IsNeededByFilesInMoreThanFourPieces) {
  FileWorld world(small(64 << 20));
  for (int piece = 0; piece < 5; ++piece) {
    ASSERT_TRUE(world->write("/f", piece * 8192, "x").has_value());
    ASSERT_TRUE(world->sync("/f").has_value());
    EXPECT_EQ(own_blocks(world), piece < 4 ? 0 : 1);
  }
  ASSERT_TRUE(world->now(world->file("/f").truncate(world->worker(), 8192)).has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  EXPECT_EQ(own_blocks(world), 0);
  FileWorld large(small(std::int64_t{2} << 30));
  ASSERT_TRUE(large->now(large->file("/f").allocate(large->worker(), 0, 512 << 20)).has_value());
  ASSERT_TRUE(large->sync("/f").has_value());
  EXPECT_EQ(own_blocks(large), 0);
  ASSERT_TRUE(large->now(large->file("/f").allocate(large->worker(), 512 << 20, 4096)).has_value());
  ASSERT_TRUE(large->sync("/f").has_value());
  EXPECT_EQ(own_blocks(large), 1);
}

// Of one file's extents and of the whole volume, after anything.
TEST(Accounting, EqualsABruteForceCount) {
  for (const sim::DataMode data :
       {sim::DataMode::ordered, sim::DataMode::writeback, sim::DataMode::journal}) {
    FileWorld world(
        small(16 << 20, {.data = data, .dioread_nolock = data != sim::DataMode::writeback}));
    const std::int64_t empty = world->free_bytes();
    RandomStream random(7, "accounting");
    const auto path = [&random] { return "/d/" + long_name(static_cast<int>(random.below(8))); };
    ASSERT_TRUE(make_directory(world, "/d").has_value());
    for (int step = 0; step < 600; ++step) {
      const std::string name = path();
      const auto page = static_cast<std::int64_t>(random.below(400));
      switch (random.below(6)) {
        case 0:
        case 1: ASSERT_TRUE(world->write(name, page * 4096, std::string(5000, 'x'))); break;
        case 2:
          ASSERT_TRUE(world->now(world->file(name).truncate(world->worker(), page * 4096)));
          break;
        case 3:
          ASSERT_TRUE(world->now(world->file(name).allocate(world->worker(), page * 4096, 40960)));
          break;
        case 4: ASSERT_TRUE(world->sync(name)); break;
        case 5:
          world->close(name);
          (void)world->now(world->files().remove(world->worker(), name)).has_value();
          break;
      }
      if (step % 100 == 50) world.power_cut();
      if (step % 50 != 0) continue;
      world.settle();
      EXPECT_EQ(world->free_bytes(), counted_free_bytes(world));
      for (auto& [number, record] : image_of(world).metadata().inodes()) {
        std::int64_t extents = 0;
        for (std::int64_t at = 0; at < 500; ++at) extents += record.extent_begins(at);
        EXPECT_EQ(record.extents, extents);
      }
    }
    for (int file = 0; file < 8; ++file) {
      const std::string name = "/d/" + long_name(file);
      world->close(name);
      (void)world->now(world->files().remove(world->worker(), name)).has_value();
    }
    ASSERT_TRUE(world->now(world->files().remove(world->worker(), "/d")).has_value());
    world.settle();
    EXPECT_EQ(world->free_bytes(), empty);
  }
}

}  // namespace
}  // namespace drydock::test
