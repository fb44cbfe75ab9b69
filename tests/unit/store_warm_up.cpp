// warmMapedFileEnable: a file of the log has its blocks and pages before it is used (storage
// reference, 6.5). What it is good for shows on a disk that fills up: see the last two tests.
#include <gtest/gtest.h>

#include "sim/fs/host_files.hpp"
#include "tests/support/store_world.hpp"

namespace drydock::test {
namespace {

// Files of 16 pages.
constexpr std::int64_t kPages = 16;

StoreConfiguration warm_store(FlushDiskType flush) {
  StoreConfiguration configuration = small_store(flush);
  configuration.mapped_file_size_commit_log = kPages * kPageBytes;
  configuration.warm_maped_file_enable = true;
  return configuration;
}

// A put of the first message makes two files.
int syncs_of_two_files(FlushDiskType flush, std::int32_t pages) {
  StoreWorld world(warm_store(flush));
  world.configuration.flush_least_pages_when_warm_maped_file = pages;
  StoreProcess broker(world);
  const PendingPut put = broker.put(message_of(10));
  world.files.syncs = 0;
  world.run_for(Duration());
  return world.files.syncs;
}

TEST(StoreWarmUp, WithSyncFlushAFileIsForcedEverySoManyPagesAndAtTheEnd) {
  const int own = syncs_of_two_files(FlushDiskType::sync_flush, 4096) - 2;  // Of the put itself.
  EXPECT_EQ(syncs_of_two_files(FlushDiskType::sync_flush, 4), own + 2 * (3 + 1));
  EXPECT_EQ(syncs_of_two_files(FlushDiskType::sync_flush, 5), own + 2 * (3 + 1));
  EXPECT_EQ(syncs_of_two_files(FlushDiskType::sync_flush, 15), own + 2 * (1 + 1));
  EXPECT_EQ(syncs_of_two_files(FlushDiskType::sync_flush, 0), own + 2 * (16 + 1));
}

TEST(StoreWarmUp, WithAsyncFlushNothingIsForced) {
  EXPECT_EQ(syncs_of_two_files(FlushDiskType::async_flush, 1), 0);
}

TEST(StoreWarmUp, FilesAreLockedUntilSixSecondsAfterAPutFoundThemFull) {
  StoreWorld world(warm_store(FlushDiskType::async_flush));
  StoreProcess broker(world);
  broker.put_now(message_of(60'000));
  const std::set<std::string> first_two{log_file(0), log_file(kPages * kPageBytes)};
  EXPECT_EQ(world.files.locked_in_memory, first_two);
  broker.put(message_of(60'000));  // Closes the first file.
  world.run_for(Duration::ms(5'999));
  EXPECT_TRUE(world.files.locked_in_memory.contains(log_file(0)));
  world.run_for(Duration::ms(1));
  EXPECT_FALSE(world.files.locked_in_memory.contains(log_file(0)));
  EXPECT_TRUE(world.files.locked_in_memory.contains(log_file(kPages * kPageBytes)));
  EXPECT_EQ(world.files.locked_in_memory.size(), 2u);
}

TEST(StoreWarmUp, WithoutItNothingIsLockedOrForced) {
  StoreWorld world(warm_store(FlushDiskType::async_flush));
  world.configuration.warm_maped_file_enable = false;
  StoreProcess broker(world);
  broker.put_now(message_of(60'000));
  broker.put_now(message_of(60'000));
  EXPECT_TRUE(world.files.locked_in_memory.empty());
}

// A page takes 10 ms; the ninth fails once. A disk that is full for an hour is asked for one page a
// millisecond, not for all of those that it has given.
TEST(StoreWarmUp, GoesOnAtThePageThatFailed) {
  StoreWorld world(warm_store(FlushDiskType::async_flush));
  StoreProcess broker(world);
  world.files.block_stores = true;
  world.files.store_time = Duration::ms(10);
  broker.put(message_of(10));
  world.run_for(Duration::ms(85));
  world.files.failing_path = kCommitLog;
  world.files.store_failures = 1;
  world.run_for(Duration::ms(10));
  EXPECT_EQ(world.files.store_failures, 0);
  EXPECT_EQ(world.count(EventName::store_file_created), 0u);
  world.run_for(Duration::ms(80));
  EXPECT_EQ(world.count(EventName::store_file_created), 1u);
}

// On a disk with page cache and file system.
class DiskWorld : public StoreWorld {
 public:
  explicit DiskWorld(bool warm)
      : StoreWorld(warm_store(FlushDiskType::async_flush)),
        disk(kernel, DiskId(0), {.name = "d0", .capacity_bytes = 64 << 20}),
        disk_files(kernel, host(), disk, {}) {
    configuration.warm_maped_file_enable = warm;
    configuration.mapped_file_size_commit_log = 1 << 20;
    configuration.mapped_file_size_consume_queue = 6'000'000;
  }
  std::unique_ptr<FileSystem> attach(sim::SimProcess& process) override {
    return disk_files.attach(process);
  }

  sim::SimDisk disk;
  sim::HostFiles disk_files;
};

class Started : public StoreProcess {
 public:
  explicit Started(StoreWorld& world) : StoreProcess(world) {
    world.run_for(Duration::s(1));
    ENSURE(started());
  }
};

Task<void> look_at_space(Context& context, std::int64_t& free_bytes) {
  Result<SpaceInfo> space = co_await context.files.space(context.workers.add("df"), "/");
  ENSURE(space.has_value());
  free_bytes = space->usable_bytes;
}

std::int64_t free_bytes(DiskWorld& world) {
  std::int64_t free_bytes = 0;
  sim::SimProcess& process = world.host().spawn("df");
  process.attach(std::make_unique<NoNetwork>(), world.attach(process));
  process.start([&free_bytes](Context& context) { return look_at_space(context, free_bytes); });
  world.run_for(Duration::s(1));
  return free_bytes;
}

// What 100 puts of 4 KB into a file that was made before take of the disk.
std::int64_t space_of_puts(bool warm) {
  DiskWorld world(warm);
  Started broker(world);
  broker.put_now(message_of(10));
  world.run_for(Duration::s(40));  // Whatever is dirty is written back.
  const std::int64_t before = free_bytes(world);
  for (int i = 0; i < 100; ++i) broker.put_now(message_of(4'000));
  world.run_for(Duration::s(40));
  return before - free_bytes(world);
}

TEST(StoreWarmUp, PutsIntoAWarmFileNeedNoBlocks) {
  EXPECT_GT(space_of_puts(false), 390'000);
  EXPECT_LT(space_of_puts(true), 64'000);  // Of the queue.
}

// Somebody else takes all of the disk but a few blocks.
Task<void> fill_disk(Context& context, std::int64_t leave_bytes) {
  Worker& worker = context.workers.add("tenant");
  const OpenOptions options{.create = Create::if_missing};
  Result<std::unique_ptr<File>> file = co_await context.files.open(worker, "/tenant", options);
  ENSURE(file.has_value());
  Result<SpaceInfo> space = co_await context.files.space(worker, "/");
  ENSURE(space.has_value());
  Result<void> taken = co_await (*file)->allocate(worker, 0, space->usable_bytes - leave_bytes);
  ENSURE(taken.has_value());
  Result<void> told = co_await context.terminate.wait();
  ENSURE(told.has_value());
}

// What the puts came to, after a tenant had left room for half a file when the first one was made,
// and before the broker looks at the disk for the first time, a minute after its start.
std::vector<PutStatus> puts_on_a_full_disk(bool warm) {
  DiskWorld world(warm);
  Started broker(world);
  sim::SimProcess& tenant = world.host().spawn("tenant");
  tenant.attach(std::make_unique<NoNetwork>(), world.attach(tenant));
  tenant.start([](Context& context) { return fill_disk(context, 512 << 10); });
  world.run_for(Duration::s(1));
  std::vector<PutStatus> statuses;
  while (world.now() < Duration::s(50)) {
    const PendingPut put = broker.put(message_of(4'000));
    while (!put->done()) world.run_for(Duration::ms(100));
    statuses.push_back(put->result->status);
  }
  return statuses;
}

// B041: the page fault of a put that is already placed in the log cannot get a block.
TEST(StoreWarmUp, WithoutItAFullDiskFailsAPutInTheMiddleOfAFile) {
  const std::vector<PutStatus> statuses = puts_on_a_full_disk(false);
  EXPECT_EQ(statuses.front(), PutStatus::put_ok);
  EXPECT_GT(statuses.size(), 131u) << "512 KiB of 4,000 bytes each";
  EXPECT_EQ(statuses.back(), PutStatus::unknown_error);
}

TEST(StoreWarmUp, WithItAFullDiskFailsTheFileBeforeAnythingIsInIt) {
  for (const PutStatus status : puts_on_a_full_disk(true)) {
    EXPECT_EQ(status, PutStatus::create_mapped_file_failed);
  }
}

}  // namespace
}  // namespace drydock::test
