// Where xfs differs from ext4, besides what a crash leaves (fs_crash_table.cpp). The reference has
// measured ext4 alone: all of this follows from how xfs is described, and is assumed.
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
