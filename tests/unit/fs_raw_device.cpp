// A shared block device through the page caches of two hosts: what one of them reads may be older
// than what the other has written, and what it has dirty goes over it.
#include <gtest/gtest.h>

#include "sim/fs/node_control.hpp"
#include "tests/support/disk_world.hpp"
#include "tests/support/file_world.hpp"

namespace drydock::test {
namespace {

constexpr const char* kDevice = "/dev/shared";
constexpr std::int64_t kPage = sim::kPageBytes;

// Two hosts with a disk of their own each, and one that both are attached to.
class SharedDevice : public testing::Test {
 protected:
  struct Node {
    Node(sim::Kernel& kernel, sim::SimDisk& shared, std::uint32_t number)
        : disk(kernel, DiskId(number),
               {.name = "own" + std::to_string(number), .capacity_bytes = 64 << 20}),
          host(kernel, HostId(number), {.name = "h" + std::to_string(number)}),
          files(kernel, host, disk, {}) {
      files.attach_disk(shared, kDevice);
      actor = std::make_unique<FileActor>(files, host, "agent");
    }
    sim::SimDisk disk;
    sim::Host host;
    sim::HostFiles files;
    sim::SimHostControl control{files};
    std::unique_ptr<FileActor> actor;

    FileActor* operator->() { return actor.get(); }
    Result<void> write(std::int64_t page, char value) {
      return actor->write(kDevice, page * kPage, std::string(kPage, value));
    }
    char read(std::int64_t page) { return actor->read(kDevice, page * kPage, kPage).at(0); }
    Result<void> purge() { return actor->now(control.purge_cache(actor->worker(), kDevice)); }
  };

