// Disks at the slow ends of what profiles and faults allow stay slow: no product of times runs
// over.
#include <gtest/gtest.h>

#include "sim/disk/slow_time.hpp"
#include "tests/support/disk_load.hpp"
#include "tests/support/disk_world.hpp"

namespace drydock::test {
namespace {

using Kind = sim::DiskCommand::Kind;
using sim::kSlowest;

constexpr std::int64_t kHour = 3'600'000'000'000;
constexpr std::int64_t kFactorMax = 1'000'000'000;  // Thousandths: of a fault.

sim::DiskProfile hour_profile() {
  sim::DiskProfile profile = flat_profile();
  profile.read = sim::QuantileTable::constant(Duration::ns(kHour));
  profile.write = profile.read;
  return profile;
}

// When the last of so many commands has come back, if that is before `limit`.
std::int64_t time_of(sim::DiskProfile profile, LoadOptions options, std::int64_t limit,
                     std::int64_t slowness = 1000) {
  DiskWorld world({.name = "d0", .capacity_bytes = 1 << 30, .profile = std::move(profile)});
  world.disk.set_slowness(slowness);
  DiskLoad load(world.kernel, world.path, options);
  load.stop();
  const auto ended = [&load, &options] { return load.count() == options.depth; };
  world.kernel.run_while_not(ended, limit);
  return ended() ? world.kernel.now() : limit;
}

TEST(SlowTime, IsExactUntilItEndsAtItsMost) {
  EXPECT_EQ(sim::scaled(7, 1500, 1000), 10);
  EXPECT_EQ(sim::scaled(kHour, 65'536'000, 65'536), kHour * 1000);
  EXPECT_EQ(sim::scaled(kHour, 1'000'000'000, 1000), kHour * 1'000'000);  // By 128 bits.
  EXPECT_EQ(sim::scaled(kSlowest, kSlowest, 1), kSlowest);
  EXPECT_EQ(sim::scaled(kSlowest, 2, 1), kSlowest);
  EXPECT_EQ(sim::added(kSlowest - 1, 1), kSlowest);
  EXPECT_EQ(sim::added(kSlowest, kSlowest), kSlowest);
  EXPECT_EQ(sim::added(kSlowest + kHour, 2 * kSlowest), kSlowest);
}

TEST(SlowTime, ManyServersThatHardlyHelpEachOtherAreAsSlowAsOne) {
  sim::DiskProfile profile = hour_profile();
  profile.write_servers = 65'536;
  profile.servers_per_doubling = 1;
  constexpr int kDepth = 4096;
  const std::int64_t took = time_of(profile, {.kind = Kind::write, .depth = kDepth}, INT64_MAX);
  // The last of them begins when all are served: as by 1 + 0.001 * 10 servers, from 1,024 on.
  EXPECT_NEAR(static_cast<double>(took), static_cast<double>(kHour) * kDepth / 1.01,
              static_cast<double>(kHour) * kDepth / 1000);
}

TEST(SlowTime, APipeAtItsSlowestEndsLateAndKeepsItsOrder) {
  sim::TransferPipe slow(100'000, 0);
  EXPECT_EQ(slow.turn(0, 1 << 20, kFactorMax), 10'485'760'000'000'000);
  sim::TransferPipe slowest(1, 1);
  std::int64_t before = 0;
  for (int i = 0; i < 20'000; ++i) {  // At 1 B/s: 665 years.
    const std::int64_t end = slowest.turn(i, 1 << 20, 1000);
    ASSERT_GE(end, before);
    before = end;
  }
  EXPECT_EQ(before, kSlowest);
  EXPECT_EQ(slowest.utilisation(20'000'000), 1000);
  EXPECT_EQ(slowest.turn(20'000'000, 64 << 20, kFactorMax), kSlowest);
}

TEST(SlowTime, FaultsMakeAnySlowDiskSlower) {
  constexpr std::int64_t kTenYears = 10 * 8'766 * kHour;
  for (const std::int64_t slowness : {std::int64_t{2'000}, std::int64_t{1'000'000}, kFactorMax}) {
    const std::int64_t wanted = std::min(kHour * (slowness / 1000), kTenYears);
    EXPECT_EQ(time_of(hour_profile(), {.kind = Kind::write}, kTenYears, slowness), wanted);
    EXPECT_EQ(time_of(hour_profile(), {.kind = Kind::read}, kTenYears, slowness), wanted);
  }
}

TEST(SlowTime, SeveralFaultsMultiply) {
  DiskWorld world({.name = "d0", .capacity_bytes = 1 << 30, .profile = hour_profile()});
  for (int i = 0; i < 8; ++i)
    world.disk.begin({.commands = {}, .effect = sim::Slowness{kFactorMax}});
  DiskLoad load(world.kernel, world.path, {.kind = Kind::write});
  world.run_for(Duration::ns(kSlowest / 2));
  EXPECT_EQ(load.count(), 0);
}

TEST(SlowTime, ReadsBesideWritesOfTheSlowestDiskGetNoFaster) {
  sim::DiskProfile profile = hour_profile();
  profile.write_bytes_per_s = 1;
  profile.read_factor_at_full_write = 1'000'000;
  DiskWorld world({.name = "d0", .capacity_bytes = 1 << 30, .profile = profile});
  DiskLoad writes(world.kernel, world.path, {.kind = Kind::write, .bytes = 1 << 20});
  world.run_for(Duration::s(1));
  DiskLoad reads(world.kernel, world.path, {.kind = Kind::read});
  reads.stop();
  world.run_for(Duration::ns(999 * kHour));
  EXPECT_EQ(reads.count(), 0);
  world.run_for(Duration::ns(2 * kHour));
  EXPECT_EQ(reads.count(), 1);
}

TEST(SlowTime, EverythingAtItsSlowestAtOnceNeverEnds) {
  sim::DiskProfile profile = hour_profile();
  profile.read_servers = 65'536;
  profile.write_servers = 65'536;
  profile.shared_servers = true;
  profile.servers_per_doubling = 1;
  profile.read_time_per_kib = Duration::ns(kHour);
  profile.write_time_per_kib = Duration::ns(kHour);
  profile.read_factor_at_full_write = 1'000'000;
  profile.read_bytes_per_s = 1;
  profile.write_bytes_per_s = 1;
  DiskWorld world({.name = "d0", .capacity_bytes = 1 << 30, .profile = profile});
  world.disk.set_slowness(kFactorMax);
  DiskLoad writes(world.kernel, world.path, {.kind = Kind::write, .bytes = 1 << 20, .depth = 100});
  world.run_for(Duration::s(1));
  DiskLoad reads(world.kernel, world.path, {.kind = Kind::read, .bytes = 1 << 20, .depth = 100});
  world.run_for(Duration::ns(kSlowest / 2));
  EXPECT_EQ(writes.count() + reads.count(), 0);
}

TEST(SlowTime, ABudgetOfAByteASecondLastsForever) {
  sim::TokenBucket bucket({.bytes_per_s = 1, .slice = Duration::ms(100)});
  for (int i = 0; i < 20; ++i) bucket.charge(0, 1 << 30);  // As the journal does.
  EXPECT_EQ(bucket.take(0, 1 << 30), kSlowest);
  sim::TokenBucket wide({.bytes_per_s = 1'000'000'000'000, .slice = Duration::ms(100)});
  EXPECT_EQ(wide.take(kSlowest, 1 << 20), 0);  // What 146 years have earned.
}

}  // namespace
}  // namespace drydock::test
