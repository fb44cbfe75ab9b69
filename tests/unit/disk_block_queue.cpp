// The block layer of a host: its throttle, writeback throttling, tags.
// Facts: Linux I/O model, section 5, and experiment A19 of section 11.
#include <gtest/gtest.h>

#include "tests/support/disk_load.hpp"
#include "tests/support/disk_world.hpp"

namespace drydock::test {
namespace {

using sim::BlockThrottle;
using Kind = sim::DiskCommand::Kind;
using Urgency = sim::DiskCommand::Urgency;

sim::DiskOptions disk_of(sim::DiskProfile profile, BlockThrottle throttle = {}) {
  return {.name = "d0",
          .capacity_bytes = 64 << 20,
          .profile = std::move(profile),
          .queue = {.throttle = throttle}};
}

// The loop device behind the throttle: 0.6 ms for four writes of 256 KiB at a time, 2.2 ms for 32
// reads of 4 KiB.
sim::DiskProfile loop_device() {
  sim::DiskProfile profile = flat_profile();
  profile.read = sim::QuantileTable::constant(Duration::us(69));
  profile.write = sim::QuantileTable::constant(Duration::us(150));
  profile.read_servers = 1;
  profile.write_servers = 1;
  return profile;
}

TEST(BlockThrottle, Writes256KiBAtFiftyMebibytesAsMeasured) {
  DiskWorld world(disk_of(loop_device(), {.writes = {.bytes_per_s = 50 << 20}}));
  DiskLoad load(world.kernel, world.path, {.kind = Kind::write, .bytes = 256 << 10, .depth = 4});
  world.run_for(Duration::s(30));
  EXPECT_NEAR(load.bytes_per_second(), 52'468'003, 52'468'003 * 2 / 100);
  EXPECT_NEAR(load.percentile(500), 602, 602 * 15 / 100);
  EXPECT_NEAR(load.percentile(990), 103'284, 103'284 * 15 / 100);
}

TEST(BlockThrottle, ReadsTwoThousandPerSecondAsMeasured) {
  DiskWorld world(disk_of(loop_device(), {.reads = {.commands_per_s = 2000}}));
  DiskLoad load(world.kernel, world.path, {.kind = Kind::read, .depth = 32});
  world.run_for(Duration::s(30));
  EXPECT_NEAR(load.per_second(), 2006, 2006 * 2 / 100);
  EXPECT_NEAR(load.percentile(500), 2'211, 2'211 * 15 / 100);
  EXPECT_NEAR(load.percentile(990), 95'944, 95'944 * 15 / 100);
}

TEST(BlockThrottle, LeavesAQueueOfOneAloneMostOfTheTime) {
  DiskWorld world(disk_of(loop_device(), {.writes = {.bytes_per_s = 50 << 20}}));
  DiskLoad load(world.kernel, world.path, {.kind = Kind::write, .depth = 1});
  world.run_for(Duration::s(10));
  EXPECT_EQ(load.per_second(), 1'000'000 / 150);
}

// The stop of data by a throttle: the journal passes on new kernels, and waits on old ones.
TEST(BlockThrottle, TheJournalPassesAsDebtOrWaitsLikeData) {
  for (const bool as_debt : {true, false}) {
    DiskWorld world(
        disk_of(flat_profile(), {.writes = {.bytes_per_s = 40'960}, .journal_as_debt = as_debt}));
    world.write(0, 'a');
    world.run_for(Duration::ms(1));
    const auto data = world.write(1, 'a');
    const auto journal = world.write(2, 'j', true);
    world.run_for(Duration::ms(50));
    EXPECT_FALSE(data->outcome.has_value());
    EXPECT_EQ(journal->ok(), as_debt);
    world.run_for(Duration::s(1));
    EXPECT_TRUE(journal->ok());
    const auto later = world.write(3, 'a');
    world.run_for(Duration::ms(1));
    EXPECT_TRUE(later->ok());
  }
}

TEST(BlockThrottle, EndsForThoseWhoWaitWhenItIsTakenAway) {
  DiskWorld world(disk_of(flat_profile(), {.writes = {.commands_per_s = 1}}));
  std::vector<std::shared_ptr<Ended>> writes;
  for (int i = 0; i < 5; ++i) writes.push_back(world.write(0, static_cast<char>('a' + i)));
  world.run_for(Duration::ms(500));
  EXPECT_FALSE(writes[4]->outcome.has_value());
  world.path.queue().set_throttle({});
  world.run_for(Duration::ms(1));
  EXPECT_TRUE(writes[4]->ok());
  EXPECT_EQ(world.on_device(0), 'e');
}

TEST(BlockThrottle, ConcernsOneHostOnly) {
  DiskWorld world(disk_of(flat_profile()));
  world.path.queue().set_throttle({.writes = {.commands_per_s = 10}});
  DiskLoad slow(world.kernel, world.path, {.kind = Kind::write});
  DiskLoad fast(world.kernel, world.other_path, {.kind = Kind::write});
  world.run_for(Duration::s(1));
  EXPECT_LE(slow.count(), 11);
  EXPECT_GE(fast.count(), 9'000);
}

TEST(BlockQueue, GivesTheDeviceAsManyCommandsAsItHasTags) {
  sim::DiskProfile profile = flat_profile();
  profile.queue_requests = 2;
  DiskWorld world(disk_of(profile));
  std::vector<std::shared_ptr<Ended>> writes;
  for (int i = 0; i < 3; ++i) writes.push_back(world.write(i, 'a'));
  const auto read = world.read(9);
  const auto other = world.write(5, 'b', false, &world.other_path);
  EXPECT_EQ(world.path.queue().at_device(), 2);
  world.run_for(Duration::ms(1));
  EXPECT_EQ(writes[1]->at_us, 100);
  EXPECT_EQ(writes[2]->at_us, 200);
  EXPECT_EQ(read->at_us, 150);
  EXPECT_EQ(other->at_us, 100);  // Another host's tags.
  EXPECT_EQ(world.path.queue().at_device(), 0);
}

TEST(BlockQueue, PathsOfAHostShareItsTags) {
  sim::DiskProfile profile = flat_profile();
  profile.queue_requests = 1;
  DiskWorld world(disk_of(profile));
  sim::DiskPath second(world.disk, world.host);
  world.write(0, 'a');
  const auto waits = world.write(1, 'a', false, &second);
  world.run_for(Duration::ms(1));
  EXPECT_EQ(waits->at_us, 200);
}

TEST(BlockQueue, WhatWaitsForATagEndsWithItsHost) {
  sim::DiskProfile profile = flat_profile();
  profile.queue_requests = 1;
  sim::DiskOptions options = disk_of(profile);
  options.placement = sim::DiskPlacement::remote;
  DiskWorld world(options);
  world.write(0, 'a');
  world.write(1, 'a');
  world.host.lose_power();
  world.run_for(Duration::ms(1));
  EXPECT_EQ(world.disk.commands_in_flight(), 0u);
  EXPECT_EQ(world.on_device(1), '\0');  // It never left the host.
  world.host.restore_power();
  const auto later = world.write(2, 'b');
  world.run_for(Duration::ms(1));
  EXPECT_TRUE(later->ok());
}

// Eight buffered writes at a time; four if somebody reads; sixteen if somebody waits for them.
TEST(WritebackThrottling, GivesWritesADepthByTheirUrgency) {
  sim::DiskProfile profile = flat_profile();
  profile.write_servers = 64;
  profile.wbt_target = Duration::ms(2);
  DiskWorld world(disk_of(profile));
  const auto at_device_with = [&world](Urgency urgency) {
    DiskLoad load(world.kernel, world.path, {.kind = Kind::write, .depth = 40, .urgency = urgency});
    const int count = world.path.queue().at_device();
    load.stop();
    world.run_for(Duration::ms(50));
    return count;
  };
  EXPECT_EQ(at_device_with(Urgency::background), 8);
  EXPECT_EQ(at_device_with(Urgency::sync), 16);
  EXPECT_EQ(at_device_with(Urgency::exempt), 40);
  world.read(0);
  world.run_for(Duration::ms(1));
  EXPECT_EQ(at_device_with(Urgency::background), 4);
  world.run_for(Duration::ms(200));
  EXPECT_EQ(at_device_with(Urgency::background), 8);
  world.path.queue().dirtier_slept();
  EXPECT_EQ(at_device_with(Urgency::background), 16);
}

TEST(WritebackThrottling, HalvesTheDepthWhenReadsAreSlowAndLetsItGrowAgain) {
  sim::WritebackThrottle throttle(Duration::ms(2), 1023);
  const std::int64_t ms = 1'000'000;
  std::int64_t now = 0;
  const auto window = [&](std::int64_t read_ms) {
    for (int i = 0; i < 4; ++i) {
      throttle.write_started();
      throttle.write_ended(now);
    }
    if (read_ms > 0) throttle.read_ended(now - read_ms * ms, now);
    now += 101 * ms;
  };
  EXPECT_EQ(throttle.limit(Urgency::sync, now), 16);
  window(5);
  EXPECT_EQ(throttle.limit(Urgency::sync, now), 8);
  window(5);
  EXPECT_EQ(throttle.limit(Urgency::sync, now), 4);
  EXPECT_EQ(throttle.limit(Urgency::background, now), 2);
  window(1);
  EXPECT_EQ(throttle.limit(Urgency::sync, now), 8);
  window(0);
  window(0);
  EXPECT_EQ(throttle.limit(Urgency::sync, now), 16);
  for (int i = 0; i < 20; ++i) window(5);
  EXPECT_EQ(throttle.limit(Urgency::sync, now), 1);  // Never none.
}

}  // namespace
}  // namespace drydock::test