  sim::Kernel kernel{{.seed = 1}};
  sim::SimDisk disk{kernel,
                    DiskId(9),
                    {.name = "shared",
                     .capacity_bytes = 64 << 20,
                     .profile = flat_profile(),
                     .placement = sim::DiskPlacement::remote,
                     .reservations = sim::spec_reservations()}};
  Node a{kernel, disk, 1};
  Node b{kernel, disk, 2};
};

TEST_F(SharedDevice, IsReadByAnotherHostOnceItIsSynced) {
  ASSERT_TRUE(a.write(7, 'a').has_value());
  EXPECT_EQ(b.read(7), '\0');
  ASSERT_TRUE(a->sync(kDevice).has_value());
  ASSERT_TRUE(b.purge().has_value());
  EXPECT_EQ(b.read(7), 'a');
}

TEST_F(SharedDevice, ShowsPagesThatWereReadAheadAsTheyWereUntilTheyArePurged) {
  EXPECT_EQ(b.read(0), '\0');  // Brings 32 pages.
  ASSERT_TRUE(a.write(31, 'a').has_value());
  ASSERT_TRUE(a.write(32, 'a').has_value());
  ASSERT_TRUE(a->sync(kDevice).has_value());
  EXPECT_EQ(b.read(31), '\0') << "stale";
  EXPECT_EQ(b.read(32), 'a');
  ASSERT_TRUE(b.purge().has_value());
  EXPECT_EQ(b.read(31), 'a');
}

TEST_F(SharedDevice, IsOverwrittenByWhatAnotherHostHasDirty) {
  ASSERT_TRUE(b.write(3, 'b').has_value());
  ASSERT_TRUE(a.write(3, 'a').has_value());
  ASSERT_TRUE(a->sync(kDevice).has_value());
  kernel.run_until(kernel.now() + Duration::s(40).count_ns());  // b's flusher.
  ASSERT_TRUE(a.purge().has_value());
  EXPECT_EQ(a.read(3), 'b');
  EXPECT_EQ(disk.store().origin(3).author_host, 2u);
}

TEST_F(SharedDevice, TellsWhoPurgesNothingOfWhatCouldNotBeWritten) {
  ASSERT_TRUE(b.write(3, 'b').has_value());
  const Error conflict = Error::from_nvme(ErrorCode::reservation_conflict, 0x083);
  disk.fail_next(sim::DiskCommand::Kind::write, 1, conflict);
  ASSERT_TRUE(b.purge().has_value());
  EXPECT_EQ(b.read(3), '\0') << "dropped";
  EXPECT_EQ(b->sync(kDevice).error().code(), ErrorCode::reservation_conflict);
}

TEST_F(SharedDevice, IsNotServedAfterAPurgeByAReadThatWasUnderWayBefore) {
  disk.hang(sim::DiskHang::reads);
  const Asked<ByteChain> read = b->start(b->file(kDevice).read_at(b->worker(), 0, kPage));
  kernel.run_until(kernel.now() + Duration::ms(1).count_ns());
  ASSERT_TRUE(b.purge().has_value());
  ASSERT_TRUE(a.write(0, 'a').has_value());
  ASSERT_TRUE(a->sync(kDevice).has_value());
  disk.release(sim::DiskHang::reads);
  const Result<ByteChain> bytes = b->finish(read);
  EXPECT_EQ(text_of(*bytes).at(0), 'a');
}

TEST_F(SharedDevice, ForgetsItsCacheWithThePowerOfItsHost) {
  ASSERT_TRUE(b.write(3, 'b').has_value());
  b.host.lose_power();
  kernel.run_until(kernel.now());
  b.host.restore_power();
  kernel.run_until(kernel.now() + Duration::s(1).count_ns());
  b.actor = std::make_unique<FileActor>(b.files, b.host, "again");
  EXPECT_EQ(b.read(3), '\0');
}

TEST_F(SharedDevice, DirectIoGoesPastTheCache) {
  const OpenOptions direct{.caching = Caching::direct};
  EXPECT_EQ(b.read(0), '\0');
  Result<std::unique_ptr<File>> file = b->now(b->files().open(b->worker(), kDevice, direct));
  const SharedBytes bytes = SharedBytes::copy_of(std::string(512, 'd'));
  ASSERT_TRUE(b->now((*file)->write_at(b->worker(), 512, bytes)).has_value());
  EXPECT_EQ(b->read(kDevice, 0, 1024), std::string(512, '\0') + std::string(512, 'd'));
  EXPECT_EQ(b->now((*file)->write_at(b->worker(), 7, bytes)).error().code(),
            ErrorCode::invalid_argument);
  EXPECT_EQ(b->now((*file)->truncate(b->worker(), 0)).error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ((*file)->size().value(), 64 << 20);
}

// A host with nothing but the device.
struct Alone {
  sim::Kernel kernel{{.seed = 1}};
  sim::SimDisk disk;
  sim::Host host;
  sim::HostFiles files;
  FileActor actor;
  Alone(sim::DiskProfile profile, sim::MemoryOptions memory, sim::FileSystemOptions options)
      : disk(kernel, DiskId(1), {.name = "d1", .capacity_bytes = 64 << 20, .profile = profile}),
        host(kernel, HostId(1), {.name = "h1", .memory = memory}),
        files(kernel, host, options),
        actor((files.attach_disk(disk, kDevice), files), host, "agent") {}

  void fill(std::int64_t pieces) {
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
      const std::string bytes(1 << 20, static_cast<char>('A' + piece));
      ASSERT_TRUE(actor.write(kDevice, piece << 20, bytes).has_value());
    }
  }
};

TEST(DeviceAlone, MayBeLargerThanTheMemoryOfItsHost) {
  Alone world(flat_profile(), {.bytes = 1 << 30, .group_limit_bytes = 8 << 20}, {});
  world.fill(60);
  EXPECT_LE(world.host.memory()->cached(), 2'048);
  ASSERT_TRUE(world.actor.sync(kDevice).has_value());
  for (std::int64_t piece = 0; piece < 60; ++piece) {
    EXPECT_EQ(world.actor.read(kDevice, piece << 20, kPage).at(7), static_cast<char>('A' + piece));
  }
  EXPECT_LE(world.host.memory()->cached(), 2'048);
  EXPECT_EQ(world.host.memory()->counters().group_kills, 0);
}

TEST(DeviceAlone, ThrottlesWhoeverWritesFasterThanItDoes) {
  sim::DiskProfile profile = flat_profile();
  profile.write_bytes_per_s = 10 << 20;
  sim::FileSystemOptions options;
  options.page_cache.dirty_bytes = 4 << 20;
  options.page_cache.dirty_background_bytes = 2 << 20;
  Alone world(profile, {}, options);
  world.fill(60);
  EXPECT_GE(world.kernel.now(), Duration::s(5).count_ns());
  EXPECT_GT(world.actor.worker().waits_at(WaitPlace::dirty_throttle).count, 0);
  EXPECT_LE(world.files.cache().dirty_pages() + world.files.cache().writeback_pages(), 1'100);
}

// A node agent's way with a file system on the shared disk.
class SharedFiles : public SharedDevice {
 protected:
  void SetUp() override { sim::HostFiles::make_file_system(disk, {}); }
  Result<void> mount(Node& node, MountOptions options = MountOptions()) {
    return node->now(node.control.mount(node->worker(), kDevice, "/data", options));
  }
  Result<void> unmount(Node& node) {
    return node->now(node.control.unmount(node->worker(), "/data"));
  }
  static std::optional<ErrorCode> code(const Result<void>& result) {
    if (result) return std::nullopt;
    return result.error().code();
  }
};

TEST_F(SharedFiles, AreFoundAtTheirMountPoint) {
  ASSERT_TRUE(mount(a).has_value());
  ASSERT_TRUE(a->write("/data/f", 0, "shared").has_value());
  ASSERT_TRUE(a->write("/f", 0, "own").has_value());
  EXPECT_EQ(a->read("/data/f"), "shared");
  EXPECT_EQ(a->read("/f"), "own");
  EXPECT_EQ(code(a->now(a->files().rename(a->worker(), "/f", "/data/g"))),
            ErrorCode::invalid_argument);
  const Result<std::vector<AttachedDisk>> attached = a.control.attached();
  ASSERT_EQ(attached->size(), 1u);
  EXPECT_EQ(attached->at(0).disk, DiskId(9));
  EXPECT_EQ(attached->at(0).device, kDevice);
  EXPECT_EQ(attached->at(0).mount_point, "/data");
  EXPECT_EQ(code(a.purge()), ErrorCode::busy);
  EXPECT_EQ(code(mount(a)), ErrorCode::busy);
}

TEST_F(SharedFiles, MoveToAnotherHostWhenTheyAreUnmounted) {
  ASSERT_TRUE(mount(a).has_value());
  ASSERT_TRUE(a->write("/data/f", 0, "moved").has_value());
  EXPECT_EQ(code(unmount(a)), ErrorCode::busy);
  a->close("/data/f");
  ASSERT_TRUE(unmount(a).has_value());
  EXPECT_EQ(a->read("/data/f"), "<absent>");
  const auto& image = static_cast<const sim::VolumeImage&>(*disk.format());
  EXPECT_EQ(image.log().blocks, 0) << "clean: nothing to replay";
  ASSERT_TRUE(mount(b).has_value());
  EXPECT_EQ(b->read("/data/f"), "moved");
}

TEST_F(SharedFiles, OfADeadHostAreReplayedByACheckOrAMount) {
  ASSERT_TRUE(mount(a).has_value());
  ASSERT_TRUE(a->write("/data/f", 0, "synced").has_value());
  ASSERT_TRUE(a->sync("/data/f").has_value());
  a.host.lose_power();
  kernel.run_until(kernel.now());
  const auto& image = static_cast<const sim::VolumeImage&>(*disk.format());
  EXPECT_GT(image.log().blocks, 0);
  const MountOptions peek{.access = MountOptions::Access::read_only,
                          .replay = MountOptions::Replay::no_replay};
  EXPECT_EQ(code(mount(b, peek)), ErrorCode::not_supported);
  ASSERT_TRUE(b->now(b.control.check(b->worker(), kDevice)).has_value());
  EXPECT_EQ(image.log().blocks, 0);
  ASSERT_TRUE(mount(b, peek).has_value());
  EXPECT_EQ(b->read("/data/f"), "synced");
  EXPECT_EQ(code(b->write("/data/f", 0, "x")), ErrorCode::read_only);
  EXPECT_EQ(code(b->now(b->files().remove(b->worker(), "/data/f"))), ErrorCode::read_only);
}

TEST_F(SharedFiles, AreNotMountedByAHostThatMayNotWrite) {
  ASSERT_TRUE(mount(a).has_value());
  ASSERT_TRUE(a->write("/data/f", 0, "x").has_value());
  ASSERT_TRUE(a->sync("/data/f").has_value());
  const Error conflict = Error::from_nvme(ErrorCode::reservation_conflict, 0x083);
  disk.fail_next(sim::DiskCommand::Kind::write, 1, conflict);
  EXPECT_EQ(code(mount(b)), ErrorCode::reservation_conflict);
  EXPECT_EQ(b->read("/data/f"), "<absent>");
  // And the owner goes on undisturbed.
  ASSERT_TRUE(a->write("/data/f", 0, "y").has_value());
  ASSERT_TRUE(a->sync("/data/f").has_value());
  EXPECT_EQ(a->read("/data/f"), "y");
}

// Fencing, as far as a file system sees it: a preempted host keeps what is in its memory, writes
// nothing any more, and does not get in again.
TEST_F(SharedFiles, OfAPreemptedHostDoNotReachTheDisk) {
  constexpr auto kType = ReservationType::write_exclusive;
  constexpr auto kKeep = PersistThroughPowerLoss::keep;
  const ReservationKey key_a{0xa};
  const ReservationKey key_b{0xb};
  const std::unique_ptr<Reservations> of_a = *a.control.open_reservations(kDevice);
  const std::unique_ptr<Reservations> of_b = *b.control.open_reservations(kDevice);
  ASSERT_TRUE(a->now(of_a->register_key(a->worker(), key_a, kKeep)).has_value());
  ASSERT_TRUE(a->now(of_a->acquire(a->worker(), key_a, kType)).has_value());
  ASSERT_TRUE(mount(a).has_value());
  ASSERT_TRUE(a->write("/data/f", 0, "synced").has_value());
  ASSERT_TRUE(a->sync("/data/f").has_value());
  // In another jiffy: the time of the file changes, and there will be something to commit.
  kernel.run_until(kernel.now() + Duration::ms(10).count_ns());
  ASSERT_TRUE(a->write("/data/f", 0, "unsync").has_value());
  EXPECT_EQ(code(mount(b)), ErrorCode::reservation_conflict);
  ASSERT_TRUE(b->now(of_b->register_key(b->worker(), key_b, kKeep)).has_value());
  ASSERT_TRUE(b->now(of_b->preempt_and_abort(b->worker(), key_b, key_a, kType)).has_value());
  ASSERT_TRUE(b.purge().has_value());
  ASSERT_TRUE(mount(b).has_value());
  EXPECT_EQ(b->read("/data/f"), "synced");
  EXPECT_EQ(code(a->sync_data("/data/f")), ErrorCode::reservation_conflict);
  EXPECT_EQ(a->read("/data/f"), "unsync");
  kernel.run_until(kernel.now() + Duration::s(10).count_ns());
  EXPECT_EQ(code(a->write("/data/f", 4096, "x")), ErrorCode::read_only);
  ASSERT_TRUE(b->write("/data/f", 0, "by b").has_value());
  ASSERT_TRUE(b->sync("/data/f").has_value());
  const auto& image = static_cast<const sim::VolumeImage&>(*disk.format());
  EXPECT_FALSE(image.damaged());
  a->close("/data/f");
  ASSERT_TRUE(unmount(a).has_value()) << "what cannot be written is given up";
  EXPECT_EQ(code(mount(a)), ErrorCode::reservation_conflict);
  EXPECT_EQ(b->read("/data/f"), "by bed");
}

TEST_F(SharedFiles, AreGoneWithTheirHostAndNotMountedAnewByItself) {
  ASSERT_TRUE(mount(a).has_value());
  ASSERT_TRUE(a->write("/data/f", 0, "x").has_value());
  a.host.lose_power();
  kernel.run_until(kernel.now());
  a.host.restore_power();
  kernel.run_until(kernel.now() + Duration::s(1).count_ns());
  a.actor = std::make_unique<FileActor>(a.files, a.host, "again");
  EXPECT_EQ(a->read("/data/f"), "<absent>");
  EXPECT_TRUE(a.control.attached()->at(0).mount_point.empty());
  EXPECT_TRUE(mount(a).has_value());
}

TEST_F(SharedFiles, NeedADiskThatIsAttached) {
  EXPECT_EQ(code(a->now(a.control.purge_cache(a->worker(), "/dev/none"))), ErrorCode::not_found);
  EXPECT_EQ(code(a->now(a.control.check(a->worker(), "/dev/none"))), ErrorCode::not_found);
  EXPECT_EQ(code(a->now(a.control.unmount(a->worker(), "/none"))), ErrorCode::invalid_argument);
  EXPECT_FALSE(a.control.open_device("/dev/none").has_value());
}

// b takes the disk over from a. What the rules of ownership say of it, the disk counts: design,
// section 5, I1 and I2; reference on reservations, section 16.
class TakenOver : public SharedFiles {
 protected:
  static constexpr auto kType = ReservationType::write_exclusive;
  static constexpr std::int64_t kLogPages = 32;
  const ReservationKey key_a{0xa};
  const ReservationKey key_b{0xb};
  std::unique_ptr<Reservations> of_a;
  std::unique_ptr<Reservations> of_b;

  void SetUp() override {
    SharedFiles::SetUp();
    of_a = *a.control.open_reservations(kDevice);
    of_b = *b.control.open_reservations(kDevice);
    constexpr auto kKeep = PersistThroughPowerLoss::keep;
    ASSERT_TRUE(a->now(of_a->register_key(a->worker(), key_a, kKeep)).has_value());
    ASSERT_TRUE(a->now(of_a->acquire(a->worker(), key_a, kType)).has_value());
    ASSERT_TRUE(mount(a).has_value());
    ASSERT_TRUE(b->now(of_b->register_key(b->worker(), key_b, kKeep)).has_value());
  }
  void write_and_sync(const std::string& text) {
    ASSERT_TRUE(a->write("/data/f", 0, text).has_value());
    ASSERT_TRUE(a->sync("/data/f").has_value());
  }
  void claim() {
    const Result<void> claimed = b->now(of_b->preempt_and_abort(b->worker(), key_b, key_a, kType));
    ASSERT_TRUE(claimed.has_value());
  }
  Result<void> check() { return b->now(b.control.check(b->worker(), kDevice)); }
};

TEST_F(TakenOver, MountsALogThatItsCacheOfTheDeviceHides) {
  write_and_sync("first");
  b.read(kLogPages);  // And what is read ahead with it.
  b.read(0);
  write_and_sync("first, second");
  claim();
  EXPECT_EQ(disk.ownership().stale_reads(), 0);
  ASSERT_TRUE(check().has_value());
  ASSERT_TRUE(mount(b).has_value());
  EXPECT_EQ(b->read("/data/f"), "first");
  EXPECT_GT(disk.ownership().stale_reads(), 0);
  EXPECT_EQ(disk.ownership().foreign_writes(), 0);
}

TEST_F(TakenOver, MountsWhatIsThereOnceTheCacheIsPurgedAfterTheClaim) {
  write_and_sync("first");
  b.read(kLogPages);
  b.read(0);
  write_and_sync("first, second");
  claim();
  ASSERT_TRUE(b.purge().has_value());
  ASSERT_TRUE(check().has_value());
  ASSERT_TRUE(mount(b).has_value());
  EXPECT_EQ(b->read("/data/f"), "first, second");
  EXPECT_EQ(disk.ownership().stale_reads(), 0);
  EXPECT_EQ(disk.ownership().foreign_writes(), 0);
}

TEST_F(TakenOver, WritesItsOldDirtyPagesUnlessTheyWerePurgedBeforeTheClaim) {
  ASSERT_TRUE(b.write(9'000, 'b').has_value());
  ASSERT_TRUE(b.purge().has_value()) << "refused by the device, and dropped";
  ASSERT_TRUE(b.write(9'001, 'b').has_value());
  claim();
  ASSERT_TRUE(b.purge().has_value());
  EXPECT_EQ(disk.ownership().foreign_writes(), 1);
  EXPECT_EQ(disk.store().origin(9'000).author_host, 0u);
  EXPECT_EQ(disk.store().origin(9'001).author_host, 2u);
  // What it writes as the owner is its own.
  ASSERT_TRUE(b.write(9'002, 'b').has_value());
  ASSERT_TRUE(b.purge().has_value());
  EXPECT_EQ(disk.ownership().foreign_writes(), 1);
}

TEST_F(TakenOver, CountsWhatAPlainPreemptLetsThrough) {
  const Asked<void> write = a->start(
      a->file(kDevice, {.caching = Caching::direct})
          .write_at(a->worker(), 9'000 * kPage, SharedBytes::copy_of(std::string(kPage, 'a'))));
  disk.hang(sim::DiskHang::data_writes);
  kernel.run_until(kernel.now() + Duration::ms(10).count_ns());
  ASSERT_TRUE(b->now(of_b->preempt(b->worker(), key_b, key_a, kType)).has_value());
  disk.release(sim::DiskHang::data_writes);
  EXPECT_TRUE(a->finish(write).has_value()) << "it had started";
  EXPECT_EQ(disk.ownership().foreign_writes(), 1);
}

}  // namespace
}  // namespace drydock::test
