// Where xfs differs from ext4. The reference has measured ext4 alone: these outcomes follow from
// how xfs is described (delayed logging, sizes that grow when I/O completes, no ordered data), and
// are assumed.
#include <gtest/gtest.h>

#include "tests/support/disk_world.hpp"
#include "tests/support/file_world.hpp"

namespace drydock::test {
namespace {

using sim::DiskHang;
using Kind = sim::DiskCommand::Kind;
using Purpose = sim::DiskCommand::Purpose;
constexpr Error kEio = Error::from_errno(ErrorCode::io_error, 5);

FileWorldOptions xfs() {
  FileWorldOptions options{
      .disk = {.name = "d0", .capacity_bytes = 256 << 20, .profile = flat_profile()}};
  options.files.kind = sim::FsKind::xfs;
  return options;
}
const std::string kOld(8192, 'o');
const std::string kNew(8192, 'n');

enum class Cut { after_500_ms, after_another_sync, after_7700_ms, after_40_s, after_70_s };

class XfsPowerCut : public testing::TestWithParam<Cut> {
 protected:
  void with(const std::string& path, const std::string& content) {
    ASSERT_TRUE(world->write(path, 0, content).has_value());
    ASSERT_TRUE(world->sync(path).has_value());
    world->close(path);
    // To the beginning of the log's next interval.
    world.run_for(Duration::ns(Duration::s(90).count_ns() - world.kernel.now()));
  }
  void cut() {
    switch (GetParam()) {
      case Cut::after_500_ms: world.run_for(Duration::ms(500)); break;
      case Cut::after_another_sync:
        world.run_for(Duration::ms(250));
        ASSERT_TRUE(world->write("/another", 0, "x").has_value());
        ASSERT_TRUE(world->sync("/another").has_value());
        world.run_for(Duration::ms(250));
        break;
      case Cut::after_7700_ms: world.run_for(Duration::ms(7700)); break;
      case Cut::after_40_s: world.run_for(Duration::s(40)); break;
      case Cut::after_70_s: world.run_for(Duration::s(70)); break;
    }
    world.power_cut();
  }
  const std::string& cell(const std::string& after_500_ms, const std::string& after_another_sync,
                          const std::string& after_7700_ms, const std::string& after_40_s,
                          const std::string& after_70_s) const {
    switch (GetParam()) {
      case Cut::after_500_ms: return after_500_ms;
      case Cut::after_another_sync: return after_another_sync;
      case Cut::after_7700_ms: return after_7700_ms;
      case Cut::after_40_s: return after_40_s;
      case Cut::after_70_s: return after_70_s;
    }
    return after_500_ms;
  }
  const std::string absent = "<absent>";
  const std::string empty;
  FileWorld world{xfs()};
};

// The name is in the log after 30 s, the data on the disk after 30 to 35 s, the size that its end
// gave the file in the log after 60 s.
TEST_P(XfsPowerCut, OfACreatedAndWrittenFile) {
  ASSERT_TRUE(world->write("/f", 0, kNew).has_value());
  cut();
  EXPECT_EQ(world->read("/f"), cell(absent, empty, absent, empty, kNew));
}

TEST_P(XfsPowerCut, OfAnAppend) {
  with("/f", kOld);
  ASSERT_TRUE(world->write("/f", 8192, kNew).has_value());
  cut();
  EXPECT_EQ(world->read("/f"), cell(kOld, kOld, kOld, kOld, kOld + kNew));
}

TEST_P(XfsPowerCut, OfAnOverwriteInPlace) {
  with("/f", kOld);
  ASSERT_TRUE(world->write("/f", 0, kNew).has_value());
  cut();
  EXPECT_EQ(world->read("/f"), cell(kOld, kOld, kOld, kNew, kNew));
}

// Nothing protects who renames without a sync: the new name is durable before its content is.
TEST_P(XfsPowerCut, OfARenameOverAnExistingFile) {
  with("/f", kOld);
  ASSERT_TRUE(world->write("/f.tmp", 0, kNew).has_value());
  ASSERT_TRUE(world->now(world->files().rename(world->worker(), "/f.tmp", "/f")).has_value());
  cut();
  EXPECT_EQ(world->read("/f"), cell(kOld, empty, kOld, empty, kNew));
}

TEST_P(XfsPowerCut, OfAnUnlink) {
  with("/f", kOld);
  ASSERT_TRUE(world->now(world->files().remove(world->worker(), "/f")).has_value());
  cut();
  EXPECT_EQ(world->read("/f"), cell(kOld, absent, kOld, absent, absent));
}

INSTANTIATE_TEST_SUITE_P(Table, XfsPowerCut,
                         testing::Values(Cut::after_500_ms, Cut::after_another_sync,
                                         Cut::after_7700_ms, Cut::after_40_s, Cut::after_70_s));

TEST(XfsSync, IsAFlushAndOneWriteOfTheLog) {
  FileWorld world(xfs());
  ASSERT_TRUE(world->write("/f", 0, "old").has_value());
  const std::int64_t start = world.kernel.now();
  ASSERT_TRUE(world->sync("/f").has_value());
  EXPECT_EQ(world.kernel.now() - start, Duration::us(100 + 30 + 100).count_ns());
  world.power_cut();
  EXPECT_EQ(world->read("/f"), "old");
}

TEST(XfsJournal, DoesNotStopAMappedWriterWhileItsWriteHangs) {
  FileWorld world(xfs());
  MappedFile& map = world->map("/m", 64 << 20);
  ASSERT_TRUE(world->sync("/m").has_value());
  world.settle();
  world.disk.hang(DiskHang::writes);
  for (std::int64_t offset = 0; offset < 6'000 * 4096; offset += 4096) {
    ASSERT_TRUE(map.try_store(world->worker(), offset, bytes_of("x")));
    world.run_for(Duration::ms(10));
  }
  world.disk.release(DiskHang::writes);
}

TEST(XfsJournal, IsAsLargeAsMkfsMakesIt) {
  sim::FileSystemOptions options;
  options.kind = sim::FsKind::xfs;
  EXPECT_EQ(sim::VolumeImage(std::int64_t{1} << 30, options).log_end(), 2'560 + 2);
  EXPECT_EQ(sim::VolumeImage(std::int64_t{1} << 40, options).log_end(), (1 << 17) + 2);
}

TEST(XfsShutdown, EndsReadingToo) {
  FileWorld world(xfs());
  ASSERT_TRUE(world->write("/f", 0, "old").has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  ASSERT_TRUE(world->write("/f", 0, "longer").has_value());
  world.disk.fail_next(Kind::write, Purpose::journal, 1, kEio);
  EXPECT_EQ(world->sync("/f").error().code(), ErrorCode::io_error);
  EXPECT_EQ(world->write("/f", 0, "x").error().code(), ErrorCode::io_error);
  EXPECT_EQ(world->now(world->file("/f").read_at(world->worker(), 0, 3)).error().code(),
            ErrorCode::io_error);
  EXPECT_EQ(world->now(world->files().remove(world->worker(), "/f")).error().code(),
            ErrorCode::io_error);
}

TEST(XfsCheckpoint, IsTriedAgainUntilItSucceeds) {
  FileWorld world(xfs());
  ASSERT_TRUE(world->write("/f", 0, "f").has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  const sim::Checkpoint& checkpoint = world.files.mount().journal().checkpoint();
  world.disk.fail_next(Kind::write, Purpose::journal, 20, kEio);
  world.run_for(Duration::s(31));
  EXPECT_GT(checkpoint.homes(), 0u);
  world.run_for(Duration::s(60));
  EXPECT_EQ(checkpoint.homes(), 0u);
  EXPECT_TRUE(world->write("/f", 0, "g").has_value());
}

}  // namespace
}  // namespace drydock::test
