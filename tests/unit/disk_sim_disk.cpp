// A disk's queue, time and faults, on a profile whose times can be worked out by hand.
#include <gtest/gtest.h>

#include <set>

#include "tests/support/disk_world.hpp"

namespace drydock::test {
namespace {

using sim::DiskHang;
using Kind = sim::DiskCommand::Kind;

sim::DiskOptions with(sim::DiskProfile profile,
                      sim::DiskPlacement placement = sim::DiskPlacement::local) {
  return {.name = "d0",
          .capacity_bytes = 1 << 20,
          .profile = std::move(profile),
          .placement = placement};
}

TEST(SimDisk, ServesAsManyCommandsAtATimeAsItHasServers) {
  sim::DiskProfile profile = flat_profile();
  profile.write_servers = 2;
  DiskWorld world(with(profile));
  std::vector<std::shared_ptr<Ended>> writes;
  for (int i = 0; i < 5; ++i) writes.push_back(world.write(i, 'a'));
  world.run_for(Duration::ms(1));
  EXPECT_EQ(writes[0]->at_us, 100);
  EXPECT_EQ(writes[1]->at_us, 100);
  EXPECT_EQ(writes[2]->at_us, 200);
  EXPECT_EQ(writes[3]->at_us, 200);
  EXPECT_EQ(writes[4]->at_us, 300);
}

TEST(SimDisk, TransfersFollowOneAnotherAtTheBandwidth) {
  sim::DiskProfile profile = flat_profile();
  profile.write_bytes_per_s = 4096 * 1000;  // A page takes a millisecond.
  DiskWorld world(with(profile));
  const auto first = world.write(0, 'a');
  const auto second = world.write(1, 'a');
  const auto read = world.read(5);  // Another direction.
  world.run_for(Duration::ms(10));
  EXPECT_EQ(first->at_us, 1000);
  EXPECT_EQ(second->at_us, 2000);
  EXPECT_EQ(read->at_us, 50);
}

TEST(SimDisk, ReadsShareTheQuotaOfACloudVolume) {
  sim::DiskProfile profile = flat_profile();
  profile.write_iops = 1000;
  profile.shared_quota = true;
  DiskWorld world(with(profile));
  const auto write = world.write(0, 'a');
  const auto read = world.read(5);
  world.run_for(Duration::ms(10));
  EXPECT_EQ(write->at_us, 1000);
  EXPECT_EQ(read->at_us, 2000);
}

TEST(SimDisk, AWriteReachesTheStoreWhenItCompletesAndNoSooner) {
  DiskWorld world;
  world.write(0, 'a');
  const auto early = world.read(0);
  world.run_for(Duration::us(99));
  EXPECT_EQ(world.on_device(0), '\0');
  EXPECT_EQ(early->bytes, std::string(4096, '\0'));
  world.run_for(Duration::us(1));
  EXPECT_EQ(world.on_device(0), 'a');
}

TEST(SimDisk, AFlushLeavesOutWhatCompletesWhileItRuns) {
  sim::DiskProfile profile = flat_profile();
  profile.volatile_cache = true;
  profile.cache_bytes = 1 << 20;
  DiskWorld world(with(profile));
  world.write(0, 'a');
  world.run_for(Duration::us(90));
  world.flush();  // Ends at 120 us; the write completes at 100.
  world.run_for(Duration::ms(1));
  EXPECT_EQ(world.disk.store().volatile_writes(), 1u);
  world.flush();
  world.run_for(Duration::ms(1));
  EXPECT_EQ(world.disk.store().volatile_writes(), 0u);
}

TEST(SimDisk, AHangHoldsCommandsBackUntilItIsReleased) {
  DiskWorld world;
  world.disk.hang(DiskHang::all);
  const auto write = world.write(0, 'a');
  world.run_for(Duration::s(100));
  EXPECT_FALSE(write->outcome.has_value());
  EXPECT_EQ(world.on_device(0), '\0');
  world.disk.release(DiskHang::all);
  world.run_for(Duration());
  EXPECT_TRUE(write->ok());
  EXPECT_EQ(world.on_device(0), 'a');
}

TEST(SimDisk, AHangOfDataLetsTheJournalAndReadsPass) {
  DiskWorld world;
  world.disk.hang(DiskHang::data_writes);
  const auto data = world.write(0, 'a');
  const auto journal = world.write(1, 'j', true);
  const auto read = world.read(2);
  const auto flush = world.flush();
  world.run_for(Duration::s(1));
  EXPECT_FALSE(data->outcome.has_value());
  EXPECT_TRUE(journal->ok());
  EXPECT_TRUE(read->ok());
  EXPECT_TRUE(flush->ok());
}

TEST(SimDisk, AnInjectedErrorHasNoEffectAndEndsAfterItsCount) {
  DiskWorld world;
  world.disk.fail_next(Kind::write, 1);
  const auto failed = world.write(0, 'a');
  const auto fine = world.write(1, 'b');
  world.run_for(Duration::ms(1));
  EXPECT_EQ(failed->error(), ErrorCode::io_error);
  EXPECT_EQ(world.on_device(0), '\0');
  EXPECT_TRUE(fine->ok());
}

TEST(SimDisk, ASlowDiskTakesTheFactorLonger) {
  DiskWorld world;
  world.disk.set_slowness(10'000);
  const auto write = world.write(0, 'a');
  world.run_for(Duration::ms(10));
  EXPECT_EQ(write->at_us, 1000);
}

TEST(SimDisk, APowerLossOfTheDeviceEndsWhatIsInFlightWithAnUnknownOutcome) {
  DiskWorld world;
  const auto in_flight = world.write(0, 'a');
  world.disk.lose_power();
  world.run_for(Duration());
  EXPECT_EQ(in_flight->error(), ErrorCode::outcome_unknown);
  const auto later = world.write(0, 'a');
  world.run_for(Duration::s(1));
  EXPECT_EQ(later->error(), ErrorCode::device_gone);
  world.disk.restore_power();
  const auto after = world.write(0, 'b');
  world.run_for(Duration::s(1));
  EXPECT_TRUE(after->ok());
}

TEST(SimDisk, ALocalDiskLosesItsPowerWithItsHostAndNothingCallsBack) {
  DiskWorld world;
  const auto write = world.write(0, 'a');
  world.host.lose_power();
  world.run_for(Duration::s(1));
  EXPECT_FALSE(world.disk.powered());
  EXPECT_FALSE(write->outcome.has_value());
  EXPECT_EQ(world.disk.commands_in_flight(), 0u);
  world.host.restore_power();
  world.run_for(Duration());
  EXPECT_TRUE(world.disk.powered());
}

TEST(SimDisk, OfTheWritesOfALostHostOnACloudDiskAnyMayLandAndOthersAreNotTouched) {
  std::set<char> seen;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    DiskWorld world(with(flat_profile(), sim::DiskPlacement::remote), seed);
    const auto lost = world.write(0, 'a');
    const auto other = world.write(1, 'b', false, &world.other_path);
    world.host.lose_power();
    world.run_for(Duration::s(1));
    EXPECT_TRUE(world.disk.powered());
    EXPECT_FALSE(lost->outcome.has_value());
    EXPECT_TRUE(other->ok());
    EXPECT_EQ(other->at_us, 100);
    seen.insert(world.on_device(0));
  }
  EXPECT_EQ(seen, (std::set<char>{'\0', 'a'}));
}

TEST(SimDisk, CommandsThatWaitedBehindALostHostAreServed) {
  sim::DiskProfile profile = flat_profile();
  profile.write_servers = 1;
  DiskWorld world(with(profile, sim::DiskPlacement::remote));
  world.write(0, 'a');
  const auto other = world.write(1, 'b', false, &world.other_path);
  world.host.lose_power();
  world.run_for(Duration::s(1));
  EXPECT_TRUE(other->ok());
}

TEST(SimDisk, BlocksCarryTheirAuthorAndTheOwnershipGeneration) {
  DiskWorld world;
  world.disk.set_generation(4);
  world.write(0, 'a', false, &world.other_path);
  world.run_for(Duration::ms(1));
  EXPECT_EQ(world.disk.store().origin(0), (sim::BlockOrigin{2, 4}));
}

TEST(SimDisk, EqualSeedsGiveEqualRuns) {
  const auto digest_of = [](std::uint64_t seed) {
    DiskWorld world(with(sim::sata_ssd()), seed);
    for (int i = 0; i < 50; ++i) world.write(i, 'a');
    world.run_for(Duration::us(500));
    world.host.lose_power();
    world.run_for(Duration::s(1));
    return world.kernel.fingerprint().digest().hex();
  };
  EXPECT_EQ(digest_of(5), digest_of(5));
  EXPECT_NE(digest_of(5), digest_of(6));
}

TEST(DiskProfile, TheQuotaOfACloudVolumeGrowsWithItsSize) {
  const sim::DiskProfile profile = sim::cloud_essd_pl1(std::int64_t{64} << 30);
  EXPECT_EQ(profile.write_iops, 5000);
  EXPECT_EQ(profile.write_bytes_per_s, 152'000'000);
  EXPECT_TRUE(profile.shared_quota);
}

}  // namespace
}  // namespace drydock::test
