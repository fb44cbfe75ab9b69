// How load changes the time of a command: on small parts, and on disks whose times can be worked
// out by hand. Facts: Linux I/O model, sections 5, 9 and 12.
#include <gtest/gtest.h>

#include "tests/support/disk_load.hpp"
#include "tests/support/disk_world.hpp"

namespace drydock::test {
namespace {

using Kind = sim::DiskCommand::Kind;

constexpr std::int64_t kMs = 1'000'000;

sim::DiskOptions disk_of(sim::DiskProfile profile) {
  return {.name = "d0", .capacity_bytes = 1 << 30, .profile = std::move(profile)};
}

TEST(TransferPipe, ItsUtilisationIsTheShareOfTheLastMillisecondsThatBytesTook) {
  sim::TransferPipe pipe(1'000'000'000, 0);
  EXPECT_EQ(pipe.utilisation(0), 0);
  std::int64_t now = 0;
  for (; now < 100 * kMs; now += kMs) pipe.turn(now, 500'000, 1000);  // 0.5 ms for each.
  EXPECT_NEAR(static_cast<double>(pipe.utilisation(now)), 500, 25);
  for (; now < 200 * kMs; now += kMs) pipe.turn(now, 2'000'000, 1000);
  EXPECT_EQ(pipe.utilisation(now), 1000);
  EXPECT_EQ(pipe.utilisation(290 * kMs), 1000);  // It has fallen behind by 100 ms.
  EXPECT_EQ(pipe.utilisation(320 * kMs), 0);
}

TEST(TransferPipe, CommandsWithoutBytesDoNotCountAsBandwidth) {
  sim::TransferPipe pipe(1'000'000'000, 1'000);
  for (std::int64_t now = 0; now < 100 * kMs; now += kMs) pipe.turn(now, 4'096, 1000);
  EXPECT_LT(pipe.utilisation(100 * kMs), 10);
}

TEST(Parallelism, GrowsWithTheDepthAndNeverHurries) {
  const sim::Parallelism all(0);
  EXPECT_EQ(all.stretch(7, 128), 1000);
  const sim::Parallelism half(500);
  EXPECT_EQ(half.stretch(1, 1), 1000);
  EXPECT_EQ(half.stretch(2, 2), 1333);    // Two served as by 1.5.
  EXPECT_EQ(half.stretch(8, 8), 3200);    // Eight as by 2.5.
  EXPECT_EQ(half.stretch(8, 128), 1777);  // As by 4.5, for others wait.
  EXPECT_EQ(half.stretch(1, 128), 1000);
}

sim::DiskProfile writing_profile() {
  sim::DiskProfile profile = flat_profile();
  profile.write_bytes_per_s = 1'000'000'000;
  profile.write_servers = 16;
  return profile;
}

TEST(SimDisk, ReadsSlowDownWithTheBandwidthOfWrites) {
  sim::DiskProfile profile = writing_profile();
  profile.read_factor_at_full_write = 4'000;  // 1 + 3u.
  DiskWorld world(disk_of(profile));
  DiskLoad reads(world.kernel, world.path, {.kind = Kind::read});
  world.run_for(Duration::ms(100));
  EXPECT_EQ(reads.percentile(500), 50);
  DiskLoad writes(world.kernel, world.path, {.kind = Kind::write, .bytes = 1 << 20, .depth = 4});
  world.run_for(Duration::ms(50));
  reads.forget_the_past();
  world.run_for(Duration::ms(100));
  EXPECT_NEAR(static_cast<double>(reads.percentile(500)), 200, 2);
  writes.stop();
  world.run_for(Duration::ms(50));
  reads.forget_the_past();
  world.run_for(Duration::ms(100));
  EXPECT_EQ(reads.percentile(500), 50);
}

TEST(SimDisk, CollectsGarbageUnderSustainedWritesOnly) {
  sim::DiskProfile profile = writing_profile();
  profile.collection = {.pause_min = Duration::ms(5),
                        .pause_max = Duration::ms(5),
                        .period_min = Duration::ms(95),
                        .period_max = Duration::ms(95)};
  DiskWorld world(disk_of(profile));
  DiskLoad reads(world.kernel, world.path, {.kind = Kind::read});
  world.run_for(Duration::s(1));
  EXPECT_EQ(reads.percentile(1000), 50);
  DiskLoad writes(world.kernel, world.path, {.kind = Kind::write, .bytes = 1 << 20, .depth = 4});
  world.run_for(Duration::ms(200));
  reads.forget_the_past();
  world.run_for(Duration::s(10));
  // A pause of 5 ms every 100 ms: one read waits for each.
  EXPECT_NEAR(static_cast<double>(reads.count()), 10.0 * 19'000, 2'500);
  EXPECT_NEAR(static_cast<double>(reads.percentile(1000)), 5'050, 1);
}

TEST(SimDisk, AnsweringTakesNoServer) {
  sim::DiskProfile profile = flat_profile();
  profile.read_servers = 1;
  profile.read_submission = Duration::us(30);
  DiskWorld world(disk_of(profile));
  const auto first = world.read(0);
  const auto second = world.read(1);
  world.run_for(Duration::ms(1));
  EXPECT_EQ(first->at_us, 80);
  EXPECT_EQ(second->at_us, 130);
}

// Of 64 GiB.
sim::DiskProfile cloud_volume() {
  sim::DiskProfile profile = sim::cloud_essd_pl1(std::int64_t{64} << 30);
  profile.quota_slice = Duration::ms(100);
  profile.quota_burst = Duration::s(1);
  return profile;
}

// 10 us for each KiB beyond four, and 16 us for each on the pipe: the larger one of both counts.
TEST(SimDisk, LargerBlocksTakeLongerUntilTheBandwidthDecides) {
  for (const auto kind : {Kind::read, Kind::write}) {
    sim::DiskProfile profile = flat_profile();
    profile.write = profile.read;
    profile.read_time_per_kib = Duration::us(10);
    profile.write_time_per_kib = Duration::us(10);
    profile.read_bytes_per_s = 1'024'000'000 / 16;
    profile.write_bytes_per_s = profile.read_bytes_per_s;  // 16 us for a KiB.
    const auto mean_of = [&](std::int64_t bytes) {
      DiskWorld world(disk_of(profile));
      DiskLoad load(world.kernel, world.path, {.kind = kind, .bytes = bytes});
      world.run_for(Duration::s(1));
      return load.mean();
    };
    EXPECT_EQ(mean_of(512), 50);
    EXPECT_EQ(mean_of(4096), 64);       // 50 us, and 64 us on the pipe.
    EXPECT_EQ(mean_of(16 << 10), 256);  // 170 us.
    profile.read_bytes_per_s = 0;
    profile.write_bytes_per_s = 0;
    EXPECT_EQ(mean_of(4096), 50);
    EXPECT_EQ(mean_of(16 << 10), 50 + 12 * 10);
    EXPECT_EQ(mean_of(1 << 20), 50 + 1'020 * 10);
  }
}

// A quota of 5,000 commands a second in slices of 100 ms, a second of it saved at first; both
// hosts and both directions use it up together.
TEST(SimDisk, HostsShareTheQuotaOfACloudVolumeAndItsBurst) {
  DiskWorld world(disk_of(cloud_volume()));
  DiskLoad reads(world.kernel, world.path, {.kind = Kind::read, .depth = 26});
  DiskLoad writes(world.kernel, world.other_path, {.kind = Kind::write, .depth = 26});
  world.run_for(Duration::ms(90));
  EXPECT_GT(reads.count() + writes.count(), 5'000 / 2);
  world.run_for(Duration::s(2));
  reads.forget_the_past();
  writes.forget_the_past();
  world.run_for(Duration::s(10));
  EXPECT_NEAR(static_cast<double>(reads.per_second() + writes.per_second()), 5'000, 50);
  EXPECT_NEAR(static_cast<double>(reads.per_second()), 2'500, 500);
}

// Little's law for the cold-read storm of section 12: 26 at a time at 5,000 a second.
TEST(SimDisk, AStormOfReadsWaitsForTheQuotaAsLongAsLittleSays) {
  DiskWorld world(disk_of(cloud_volume()));
  DiskLoad reads(world.kernel, world.path, {.kind = Kind::read, .depth = 26});
  world.run_for(Duration::s(3));
  reads.forget_the_past();
  world.run_for(Duration::s(10));
  EXPECT_NEAR(static_cast<double>(reads.per_second()), 5'000, 50);
  EXPECT_NEAR(static_cast<double>(reads.mean()), 5'200, 52);
}

}  // namespace
}  // namespace drydock::test
