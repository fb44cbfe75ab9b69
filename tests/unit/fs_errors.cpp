// What becomes of failed I/O: Linux I/O model, section 4.4.
#include <gtest/gtest.h>

#include "tests/support/file_world.hpp"

namespace drydock::test {
namespace {

using Kind = sim::DiskCommand::Kind;
using Purpose = sim::DiskCommand::Purpose;
constexpr Error kEio = Error::from_errno(ErrorCode::io_error, 5);

std::optional<ErrorCode> error_of(const Result<void>& result) {
  if (result) return std::nullopt;
  return result.error().code();
}

// "old" is durable in /f; "new" is in the page cache.
class FailedWriteback : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(world->write("/f", 0, "old").has_value());
    ASSERT_TRUE(world->sync("/f").has_value());
    ASSERT_TRUE(world->write("/f", 0, "new").has_value());
  }
  void fail_next_data_write() { world.disk.fail_next(Kind::write, Purpose::data, 1, kEio); }
  FileWorld world;
};

TEST_F(FailedWriteback, IsReportedOnceAndARetryThatSucceedsProvesNothing) {
  fail_next_data_write();
  EXPECT_EQ(error_of(world->sync("/f")), ErrorCode::io_error);
  EXPECT_EQ(error_of(world->sync("/f")), std::nullopt);
  world.power_cut();
  EXPECT_EQ(world->read("/f"), "old");
}

TEST_F(FailedWriteback, LeavesTheNewContentReadableUntilThePageIsEvicted) {
  fail_next_data_write();
  EXPECT_FALSE(world->sync("/f").has_value());
  EXPECT_EQ(world->read("/f"), "new");
  world.drop_clean_pages();
  EXPECT_EQ(world->read("/f"), "old");
}

TEST_F(FailedWriteback, IsReportedByTheNextSyncIfItHappenedInTheBackground) {
  fail_next_data_write();
  world.run_for(Duration::s(40));
  EXPECT_EQ(error_of(world->sync("/f")), ErrorCode::io_error);
  EXPECT_EQ(error_of(world->sync("/f")), std::nullopt);
}

TEST_F(FailedWriteback, IsReportedByEveryDescriptorThatWasOpen) {
  MappedFile& map = world->map("/f", 3);
  fail_next_data_write();
  EXPECT_EQ(error_of(world->sync("/f")), ErrorCode::io_error);
  EXPECT_EQ(error_of(world->now(map.sync(world->worker(), 0, 3))), ErrorCode::io_error);
  EXPECT_EQ(error_of(world->now(map.sync(world->worker(), 0, 3))), std::nullopt);
}

TEST_F(FailedWriteback, IsReportedByALaterDescriptorOnlyIfNobodyHasSeenIt) {
  fail_next_data_write();
  world.run_for(Duration::s(40));
  MappedFile& first = world->map("/f", 3);
  EXPECT_EQ(error_of(world->now(first.sync(world->worker(), 0, 3))), ErrorCode::io_error);
  world->close("/f");
  MappedFile& second = world->map("/f", 3);
  EXPECT_EQ(error_of(world->now(second.sync(world->worker(), 0, 3))), std::nullopt);
}

TEST_F(FailedWriteback, IsReportedAsOftenAsItHappens) {
  world.disk.fail_next(Kind::write, Purpose::data, 3, kEio);
  for (int failure = 0; failure < 3; ++failure) {
    EXPECT_EQ(error_of(world->sync("/f")), ErrorCode::io_error);
    EXPECT_EQ(error_of(world->sync("/f")), std::nullopt) << "nothing is dirty: nothing is tried";
    ASSERT_TRUE(world->write("/f", 0, "new").has_value());
  }
  EXPECT_EQ(error_of(world->sync("/f")), std::nullopt);
  world.power_cut();
  EXPECT_EQ(world->read("/f"), "new");
}

TEST_F(FailedWriteback, ThatNeverSucceedsLosesEveryWrite) {
  world.disk.fail_next(Kind::write, Purpose::data, 1 << 30, kEio);
  for (int round = 0; round < 4; ++round) {
    EXPECT_EQ(error_of(world->sync("/f")), ErrorCode::io_error);
    ASSERT_TRUE(world->write("/f", 0, "new").has_value());
  }
  world.drop_clean_pages();
  EXPECT_EQ(world->read("/f"), "new") << "dirty: it stays";
  world.power_cut();
  EXPECT_EQ(world->read("/f"), "old");
}

