// What the end of a process or of its host's power does to files: design, section 3.
#include <gtest/gtest.h>

#include "tests/support/disk_world.hpp"
#include "tests/support/file_world.hpp"

namespace drydock::test {
namespace {

using sim::DiskHang;

TEST(ProcessKill, LosesNothingThatWasStoredAndItIsStillWrittenBack) {
  FileWorld world;
  MappedFile& map = world->map("/m", 8192);
  ASSERT_TRUE(map.try_store(world->worker(), 0, bytes_of("stored")));
  ASSERT_TRUE(world->write("/f", 0, "written").has_value());
  world.kill();
  EXPECT_EQ(world->read("/m", 0, 6), "stored");
  EXPECT_EQ(world->read("/f"), "written");
  world.run_for(Duration::s(40));
  world.power_cut();
  EXPECT_EQ(world->read("/m", 0, 6), "stored");
  EXPECT_EQ(world->read("/f"), "written");
}

// The commit waits for the truncating worker's handle, and another worker of the process for the
// commit: the read inside of the handle must end in spite of the kill.
TEST(ProcessKill, WhileTruncateReadsDoesNotKeepACommitFromEnding) {
  FileWorld world;
  ASSERT_TRUE(world->write("/f", 0, std::string(4096, 'f')).has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  world.drop_clean_pages();
  Worker& other = world->process().context().workers.add("other");
  File& g = world->file("/g");
  world.disk.hang(DiskHang::reads);
  const Asked<void> cut = world->start(world->file("/f").truncate(world->worker(), 512));
  world.run_for(Duration::ms(1));
  const Asked<void> sync = world->start(g.sync_all(other));
  world.run_for(Duration::ms(1));
  EXPECT_FALSE(cut->done());
  EXPECT_FALSE(sync->done());
  sim::SimProcess& killed = world->process();
  world.kill();
  EXPECT_TRUE(killed.alive()) << "for the commit";
  world.disk.release(DiskHang::reads);
  world.run_for(Duration::s(1));
  EXPECT_FALSE(killed.alive());
  EXPECT_TRUE(world->sync("/g").has_value());
}

TEST(PowerLoss, LosesWhatWasNotSyncedAndKeepsWhatWas) {
  FileWorld world;
  MappedFile& map = world->map("/m", 8192);
  ASSERT_TRUE(map.try_store(world->worker(), 0, bytes_of("synced")));
  ASSERT_TRUE(world->now(map.sync(world->worker(), 0, 8192)).has_value());
  ASSERT_TRUE(map.try_store(world->worker(), 4096, bytes_of("lost")));
  world.power_cut();
  EXPECT_EQ(world->read("/m", 0, 6), "synced");
  EXPECT_EQ(world->read("/m", 4096, 4), std::string(4, '\0'));
}

// A dying process keeps its frames, its descriptors and its locks until its wait has ended.
TEST(KillDuringAHungSync, LeavesTheProcessDyingUntilTheDiskAnswers) {
  FileWorld world;
  world->file("/f");
  ASSERT_TRUE(world->now(world->files().lock(world->worker(), "/lock")).has_value());
  ASSERT_TRUE(world->write("/f", 0, "x").has_value());
  world.disk.hang(DiskHang::data_writes);
  const Asked<void> sync = world->start(world->file("/f").sync_data(world->worker()));
  world.run_for(Duration::ms(1));
  sim::SimProcess& process = world->process();
  world.kill();
  world.run_for(Duration::s(100));
  EXPECT_EQ(process.phase(), ProcessState::Phase::dying);
  world.disk.release(DiskHang::data_writes);
  world.run_for(Duration::ms(1));
  EXPECT_EQ(process.phase(), ProcessState::Phase::dead);
  EXPECT_FALSE(sync->done());
}

TEST(KillDuringAHungSync, IsOverAtOnceIfTheHostLosesItsPower) {
  FileWorld world;
  ASSERT_TRUE(world->write("/f", 0, "x").has_value());
  world.disk.hang(DiskHang::all);
  world->start(world->file("/f").sync_data(world->worker()));
  world.run_for(Duration::ms(1));
  sim::SimProcess& process = world->process();
  process.kill();
  world.run_for(Duration::ms(1));
  ASSERT_TRUE(process.alive());
  world.host.lose_power();
  world.run_for(Duration());
  EXPECT_FALSE(process.alive());
}

Task<Result<void>> hold_lock(FileActor& actor, std::string path) {
  Result<std::unique_ptr<FileLock>> lock = co_await actor.files().lock(actor.worker(), path);
  if (!lock) co_return lock.error();
  Result<void> told = co_await actor.process().context().terminate.wait();
  co_return told;
}

TEST(FileLock, IsHeldByADyingProcessAndFreeWhenItIsDead) {
  FileWorld world;
  FileActor other(world.files, world.host, "other");
  world->start(hold_lock(world.actor(), "/lock"));
  world->file("/f");
  ASSERT_TRUE(world->write("/f", 0, "x").has_value());
  EXPECT_EQ(other.now(other.files().lock(other.worker(), "/lock")).error().code(), ErrorCode::busy);
  world.disk.hang(DiskHang::data_writes);
  world->start(world->file("/f").sync_data(world->worker()));
  world.run_for(Duration::ms(1));
  world.kill();
  EXPECT_EQ(other.now(other.files().lock(other.worker(), "/lock")).error().code(), ErrorCode::busy);
  world.disk.release(DiskHang::data_writes);
  world.run_for(Duration::ms(1));
  EXPECT_TRUE(other.now(other.files().lock(other.worker(), "/lock")).has_value());
}

TEST(KillDuringAMajorFault, TakesEffectAtOnce) {
  FileWorld world;
  ASSERT_TRUE(world->write("/f", 0, "content").has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  world.drop_clean_pages();
  world.disk.hang(DiskHang::reads);
  world->start(world->map("/f", 7).load(world->worker(), 0, 7));
  world.run_for(Duration::ms(1));
  EXPECT_EQ(world->worker().wait_place(), WaitPlace::page_read);
  sim::SimProcess& process = world->process();
  world.kill();
  EXPECT_FALSE(process.alive());
  world.disk.release(DiskHang::reads);
  EXPECT_EQ(world->read("/f"), "content");
}

// A file of two pages that are on the device alone; then a direct read of the first one is killed
// while the device is at it.
void kill_during_a_direct_read(FileWorld& world) {
  ASSERT_TRUE(world->write("/f", 0, std::string(8192, 'x')).has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  world->close("/f");
  world.drop_clean_pages();
  File& file = world->file("/f", {.caching = Caching::direct});
  const Asked<ByteChain> read = world->start(file.read_at(world->worker(), 0, 4096));
  world.run_for(Duration());
  ASSERT_EQ(world->worker().wait_place(), WaitPlace::device);
  sim::SimProcess& process = world->process();
  world.kill();
  EXPECT_EQ(process.phase(), ProcessState::Phase::dying);
  world.run_for(Duration::s(1));
  EXPECT_EQ(process.phase(), ProcessState::Phase::dead);
  EXPECT_FALSE(read->done());
}

TEST(KillDuringADirectRead, LeavesAFileThatCanBeCut) {
  FileWorld world;
  kill_during_a_direct_read(world);
  EXPECT_TRUE(world->now(world->file("/f").truncate(world->worker(), 0)).has_value());
}

TEST(KillDuringADirectRead, LeavesAFileWhoseBlocksAreFreeOnceItIsRemoved) {
  FileWorld world;
  const std::int64_t empty = world->free_bytes();
  kill_during_a_direct_read(world);
  ASSERT_TRUE(world->now(world->files().remove(world->worker(), "/f")).has_value());
  world.settle();
  EXPECT_EQ(world->free_bytes(), empty);
}

TEST(KillDuringADirectRead, KeepsTheBlocksOfARemovedFileUntilTheDeviceHasAnswered) {
  FileWorld world;
  const std::int64_t empty = world->free_bytes();
  world.disk.hang(DiskHang::reads);
  ASSERT_TRUE(world->write("/f", 0, std::string(4096, 'x')).has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  world->close("/f");
  world.drop_clean_pages();
  world->start(world->file("/f", {.caching = Caching::direct}).read_at(world->worker(), 0, 4096));
  world.run_for(Duration());
  world.kill();
  ASSERT_TRUE(world->now(world->files().remove(world->worker(), "/f")).has_value());
  world.settle();
  EXPECT_EQ(world->free_bytes(), empty - 4096);
  world.disk.release(DiskHang::reads);
  world.settle();
  EXPECT_EQ(world->free_bytes(), empty);
}

// What waits for the device to be done with the file goes on when it is, whatever the reader does.
TEST(StopDuringADirectRead, DoesNotHoldUpOthers) {
  FileWorld world;
  ASSERT_TRUE(world->write("/f", 0, std::string(8192, 'x')).has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  world->close("/f");
  world.drop_clean_pages();
  FileActor other(world.files, world.host, "other");
  other.file("/f");
  world->start(world->file("/f", {.caching = Caching::direct}).read_at(world->worker(), 0, 4096));
  world.run_for(Duration());
  world->process().stop();
  EXPECT_TRUE(other.now(other.file("/f").truncate(other.worker(), 0)).has_value());
  world->process().proceed();
}

TEST(Removal, OfAnOpenFileKeepsItUntilItsProcessIsDead) {
  FileWorld world;
  ASSERT_TRUE(world->write("/f", 0, std::string(1 << 20, 'f')).has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  const std::int64_t used = world->free_bytes();
  ASSERT_TRUE(world->now(world->files().remove(world->worker(), "/f")).has_value());
  EXPECT_EQ(text_of(*world->now(world->file("/f").read_at(world->worker(), 0, 1))), "f");
  world.settle();
  EXPECT_EQ(world->free_bytes(), used);
  world.kill();
  world.settle();
  EXPECT_EQ(world->free_bytes(), used + (1 << 20));
}

TEST(Removal, OfAnOpenFileIsFinishedByTheMountAfterAPowerLoss) {
  FileWorld world;
  const std::int64_t empty = world->free_bytes();
  ASSERT_TRUE(world->write("/f", 0, std::string(1 << 20, 'f')).has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  ASSERT_TRUE(world->now(world->files().remove(world->worker(), "/f")).has_value());
  world.settle();
  world.power_cut();
  world.settle();
  EXPECT_EQ(world->read("/f"), "<absent>");
  EXPECT_EQ(world->free_bytes(), empty);
}

// R6: of a page that was in flight each sector is old or new.
TEST(PowerLoss, TearsAPageInFlightAtTheSector) {
  bool torn = false;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    FileWorldOptions options;
    options.kernel.seed = seed;
    FileWorld world(options);
    ASSERT_TRUE(world->write("/f", 0, std::string(4096, 'o')).has_value());
    ASSERT_TRUE(world->sync("/f").has_value());
    ASSERT_TRUE(world->write("/f", 0, std::string(4096, 'n')).has_value());
    world->start(world->file("/f").sync_data(world->worker()));
    world.run_for(Duration());
    world.power_cut();
    const std::string found = world->read("/f");
    ASSERT_EQ(found.size(), 4096u);
    for (std::size_t at = 0; at < 4096; at += 512) {
      const std::string sector = found.substr(at, 512);
      EXPECT_TRUE(sector == std::string(512, 'o') || sector == std::string(512, 'n'));
    }
    torn = torn || found.find_first_not_of(found[0]) != std::string::npos;
  }
  EXPECT_TRUE(torn);
}

TEST(PowerLoss, CallsWaitWhileTheHostMountsAgain) {
  FileWorld world;
  ASSERT_TRUE(world->write("/f", 0, "x").has_value());
  ASSERT_TRUE(world->sync("/f").has_value());
  world.host.lose_power();
  world.run_for(Duration());
  world.host.restore_power();
  world.run_for(Duration());
  FileActor early(world.files, world.host, "early");
  const std::int64_t start = world.kernel.now();
  EXPECT_EQ(early.read("/f"), "x");
  EXPECT_GE(world.kernel.now() - start, Duration::ms(20).count_ns());
}

TEST(PowerLoss, ThePathsSpaceIsToldOnceTheHostHasMountedAgain) {
  FileWorld world;
  const std::int64_t free = world->free_bytes();
  world.host.lose_power();
  world.run_for(Duration());
  world.host.restore_power();
  world.run_for(Duration());
  FileActor early(world.files, world.host, "early");
  EXPECT_EQ(early.free_bytes(), free);
}

TEST(PowerLoss, OfADamagedMountFailsEveryCall) {
  FileWorld world;
  ASSERT_TRUE(world->write("/f", 0, "x").has_value());
  world.host.lose_power();
  world.run_for(Duration());
  world.host.restore_power();
  world.run_for(Duration());
  world.disk.fail_next(sim::DiskCommand::Kind::read, 1);
  world.run_for(Duration::s(1));
  FileActor later(world.files, world.host, "later");
  EXPECT_EQ(later.read("/f"), "<absent>");
  EXPECT_EQ(later.now(later.files().list(later.worker(), "/")).error().code(), ErrorCode::io_error);
}

// A cloud disk, two hosts: the second one takes the disk over.
class TwoHosts {
 public:
  TwoHosts() : a(kernel, HostId(1), {.name = "a"}), b(kernel, HostId(2), {.name = "b"}) {}
  sim::Kernel kernel{{.seed = 1}};
  sim::SimDisk disk{kernel,
                    DiskId(1),
                    {.name = "shared",
                     .capacity_bytes = 64 << 20,
                     .profile = flat_profile(),
                     .placement = sim::DiskPlacement::remote}};
  sim::Host a;
  sim::Host b;
  void run_for(Duration time) { kernel.run_until(kernel.now() + time.count_ns()); }
};

TEST(SharedDisk, ShowsTheNextHostWhatTheLostOneHadSynced) {
  TwoHosts world;
  sim::HostFiles files_of_a(world.kernel, world.a, world.disk, {});
  FileActor on_a(files_of_a, world.a, "pa");
  ASSERT_TRUE(on_a.write("/f", 0, "synced").has_value());
  ASSERT_TRUE(on_a.sync("/f").has_value());
  ASSERT_TRUE(on_a.write("/f", 0, "unsync").has_value());
  world.a.lose_power();
  world.run_for(Duration());
  sim::HostFiles files_of_b(world.kernel, world.b, world.disk, {});
  FileActor on_b(files_of_b, world.b, "pb");
  EXPECT_EQ(on_b.read("/f"), "synced");
  const auto& image = static_cast<const sim::VolumeImage&>(*world.disk.format());
  EXPECT_EQ(world.disk.store().origin(image.data_begin()).author_host, 1u);
}

TEST(SharedDisk, IsDamagedWhenAHostThatWasNotFencedCommitsAfterAnotherHasMounted) {
  TwoHosts world;
  sim::HostFiles files_of_a(world.kernel, world.a, world.disk, {});
  FileActor on_a(files_of_a, world.a, "pa");
  sim::HostFiles files_of_b(world.kernel, world.b, world.disk, {});
  FileActor on_b(files_of_b, world.b, "pb");
  ASSERT_TRUE(on_a.write("/f", 0, "x").has_value());
  ASSERT_TRUE(on_a.sync("/f").has_value());
  world.b.lose_power();
  world.run_for(Duration());
  world.b.restore_power();
  world.run_for(Duration::s(1));
  FileActor again(files_of_b, world.b, "pb2");
  EXPECT_EQ(again.now(again.files().list(again.worker(), "/")).error().code(), ErrorCode::io_error);
}

}  // namespace
}  // namespace drydock::test
