// What reads and faults bring into the cache, and what they count: Linux I/O model, sections 3.1
// and 3.2, acceptance experiment A18.
#include <gtest/gtest.h>

#include "engine/types/random_stream.hpp"
#include "tests/support/disk_world.hpp"
#include "tests/support/file_world.hpp"

namespace drydock::test {
namespace {

constexpr std::int64_t kMiB = 1 << 20;
constexpr std::int64_t kPage = 4096;

FileWorldOptions on_a_flat_disk() {
  return {.disk = {.name = "d0", .capacity_bytes = 512 * kMiB, .profile = flat_profile()}};
}

// A file of that size on the device, none of it in memory.
void write_cold_file(FileWorld& world, const std::string& path, std::int64_t bytes) {
  const SharedBytes piece = SharedBytes::copy_of(std::string(kMiB, 'c'));
  for (std::int64_t at = 0; at < bytes; at += kMiB) {
    ASSERT_TRUE(world->now(world->file(path).write_at(world->worker(), at, piece)).has_value());
  }
  ASSERT_TRUE(world->sync(path).has_value());
  world.drop_clean_pages();
  world.files.cache().faults() = {};
}

// As a program does that reads one byte of the page.
void touch(FileWorld& world, MappedFile& map, std::int64_t page) {
  if (!map.try_load(page * kPage, 1).empty()) return;
  const Result<ByteChain> loaded = world->now(map.load(world->worker(), page * kPage, 1));
  ASSERT_TRUE(loaded.has_value());
}

TEST(BufferedRead, ReadsAheadOfASequentialReader) {
  FileWorld world(on_a_flat_disk());
  write_cold_file(world, "/f", kMiB);
  File& file = world->file("/f");
  std::vector<std::int64_t> read_so_far;
  for (std::int64_t page = 0; page < 64; ++page) {
    ASSERT_TRUE(world->now(file.read_at(world->worker(), page * kPage, kPage)).has_value());
    const std::int64_t pages = world.files.cache().faults().pages_read;
    if (read_so_far.empty() || read_so_far.back() != pages) read_so_far.push_back(pages);
  }
  EXPECT_EQ(read_so_far, (std::vector<std::int64_t>{4, 12, 28, 60, 92, 124}));
}

TEST(BufferedRead, DoesNotWaitForWhatIsReadAhead) {
  FileWorld world(on_a_flat_disk());
  write_cold_file(world, "/f", kMiB);
  File& file = world->file("/f");
  ASSERT_TRUE(world->now(file.read_at(world->worker(), 0, kPage)).has_value());
  const std::int64_t before = world.kernel.now();
  ASSERT_TRUE(world->now(file.read_at(world->worker(), kPage, kPage)).has_value());
  EXPECT_EQ(world.kernel.now(), before);
  EXPECT_EQ(world.files.cache().faults().pages_read, 12) << "but has started it";
}

TEST(BufferedRead, ReadsNothingElseAtRandom) {
  FileWorld world(on_a_flat_disk());
  write_cold_file(world, "/f", 4 * kMiB);
  File& file = world->file("/f");
  for (const std::int64_t page : {900, 30, 500, 710}) {
    ASSERT_TRUE(world->now(file.read_at(world->worker(), page * kPage, 16 * kPage)).has_value());
  }
  EXPECT_EQ(world.files.cache().faults().pages_read, 4 * 16);
}

TEST(BufferedWrite, OfAPartOfAPageReadsThatPageAlone) {
  FileWorld world(on_a_flat_disk());
  write_cold_file(world, "/f", kMiB);
  ASSERT_TRUE(world->write("/f", 100 * kPage + 5, "x").has_value());
  EXPECT_EQ(world.files.cache().faults().pages_read, 1);
}

// A18, measured: 2000 touches, 2000 major faults, 8000 KiB.
TEST(Faults, OfARandomMappingReadOnePageEach) {
  FileWorld world(on_a_flat_disk());
  write_cold_file(world, "/m", 128 * kMiB);
  MappedFile& map = world->map("/m", 128 * kMiB);
  ASSERT_TRUE(map.advise(Advice::random).has_value());
  for (std::int64_t i = 0; i < 2000; ++i) touch(world, map, i * 7919 % 32768);
  EXPECT_EQ(world.files.cache().faults().major, 2000);
  EXPECT_EQ(world.files.cache().faults().minor, 0);
  EXPECT_EQ(world.files.cache().faults().pages_read * 4, 8000);
}

// A18, measured with windows of 128 KiB in a file of 128 MiB: 500 random touches, 409 major and 44
// minor faults, 99 KiB per touch. (The measured one has read-ahead trip late, too.)
TEST(Faults, ReadAroundByDefault) {
  FileWorld world(on_a_flat_disk());
  write_cold_file(world, "/m", 128 * kMiB);
  MappedFile& map = world->map("/m", 128 * kMiB);
  RandomStream random(1, "touches");
  for (int i = 0; i < 500; ++i) {
    touch(world, map, static_cast<std::int64_t>(random.below(32768)));
  }
  const sim::FaultCounters& faults = world.files.cache().faults();
  EXPECT_NEAR(static_cast<double>(faults.pages_read * 4) / 500, 99, 25);
  EXPECT_NEAR(static_cast<double>(faults.major), 409, 102);
}

// Measured: one major fault, then windows that are read ahead.
TEST(Faults, OfASequentialTouchOfAColdFileWaitOnce) {
  for (const Advice advice : {Advice::normal, Advice::sequential}) {
    FileWorld world(on_a_flat_disk());
    write_cold_file(world, "/m", 16 * kMiB);
    MappedFile& map = world->map("/m", 16 * kMiB);
    ASSERT_TRUE(map.advise(advice).has_value());
    for (std::int64_t page = 0; page < 4096; ++page) touch(world, map, page);
    EXPECT_EQ(world.files.cache().faults().major, 1);
    EXPECT_EQ(world.files.cache().faults().pages_read, 4096);
  }
}

// The marks of all streams are in the file's pages; the mapping itself remembers one window.
TEST(Faults, OfSeveralSequentialStreamsInOneMappingWaitOnceEach) {
  constexpr std::int64_t kStreams = 4;
  constexpr std::int64_t kPagesEach = 1024;
  FileWorld world(on_a_flat_disk());
  write_cold_file(world, "/m", 16 * kMiB);
  MappedFile& map = world->map("/m", 16 * kMiB);
  for (std::int64_t page = 0; page < kPagesEach; ++page) {
    for (std::int64_t i = 0; i < kStreams; ++i) touch(world, map, i * kPagesEach + page);
  }
  EXPECT_EQ(world.files.cache().faults().major, kStreams);
  EXPECT_EQ(world.files.cache().faults().pages_read, kStreams * kPagesEach);
}

// 16 pages are mapped by each fault on a cached page.
TEST(Faults, OnCachedPagesMapTheirNeighbours) {
  FileWorld world(on_a_flat_disk());
  ASSERT_TRUE(world->write("/m", 0, std::string(16 * kMiB, 'm')).has_value());
  MappedFile& map = world->map("/m", 16 * kMiB);
  world.files.cache().faults() = {};
  for (std::int64_t page = 0; page < 4096; ++page) touch(world, map, page);
  EXPECT_EQ(world.files.cache().faults().minor, 4096 / 16);
  for (std::int64_t page = 0; page < 4096; ++page) touch(world, map, page);
  EXPECT_EQ(world.files.cache().faults().minor, 4096 / 16) << "mapped once, no fault";
  world->close("/m");
  MappedFile& again = world->map("/m", 16 * kMiB);
  touch(world, again, 0);
  EXPECT_EQ(world.files.cache().faults().minor, 4096 / 16 + 1) << "a new mapping begins anew";
}

// One fault per page and writeback: Linux I/O model, section 1.7.
TEST(Faults, OfAWriterComeOncePerPageAndWriteback) {
  FileWorld world(on_a_flat_disk());
  MappedFile& map = world->map("/m", kMiB);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(map.try_store(world->worker(), 0, bytes_of("x")));
  }
  EXPECT_EQ(world.files.cache().faults().minor, 1);
  ASSERT_TRUE(world->now(map.sync(world->worker(), 0, kPage)).has_value());
  ASSERT_TRUE(map.try_store(world->worker(), 0, bytes_of("y")));
  EXPECT_EQ(world.files.cache().faults().minor, 2);
}

TEST(Faults, OfAStoreIntoAnAbsentPageReadAround) {
  FileWorld world(on_a_flat_disk());
  write_cold_file(world, "/m", kMiB);
  MappedFile& map = world->map("/m", kMiB);
  ASSERT_FALSE(map.try_store(world->worker(), 100 * kPage, bytes_of("x")));
  const SharedBytes bytes = SharedBytes::copy_of("x");
  ASSERT_TRUE(world->now(map.store(world->worker(), 100 * kPage, bytes)).has_value());
  EXPECT_EQ(world.files.cache().faults().major, 1);
  EXPECT_EQ(world.files.cache().faults().minor, 0);
  EXPECT_EQ(world.files.cache().faults().pages_read, 32);
}

TEST(Advice, WillNeedStartsToReadTheMapping) {
  FileWorld world(on_a_flat_disk());
  write_cold_file(world, "/m", 4 * kMiB);
  MappedFile& map = world->map("/m", 4 * kMiB);
  ASSERT_TRUE(map.advise(Advice::will_need).has_value());
  world.run_for(Duration::ms(10));
  EXPECT_FALSE(map.try_load(0, 4 * kMiB).empty());
  EXPECT_EQ(world.files.cache().faults().major, 0);
}

// As mincore does it: nothing is read, no page is touched, no mark of read-ahead is used up.
TEST(Residency, IsToldWithoutTouchingAPage) {
  FileWorld world(on_a_flat_disk());
  write_cold_file(world, "/m", 4 * kMiB);
  MappedFile& map = world->map("/m", 4 * kMiB);
  touch(world, map, 100);
  world.run_for(Duration::ms(10));
  const sim::FaultCounters before = world.files.cache().faults();
  std::int64_t pages = 0;
  for (std::int64_t page = 0; page < 4 * kMiB / kPage; ++page) {
    pages += map.resident(page * kPage + 17, 1) ? 1 : 0;
  }
  world.run_for(Duration::ms(10));
  EXPECT_EQ(pages, before.pages_read);
  EXPECT_FALSE(map.resident(100 * kPage, kMiB));
  const sim::FaultCounters after = world.files.cache().faults();
  EXPECT_EQ(after.pages_read, before.pages_read);
  EXPECT_EQ(after.touched, before.touched);
  EXPECT_EQ(after.minor, before.minor);
}

// Writing to vm.drop_caches leaves alone what page tables refer to.
TEST(DropCaches, LeavesMappedPages) {
  FileWorld world(on_a_flat_disk());
  write_cold_file(world, "/m", kMiB);
  MappedFile& map = world->map("/m", kMiB);
  ASSERT_TRUE(map.advise(Advice::random).has_value());
  touch(world, map, 3);
  world.drop_clean_pages();
  EXPECT_FALSE(map.try_load(3 * kPage, kPage).empty());
  world->close("/m");
  world.drop_clean_pages();
  EXPECT_TRUE(world->map("/m", kMiB).try_load(3 * kPage, kPage).empty());
}

}  // namespace
}  // namespace drydock::test