// Before Linux 4.13.
TEST(FailedWritebackOfOldKernels, IsReportedToTheFirstWhoAsksAlone) {
  FileWorldOptions options;
  options.files.error_reporting = sim::ErrorReporting::once;
  FileWorld world(options);
  ASSERT_TRUE(world->write("/f", 0, "old").has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  MappedFile& map = world->map("/f", 3);
  ASSERT_TRUE(world->write("/f", 0, "new").has_value());
  world.disk.fail_next(Kind::write, Purpose::data, 1, kEio);
  EXPECT_EQ(error_of(world->now(map.sync(world->worker(), 0, 3))), ErrorCode::io_error);
  EXPECT_EQ(error_of(world->sync("/f")), std::nullopt) << "open at the time, and never told";
  ASSERT_TRUE(world->write("/f", 0, "new").has_value());
  world.disk.fail_next(Kind::write, Purpose::data, 1, kEio);
  EXPECT_EQ(error_of(world->sync("/f")), ErrorCode::io_error);
}

TEST_F(FailedWriteback, OfAppendedDataLeavesTheOldSizeOnTheDisk) {
  ASSERT_TRUE(world->sync("/f").has_value());
  ASSERT_TRUE(world->write("/f", 4096, "appended").has_value());
  fail_next_data_write();
  EXPECT_FALSE(world->sync("/f").has_value());
  world.power_cut();
  EXPECT_EQ(world->read("/f"), "new");
}

TEST(FailedFlush, IsReported) {
  FileWorld world;
  ASSERT_TRUE(world->write("/f", 0, "old").has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  world.disk.fail_next(Kind::flush, 1);
  EXPECT_EQ(error_of(world->sync("/f")), ErrorCode::io_error);
}

// Nothing is to be committed: the flush is the caller's own.
TEST(FailedFlush, IsReportedAsOftenAsItHappens) {
  FileWorld world;
  ASSERT_TRUE(world->write("/f", 0, "old").has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  world.disk.fail_next(Kind::flush, 3);
  for (int failure = 0; failure < 3; ++failure) {
    EXPECT_EQ(error_of(world->sync("/f")), ErrorCode::io_error);
  }
  EXPECT_EQ(error_of(world->sync("/f")), std::nullopt);
  world.disk.fail_next(Kind::flush, 1 << 30);
  for (int failure = 0; failure < 10; ++failure) {
    EXPECT_EQ(error_of(world->sync("/f")), ErrorCode::io_error);
  }
  EXPECT_EQ(world->read("/f"), "old");
}

TEST(FailedFlush, OfACommitAbortsTheJournal) {
  FileWorld world;
  ASSERT_TRUE(world->write("/f", 0, "old").has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  ASSERT_TRUE(world->write("/f", 0, "longer").has_value());
  world.disk.fail_next(Kind::flush, 1);
  EXPECT_EQ(error_of(world->sync("/f")), ErrorCode::io_error);
  EXPECT_EQ(error_of(world->write("/f", 4096, "x")), ErrorCode::read_only);
  world.power_cut();
  EXPECT_EQ(world->read("/f").size(), 3u);
}

TEST(FailedRead, IsReportedAsOftenAsItHappens) {
  FileWorld world;
  ASSERT_TRUE(world->write("/f", 0, "content").has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  world.drop_clean_pages();
  world.disk.fail_next(Kind::read, 3);
  for (int failure = 0; failure < 3; ++failure) EXPECT_EQ(world->read("/f"), "<io_error>");
  EXPECT_EQ(world->read("/f"), "content");
  world.disk.fail_next(Kind::read, 1 << 30);
  EXPECT_EQ(world->read("/f"), "content") << "cached";
  world.drop_clean_pages();
  for (int failure = 0; failure < 10; ++failure) EXPECT_EQ(world->read("/f"), "<io_error>");
  EXPECT_TRUE(world->write("/f", 0, "another").has_value()) << "of all of it: nothing is read";
}

TEST(FailedRead, IsReportedAndTheNextOneMaySucceed) {
  FileWorld world;
  ASSERT_TRUE(world->write("/f", 0, "content").has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  world.drop_clean_pages();
  world.disk.fail_next(Kind::read, 1);
  EXPECT_EQ(world->read("/f"), "<io_error>");
  EXPECT_EQ(world->read("/f"), "content");
}

class JournalAbort : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(world->write("/f", 0, "old").has_value());
    ASSERT_TRUE(world->sync("/f").has_value());
    world->map("/m", 8192);
    ASSERT_TRUE(world->sync("/m").has_value());
    ASSERT_TRUE(world->write("/f", 0, "longer than before").has_value());
    world.disk.fail_next(Kind::write, Purpose::journal, 1, kEio);
    outcome = world->sync("/f");
  }
  FileWorld world;
  Result<void> outcome;
};

TEST_F(JournalAbort, IsSeenByTheSyncThatWaited) {
  EXPECT_EQ(error_of(outcome), ErrorCode::io_error);
}

TEST_F(JournalAbort, LeavesTheFileSystemReadOnly) {
  EXPECT_EQ(error_of(world->write("/f", 4096, "x")), ErrorCode::read_only);
  EXPECT_EQ(error_of(world->now(world->files().remove(world->worker(), "/f"))),
            ErrorCode::read_only);
  EXPECT_EQ(error_of(world->now(world->file("/f").truncate(world->worker(), 1))),
            ErrorCode::read_only);
  EXPECT_EQ(world->read("/f"), "longer than before");
}

TEST_F(JournalAbort, MakesAStoreIntoACleanPageFail) {
  MappedFile& map = world->map("/m", 8192);
  EXPECT_FALSE(map.try_store(world->worker(), 0, bytes_of("x")));
  const SharedBytes bytes = SharedBytes::copy_of("x");
  EXPECT_EQ(error_of(world->now(map.store(world->worker(), 0, bytes))), ErrorCode::read_only);
}

TEST_F(JournalAbort, IsOverAfterAReboot) {
  world.power_cut();
  EXPECT_EQ(world->read("/f").substr(0, 3), "lon");  // The data was written in place; R5.
  EXPECT_EQ(world->read("/f").size(), 3u);
  EXPECT_TRUE(world->write("/f", 0, "again").has_value());
  EXPECT_TRUE(world->sync("/f").has_value());
}

TEST(DeviceWithoutPower, FailsWritebackAndLaterTheJournal) {
  FileWorld world;
  ASSERT_TRUE(world->write("/f", 0, "old").has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  world.run_for(Duration::ms(4));  // A jiffy: the file's time will change.
  ASSERT_TRUE(world->write("/f", 0, "new").has_value());
  world.disk.lose_power();
  EXPECT_FALSE(world->sync("/f").has_value());
  EXPECT_EQ(world->read("/f"), "new");
  world.run_for(Duration::s(10));
  EXPECT_EQ(error_of(world->write("/f", 4096, "x")), ErrorCode::read_only);
}

}  // namespace
}  // namespace drydock::test
