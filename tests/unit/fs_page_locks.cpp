// Who waits for a locked page (W3): Linux I/O model, sections 0, 1.6, 1.7 and 3.2. Whoever writes
// pages back waits for the block layer or the journal; the batch that it holds meanwhile is locked.
#include <gtest/gtest.h>

#include "tests/support/disk_world.hpp"
#include "tests/support/file_world.hpp"

namespace drydock::test {
namespace {

constexpr std::int64_t kMiB = 1 << 20;
constexpr std::int64_t kBatchPages = 256;  // Of one command of writeback.
constexpr std::int64_t kBatch = kBatchPages * 4096;

FileWorldOptions one_command_at_a_time() {
  FileWorldOptions options{
      .disk = {.name = "d0", .capacity_bytes = 256 * kMiB, .profile = flat_profile()}};
  options.disk.profile.queue_requests = 1;
  return options;
}

// A file of written pages, four batches of them dirty, and a second process that stores into it.
// The disk hangs on data.
class PageLocks : public testing::Test, public sim::StallRecorder {
 protected:
  explicit PageLocks(FileWorldOptions options = one_command_at_a_time())
      : world_(options), storer_(world_.files, world_.host, "storer") {
    EXPECT_TRUE(world_->write("/log", 0, std::string(4 * kBatch, 'a')).has_value());
    EXPECT_TRUE(world_->sync("/log").has_value());
    map_ = &world_->map("/log", 4 * kBatch);
    stored_ = &storer_.map("/log", 4 * kBatch);
    for (std::int64_t page = 0; page < 4 * kBatchPages; ++page) {
      EXPECT_TRUE(map_->try_store(world_->worker(), page * 4096, bytes_of("b")));
    }
    world_.run_for(Duration::ms(20));  // No store within the same jiffy.
    world_.disk.hang(sim::DiskHang::data_writes);
    world_.files.cache().set_stall_recorder(this);
  }
  ~PageLocks() override { world_.files.cache().set_stall_recorder(nullptr); }

  void stalled(const sim::Stall& stall) override { stalls_.push_back(stall); }

  Asked<void> start_msync() {
    const Asked<void> asked = world_->start(map_->sync(world_->worker(), 0, 4 * kBatch));
    world_.run_for(Duration::ms(1));
    return asked;
  }
  bool try_store(std::int64_t page) {
    return stored_->try_store(storer_.worker(), page * 4096, bytes_of("c"));
  }
  Asked<void> start_store(std::int64_t page) {
    const Asked<void> asked =
        storer_.start(stored_->store(storer_.worker(), page * 4096, SharedBytes::copy_of("c")));
    world_.run_for(Duration::ms(1));
    return asked;
  }

