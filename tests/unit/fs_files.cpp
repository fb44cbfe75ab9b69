// Plain file semantics: names, sizes, space, direct I/O, descriptors.
#include <gtest/gtest.h>

#include "tests/support/disk_world.hpp"
#include "tests/support/file_world.hpp"

namespace drydock::test {
namespace {

template <class T>
std::optional<ErrorCode> error_of(const Result<T>& result) {
  if (result) return std::nullopt;
  return result.error().code();
}

class Files : public testing::Test {
 protected:
  Files() : world(options()) {}
  static FileWorldOptions options() {
    FileWorldOptions options{
        .disk = {.name = "d0", .capacity_bytes = 16 << 20, .profile = flat_profile()}};
    options.open_files_max = 100;
    return options;
  }
  FileSystem& fs() { return world->files(); }
  Worker& worker() { return world->worker(); }
  template <class T>
  Result<T> now(Task<Result<T>> call) {
    return world->now(std::move(call));
  }
  FileWorld world;
};

TEST_F(Files, OpenOnlyWhatExistsUnlessTheyMayBeMade) {
  EXPECT_EQ(error_of(now(fs().open(worker(), "/f", OpenOptions()))), ErrorCode::not_found);
  const OpenOptions fresh{.create = Create::must_be_new};
  EXPECT_EQ(error_of(now(fs().open(worker(), "/f", fresh))), std::nullopt);
  EXPECT_EQ(error_of(now(fs().open(worker(), "/f", fresh))), ErrorCode::exists);
  const OpenOptions any{.create = Create::if_missing};
  EXPECT_EQ(error_of(now(fs().open(worker(), "/no/f", any))), ErrorCode::not_found);
  EXPECT_EQ(error_of(now(fs().open(worker(), "/", any))), ErrorCode::invalid_argument);
  EXPECT_EQ(error_of(now(fs().open(worker(), "relative", any))), ErrorCode::invalid_argument);
  EXPECT_EQ(error_of(now(fs().open(worker(), "/../f", any))), ErrorCode::invalid_argument);
}

TEST_F(Files, ReadHolesAsZerosAndEndAtTheirSize) {
  ASSERT_TRUE(world->write("/f", 10'000, "end").has_value());
  EXPECT_EQ(world->read("/f"), std::string(10'000, '\0') + "end");
  EXPECT_EQ(world->read("/f", 10'001), "nd");
  EXPECT_EQ(world->read("/f", 20'000), "");
  EXPECT_EQ(*world->file("/f").size(), 10'003);
}

// The simulator keeps one block for them; nobody can tell.
TEST_F(Files, OfEqualPagesKeepOneBlockUntilAPageChanges) {
  const std::string page(4096, 'p');
  MappedFile& map = world->map("/f", 3 * 4096);
  for (std::int64_t at = 0; at < 3 * 4096; at += 4096) {
    ASSERT_TRUE(map.try_store(worker(), at, bytes_of(page)));
  }
  const auto block = [&map](std::int64_t at) { return map.try_load(at, 4096).pieces()[0].data(); };
  EXPECT_EQ(block(0), block(4096));
  EXPECT_EQ(block(0), block(8192));
  ASSERT_TRUE(map.try_store(worker(), 4096 + 7, bytes_of("changed")));
  ASSERT_TRUE(map.try_store(worker(), 4, bytes_of("this")));
  std::string expected = page + page + page;
  expected.replace(4096 + 7, 7, "changed").replace(4, 4, "this");
  EXPECT_EQ(world->read("/f"), expected);
  ASSERT_TRUE(world->sync("/f").has_value());
  world.power_cut();
  EXPECT_EQ(world->read("/f"), expected);
}

TEST_F(Files, ShowZerosWhenTheyGrowAfterTheyWereCut) {
  ASSERT_TRUE(world->write("/f", 0, std::string(5000, 'x')).has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  ASSERT_TRUE(now(world->file("/f").truncate(worker(), 100)).has_value());
  ASSERT_TRUE(now(world->file("/f").truncate(worker(), 200)).has_value());
  const std::string expected = std::string(100, 'x') + std::string(100, '\0');
  EXPECT_EQ(world->read("/f"), expected);
  ASSERT_TRUE(world->sync("/f").has_value());
  world.drop_clean_pages();
  EXPECT_EQ(world->read("/f"), expected);
  world.power_cut();
  EXPECT_EQ(world->read("/f"), expected);
}

TEST_F(Files, AreListedByName) {
  for (const char* path : {"/b", "/a", "/c/d", "/c/e"}) {
    ASSERT_TRUE(now(fs().create_directories(worker(), "/c")).has_value());
    ASSERT_TRUE(world->write(path, 0, path).has_value());
  }
  const Result<std::vector<FileInfo>> root = now(fs().list(worker(), "/"));
  ASSERT_EQ(root->size(), 3u);
  EXPECT_EQ((*root)[0].name, "a");
  EXPECT_EQ((*root)[0].size, 2);
  EXPECT_EQ((*root)[2].name, "c");
  EXPECT_TRUE((*root)[2].is_directory);
  EXPECT_EQ(error_of(now(fs().list(worker(), "/a"))), ErrorCode::invalid_argument);
}

TEST_F(Files, WaitForADirectoryThatAnotherProgramHasLocked) {
  ASSERT_TRUE(now(fs().create_directories(worker(), "/d")).has_value());
  ASSERT_TRUE(now(fs().create_directories(worker(), "/e")).has_value());
  ASSERT_TRUE(world->write("/d/f", 0, "f").has_value());
  sim::Mount& mount = world.files.mount();
  EXPECT_FALSE(mount.lock_directory("/none", 1));
  EXPECT_FALSE(mount.lock_directory("/d/f", 1)) << "no directory";
  ASSERT_TRUE(mount.lock_directory("/d", 1));
  ASSERT_TRUE(mount.lock_directory("/d", 2));
  const auto thread = [this](const char* name) -> Worker& {
    return world->process().context().workers.add(name);
  };
  const OpenOptions make{.create = Create::if_missing};
  Worker& maker = thread("maker");
  const auto made = world->start(fs().open(maker, "/d/new", make));
  const auto again = world->start(fs().open(thread("opener"), "/d/f", make));
  const auto renamed = world->start(fs().rename(thread("mover"), "/d/f", "/e/f"));
  const auto listed = world->start(fs().list(thread("lister"), "/d"));
  const auto below = world->start(fs().create_directories(thread("adder"), "/d/below"));
  // What needs no lock of it, or that of another one.
  EXPECT_EQ(world->read("/d/f"), "f");
  EXPECT_TRUE(world->write("/d/f", 1, "g").has_value()) << "it is open";
  EXPECT_TRUE(now(fs().info(worker(), "/d/f")).has_value());
  EXPECT_TRUE(now(fs().create_directories(worker(), "/d")).has_value()) << "it is there";
  EXPECT_TRUE(world->write("/e/g", 0, "g").has_value());
  world.run_for(Duration::s(600));
  mount.unlock_directory(1);
  world.run_for(Duration::s(1));
  EXPECT_FALSE(made->done() || again->done() || renamed->done() || listed->done() || below->done())
      << "the second program has it";
  mount.unlock_directory(2);
  EXPECT_TRUE(world->finish(made).has_value());
  EXPECT_TRUE(world->finish(again).has_value());
  EXPECT_TRUE(world->finish(renamed).has_value());
  EXPECT_TRUE(world->finish(listed).has_value());
  EXPECT_TRUE(world->finish(below).has_value());
  EXPECT_EQ(world->read("/e/f"), "fg");
  EXPECT_EQ(maker.waits_at(WaitPlace::directory_lock).total, Duration::s(601));
}

TEST_F(Files, RefuseImpossibleChangesOfNames) {
  ASSERT_TRUE(now(fs().create_directories(worker(), "/d/e")).has_value());
  ASSERT_TRUE(world->write("/d/f", 0, "f").has_value());
  EXPECT_EQ(error_of(now(fs().remove(worker(), "/d"))), ErrorCode::not_empty);
  EXPECT_EQ(error_of(now(fs().remove(worker(), "/x"))), ErrorCode::not_found);
  EXPECT_EQ(error_of(now(fs().rename(worker(), "/x", "/y"))), ErrorCode::not_found);
  EXPECT_EQ(error_of(now(fs().rename(worker(), "/d", "/d/e/g"))), ErrorCode::invalid_argument);
  EXPECT_EQ(error_of(now(fs().rename(worker(), "/d/f", "/d/e"))), ErrorCode::invalid_argument);
  EXPECT_EQ(error_of(now(fs().create_directories(worker(), "/d/f/g"))),
            ErrorCode::invalid_argument);
  EXPECT_EQ(error_of(now(fs().rename(worker(), "/d", "/moved"))), std::nullopt);
  EXPECT_EQ(world->read("/moved/f"), "f");
}

TEST_F(Files, AreNotWrittenThroughADescriptorForReading) {
  ASSERT_TRUE(world->write("/f", 0, "f").has_value());
  const OpenOptions reading{.mode = OpenMode::read_only};
  Result<std::unique_ptr<File>> file = now(fs().open(worker(), "/f", reading));
  EXPECT_EQ(error_of(now((*file)->write_at(worker(), 0, SharedBytes::copy_of("x")))),
            ErrorCode::invalid_argument);
}

TEST_F(Files, AreLimitedInNumberPerProcess) {
  for (int i = 0; i < 100; ++i) world->file("/" + std::to_string(i));
  const OpenOptions any{.create = Create::if_missing};
  EXPECT_EQ(error_of(now(fs().open(worker(), "/more", any))), ErrorCode::too_many_open_files);
  EXPECT_EQ(world->process().descriptors().open(), 100);
  EXPECT_EQ(error_of(now(fs().map(worker(), "/more", 4096))), ErrorCode::too_many_open_files);
  world->close("/0");
  EXPECT_EQ(error_of(now(fs().open(worker(), "/more", any))), std::nullopt);
}

TEST_F(Files, FillTheDiskAndNoFurther) {
  const std::int64_t free = world->free_bytes();
  ASSERT_TRUE(world->write("/f", 0, std::string(static_cast<std::size_t>(free), 'f')).has_value());
  EXPECT_EQ(world->free_bytes(), 0);
  EXPECT_EQ(error_of(world->write("/g", 0, "g")), ErrorCode::no_space);
  MappedFile& map = world->map("/m", 4096);
  EXPECT_FALSE(map.try_store(worker(), 0, bytes_of("m")));
  EXPECT_EQ(error_of(now(map.store(worker(), 0, SharedBytes::copy_of("m")))), ErrorCode::no_space);
  EXPECT_TRUE(world->sync("/f").has_value()) << "what was accepted has its blocks";
  EXPECT_TRUE(world->write("/f", 0, "again").has_value());
}

TEST_F(Files, GiveTheirSpaceBackWithTheNextCommitForWhichAWriterWaits) {
  const std::int64_t free = world->free_bytes();
  ASSERT_TRUE(world->write("/f", 0, std::string(static_cast<std::size_t>(free), 'f')).has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  world->close("/f");
  ASSERT_TRUE(now(fs().remove(worker(), "/f")).has_value());
  EXPECT_EQ(world->free_bytes(), 0);
  EXPECT_TRUE(world->write("/g", 0, "g").has_value());
}

TEST_F(Files, KeepTheSpaceThatWasAllocatedForThem) {
  const std::int64_t free = world->free_bytes();
  ASSERT_TRUE(now(world->file("/f").allocate(worker(), 0, 8192)).has_value());
  EXPECT_EQ(*world->file("/f").size(), 8192);
  EXPECT_EQ(error_of(now(world->file("/g").allocate(worker(), 0, free))), ErrorCode::no_space);
  const auto rest = static_cast<std::size_t>(free - 8192);
  ASSERT_TRUE(world->write("/g", 0, std::string(rest, 'g')).has_value());
  EXPECT_TRUE(world->write("/f", 0, std::string(8192, 'f')).has_value());
  EXPECT_EQ(error_of(world->write("/f", 8192, "x")), ErrorCode::no_space);
}

TEST_F(Files, DemandAlignmentOfDirectIo) {
  const OpenOptions direct{.create = Create::if_missing, .caching = Caching::direct};
  Result<std::unique_ptr<File>> file = now(fs().open(worker(), "/f", direct));
  EXPECT_EQ((*file)->direct_alignment(), 512);
  const SharedBytes odd = SharedBytes::copy_of(std::string(100, 'x'));
  const SharedBytes sector = SharedBytes::copy_of(std::string(512, 'x'));
  EXPECT_EQ(error_of(now((*file)->write_at(worker(), 0, odd))), ErrorCode::invalid_argument);
  EXPECT_EQ(error_of(now((*file)->write_at(worker(), 100, sector))), ErrorCode::invalid_argument);
  EXPECT_EQ(error_of(now((*file)->read_at(worker(), 0, 100))), ErrorCode::invalid_argument);
}

TEST_F(Files, ShowTheSameBytesDirectlyAndThroughTheCache) {
  ASSERT_TRUE(world->write("/f", 0, std::string(8192, 'b')).has_value());
  const OpenOptions direct{.caching = Caching::direct};
  Result<std::unique_ptr<File>> file = now(fs().open(worker(), "/f", direct));
  EXPECT_EQ(text_of(*now((*file)->read_at(worker(), 4096, 512))), std::string(512, 'b'));
  const SharedBytes sector = SharedBytes::copy_of(std::string(512, 'd'));
  ASSERT_TRUE(now((*file)->write_at(worker(), 512, sector)).has_value());
  const std::string expected =
      std::string(512, 'b') + std::string(512, 'd') + std::string(7168, 'b');
  EXPECT_EQ(world->read("/f"), expected);
  ASSERT_TRUE(now((*file)->write_at(worker(), 16384, sector)).has_value());
  EXPECT_EQ(world->read("/f"), expected + std::string(8192, '\0') + std::string(512, 'd'));
}

TEST_F(Files, WrittenDirectlyAreOnTheDeviceAndDurableAfterASync) {
  const OpenOptions direct{.create = Create::if_missing, .caching = Caching::direct};
  Result<std::unique_ptr<File>> file = now(fs().open(worker(), "/f", direct));
  const SharedBytes page = SharedBytes::copy_of(std::string(4096, 'd'));
  ASSERT_TRUE(now((*file)->write_at(worker(), 0, page)).has_value());
  ASSERT_TRUE(now((*file)->sync_data(worker())).has_value());
  file->reset();
  world.power_cut();
  EXPECT_EQ(world->read("/f"), std::string(4096, 'd'));
}

TEST_F(Files, AreMappedAtTheirSizeOrExtendedToIt) {
  ASSERT_TRUE(world->write("/f", 0, std::string(5000, 'f')).has_value());
  EXPECT_EQ(error_of(now(fs().map(worker(), "/f", 4999))), ErrorCode::invalid_argument);
  EXPECT_EQ(world->map("/f", 6000).size(), 6000);
  EXPECT_EQ(world->read("/f"), std::string(5000, 'f') + std::string(1000, '\0'));
}

TEST_F(Files, CutUnderAMappingMakeItsAccessesFail) {
  MappedFile& map = world->map("/f", 8192);
  ASSERT_TRUE(map.try_store(worker(), 4096, bytes_of("x")));
  ASSERT_TRUE(now(world->file("/f").truncate(worker(), 100)).has_value());
  EXPECT_FALSE(map.try_store(worker(), 4096, bytes_of("x")));
  EXPECT_EQ(error_of(now(map.store(worker(), 4096, SharedBytes::copy_of("x")))),
            ErrorCode::io_error);
  EXPECT_EQ(error_of(now(map.load(worker(), 4096, 1))), ErrorCode::io_error);
}

// Truncating to nothing and writing anew: the data goes out at the close (auto_da_alloc).
TEST_F(Files, EmptiedAndRewrittenAreWrittenOutWhenTheyAreClosed) {
  ASSERT_TRUE(world->write("/f", 0, "old").has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  ASSERT_TRUE(now(world->file("/f").truncate(worker(), 0)).has_value());
  ASSERT_TRUE(world->write("/f", 0, "new").has_value());
  world->close("/f");
  world.run_for(Duration::s(8));
  world.power_cut();
  EXPECT_EQ(world->read("/f"), "new");
}

}  // namespace
}  // namespace drydock::test