  FileWorld world_;
  FileActor storer_;
  MappedFile* map_ = nullptr;
  MappedFile* stored_ = nullptr;
  std::vector<sim::Stall> stalls_;
};

TEST_F(PageLocks, AStoreWaitsForThePagesThatAnMsyncHoldsWhileItWaitsForATag) {
  const Asked<void> msync = start_msync();
  EXPECT_EQ(world_->worker().wait_place(), WaitPlace::device) << "for a tag";
  EXPECT_TRUE(try_store(0)) << "on its way to the device, and unlocked: no stable pages";
  const std::int64_t held = kBatchPages + 7;
  EXPECT_FALSE(try_store(held));
  const Asked<void> store = start_store(held);
  EXPECT_EQ(storer_.worker().wait_place(), WaitPlace::page_lock);
  world_.run_for(Duration::s(10));
  EXPECT_FALSE(store->done());
  EXPECT_EQ(storer_.worker().wait_place(), WaitPlace::page_lock);

  world_.disk.release(sim::DiskHang::data_writes);
  EXPECT_TRUE(storer_.finish(store).has_value());
  EXPECT_TRUE(world_->finish(msync).has_value());
  ASSERT_FALSE(stalls_.empty());
  EXPECT_EQ(stalls_[0].place, WaitPlace::page_lock);
  EXPECT_EQ(stalls_[0].file_offset, held * 4096);
  EXPECT_GE(stalls_[0].length_ns, Duration::s(10).count_ns());
  EXPECT_EQ(storer_.worker().waits_at(WaitPlace::page_lock).count, 1);
}

TEST_F(PageLocks, PagesBehindTheBatchAreDirtyAndFree) {
  start_msync();
  EXPECT_EQ(world_.files.cache().writeback_pages(), 2 * kBatchPages);
  EXPECT_EQ(world_.files.cache().dirty_pages(), 2 * kBatchPages);
  EXPECT_TRUE(try_store(2 * kBatchPages));
  EXPECT_TRUE(try_store(4 * kBatchPages - 1));
  world_.disk.release(sim::DiskHang::data_writes);
}

// As with the marks that Linux puts on pages when a sync begins.
TEST_F(PageLocks, AnMsyncThatWaitsWritesWhatWasDirtyAtItsCall) {
  const Asked<void> msync = start_msync();
  EXPECT_TRUE(try_store(0)) << "again: it is under writeback";
  world_.disk.release(sim::DiskHang::data_writes);
  EXPECT_TRUE(world_->finish(msync).has_value());
  EXPECT_EQ(world_.files.cache().dirty_pages(), 1) << "became dirty behind it";
  world_.power_cut();
  EXPECT_EQ(world_->read("/log", 4 * kBatch - 4096, 1), "b");
}

TEST_F(PageLocks, AFaultThatWaitsForALockCanBeKilled) {
  start_msync();
  start_store(kBatchPages);
  ASSERT_EQ(storer_.worker().wait_place(), WaitPlace::page_lock);
  sim::SimProcess& process = storer_.process();
  process.kill();
  world_.run_for(Duration());
  EXPECT_FALSE(process.alive());
  world_.disk.release(sim::DiskHang::data_writes);
}

TEST_F(PageLocks, TheFlusherWaitsForATagAndHoldsWhatItWroteLast) {
  world_.run_for(Duration::s(36));
  EXPECT_EQ(world_.files.cache().writeback_pages(), 2 * kBatchPages);
  EXPECT_EQ(world_.files.cache().dirty_pages(), 2 * kBatchPages);
  EXPECT_TRUE(try_store(0));
  EXPECT_FALSE(try_store(kBatchPages));
  EXPECT_TRUE(try_store(2 * kBatchPages));
  world_.disk.release(sim::DiskHang::data_writes);
  world_.run_for(Duration::s(1));
  EXPECT_EQ(world_.files.cache().dirty_pages(), 0);
  EXPECT_EQ(world_.files.cache().writeback_pages(), 0);
}

// Section 1.6 names tags, wbt, allocation and the journal; a throttled bio is the throttle's.
class ThrottledPageLocks : public PageLocks {
 protected:
  static FileWorldOptions options() {
    FileWorldOptions options = one_command_at_a_time();
    options.disk.profile.queue_requests = 128;
    return options;
  }
  ThrottledPageLocks() : PageLocks(options()) {}
};

TEST_F(ThrottledPageLocks, NobodyWaitsForPagesThatTheBlockThrottleKeeps) {
  world_.disk.queue_of(HostId(1)).set_throttle({.writes = {.bytes_per_s = kBatch}});
  start_msync();
  EXPECT_EQ(world_->worker().wait_place(), WaitPlace::writeback);
  for (std::int64_t batch = 0; batch < 4; ++batch) EXPECT_TRUE(try_store(batch * kBatchPages));
  world_.disk.release(sim::DiskHang::data_writes);
}

// Of two threads that touch one absent page the second waits for its lock; a page that is read
// around is waited for as such.
TEST(PageLock, IsWhatAFaultOnAPageThatAnotherThreadReadsWaitsFor) {
  FileWorldOptions options{
      .disk = {.name = "d0", .capacity_bytes = 256 * kMiB, .profile = flat_profile()}};
  FileWorld world(options);
  ASSERT_TRUE(world->write("/log", 0, std::string(kMiB, 'a')).has_value());
  ASSERT_TRUE(world->sync("/log").has_value());
  world.drop_clean_pages();
  FileActor second(world.files, world.host, "second");
  FileActor third(world.files, world.host, "third");
  FileActor fourth(world.files, world.host, "fourth");
  MappedFile& map = world->map("/log", kMiB);
  MappedFile& map_2 = second.map("/log", kMiB);
  MappedFile& map_3 = third.map("/log", kMiB);
  MappedFile& map_4 = fourth.map("/log", kMiB);
  world.disk.hang(sim::DiskHang::all);
  const auto first_load = world->start(map.load(world->worker(), 100 * 4096, 1));
  const auto same_page = second.start(map_2.load(second.worker(), 100 * 4096, 1));
  const auto read_around = third.start(map_3.load(third.worker(), 101 * 4096, 1));
  const auto store =
      fourth.start(map_4.store(fourth.worker(), 100 * 4096, SharedBytes::copy_of("b")));
  world.run_for(Duration::s(1));
  EXPECT_EQ(world->worker().wait_place(), WaitPlace::page_read);
  EXPECT_EQ(second.worker().wait_place(), WaitPlace::page_lock);
  EXPECT_EQ(third.worker().wait_place(), WaitPlace::page_read);
  EXPECT_EQ(fourth.worker().wait_place(), WaitPlace::page_lock);
  world.disk.release(sim::DiskHang::all);
  EXPECT_TRUE(world->finish(first_load).has_value());
  EXPECT_TRUE(second.finish(same_page).has_value());
  EXPECT_TRUE(third.finish(read_around).has_value());
  EXPECT_TRUE(fourth.finish(store).has_value());
}

}  // namespace
}  // namespace drydock::test
