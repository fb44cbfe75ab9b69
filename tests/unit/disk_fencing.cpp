// A disk that two hosts share: whom a reservation refuses and when, what a preempt leaves of
// commands that are on their way, and what a loss of power leaves of the reservation. Section 9 of
// the reference on NVMe reservations was measured with a write that takes long: here it hangs.
#include <gtest/gtest.h>

#include "sim/disk/reservation_report.hpp"
#include "tests/support/disk_world.hpp"

namespace drydock::test {
namespace {

using sim::DiskHang;
using sim::NvmeStatus;

constexpr ReservationKey kA{0xa};
constexpr ReservationKey kB{0xb};
constexpr ReservationType kWriteExclusive = ReservationType::write_exclusive;

std::uint16_t status_of(const std::shared_ptr<Ended>& ended) {
  if (!ended->outcome || ended->outcome->has_value()) return 0;
  EXPECT_EQ(ended->outcome->error().origin(), StatusOrigin::nvme);
  return ended->outcome->error().status();
}

// Host A, by `path`, holds a Write Exclusive reservation; B, by `other_path`, is a registrant.
class SharedDisk : public DiskWorld {
 public:
  explicit SharedDisk(std::optional<sim::ReservationOptions> reservations,
                      sim::DiskProfile profile = flat_profile(),
                      PersistThroughPowerLoss persist = PersistThroughPowerLoss::keep)
      : DiskWorld({.name = "d0",
                   .capacity_bytes = 1 << 20,
                   .profile = std::move(profile),
                   .placement = sim::DiskPlacement::remote,
                   .reservations = reservations}) {
    if (!reservations) return;
    reserve(path, sim::RegisterRequest{.next = kA, .persist = persist});
    reserve(other_path, sim::RegisterRequest{.next = kB});
    reserve(path, sim::AcquireRequest{.current = kA, .type = kWriteExclusive});
    run_for(Duration::us(100));
    began_us = kernel.now() / 1000;
  }

  std::shared_ptr<Ended> reserve(sim::DiskPath& by, sim::ReservationCommand command) {
    return send(NotedCommand::Reserve{.command = std::move(command)}, &by);
  }
  // B takes over from A.
  std::shared_ptr<Ended> preempt(sim::AcquireAction action = sim::AcquireAction::preempt) {
    return reserve(other_path,
                   sim::AcquireRequest{
                       .action = action, .current = kB, .victim = kA, .type = kWriteExclusive});
  }
  std::shared_ptr<Ended> preempt_and_abort() {
    return preempt(sim::AcquireAction::preempt_and_abort);
  }
  std::shared_ptr<Ended> write_by_b(std::int64_t block, char value) {
    return write(block, value, false, &other_path);
  }
  ReservationReport report() const { return disk.reservations()->report(); }

  std::int64_t began_us = 0;
};

TEST(SharedDisk, RefusesWritesAndFlushesOfAnotherHostAndKeepsTheStatus) {
  SharedDisk world(sim::spec_reservations());
  const auto write = world.write_by_b(0, 'b');
  const auto flush = world.flush(&world.other_path);
  const auto read = world.read(0, &world.other_path);
  const auto own = world.write(1, 'a');
  world.run_for(Duration::ms(1));
  EXPECT_EQ(write->error(), ErrorCode::reservation_conflict);
  EXPECT_EQ(status_of(write), 0x83);
  EXPECT_EQ(status_of(flush), 0x83);
  EXPECT_TRUE(read->ok());
  EXPECT_TRUE(own->ok());
  EXPECT_EQ(world.on_device(0), '\0');
  EXPECT_EQ(world.on_device(1), 'a');
}

TEST(SharedDisk, AsksWhenACommandStartsAndNotWhenItIsQueued) {
  sim::DiskProfile profile = flat_profile();
  profile.write_servers = 1;
  SharedDisk world(sim::spec_reservations(), profile);
  const auto started = world.write(0, 'a');
  const auto queued = world.write(1, 'a');
  const auto taken = world.preempt();
  const auto of_b = world.write_by_b(2, 'b');  // Queued before B holds, started after.
  world.run_for(Duration::ms(1));
  EXPECT_EQ(taken->at_us - world.began_us, 50);
  EXPECT_TRUE(started->ok());
  EXPECT_EQ(status_of(queued), 0x83);
  EXPECT_TRUE(of_b->ok());
  EXPECT_EQ(world.on_device(0), 'a');
  EXPECT_EQ(world.on_device(1), '\0');
}

TEST(SharedDisk, APlainPreemptLetsAStartedWriteLandLater) {
  SharedDisk world(sim::spec_reservations());
  world.disk.hang(DiskHang::writes);
  const auto old_write = world.write(0, 'a');
  world.run_for(Duration::ms(100));
  const auto taken = world.preempt();
  world.run_for(Duration::ms(1));
  EXPECT_TRUE(taken->ok());
  const auto read = world.read(0, &world.other_path);
  world.run_for(Duration::ms(1));
  EXPECT_EQ(read->bytes.front(), '\0');
  world.disk.release(DiskHang::writes);
  world.run_for(Duration::ms(1));
  EXPECT_TRUE(old_write->ok());
  EXPECT_EQ(world.on_device(0), 'a');  // Although B has held the disk for a while.
}

TEST(SharedDisk, PreemptAndAbortEndsWhatHasStarted) {
  SharedDisk world(sim::spec_reservations());
  world.disk.hang(DiskHang::writes);
  const auto old_write = world.write(0, 'a');
  const auto old_flush = world.flush();
  world.run_for(Duration::us(1));
  const auto taken = world.preempt_and_abort();
  world.run_for(Duration::ms(100));
  EXPECT_TRUE(taken->ok());
  EXPECT_EQ(old_write->error(), ErrorCode::outcome_unknown);
  EXPECT_EQ(status_of(old_write), 0x1b);
  EXPECT_TRUE(old_flush->ok());  // It was through before.
  EXPECT_EQ(old_write->at_us, taken->at_us);
  const char found = world.on_device(0);
  world.disk.release(DiskHang::writes);
  world.run_for(Duration::s(1));
  EXPECT_EQ(world.on_device(0), found);
  EXPECT_EQ(world.disk.commands_in_flight(), 0u);
}

TEST(SharedDisk, PreemptAndAbortEndsWhatIsQueued) {
  sim::DiskProfile profile = flat_profile();
  profile.write_servers = 1;
  SharedDisk world(sim::spec_reservations(), profile);
  world.disk.hang(DiskHang::writes);
  world.write(0, 'a');
  const auto queued = world.write(1, 'a');
  const auto taken = world.preempt_and_abort();
  world.run_for(Duration::ms(1));
  EXPECT_TRUE(taken->ok());
  EXPECT_EQ(queued->error(), ErrorCode::outcome_unknown);
  EXPECT_EQ(world.on_device(1), '\0');
}

TEST(SharedDisk, NvmetWaitsForWhatHasStarted) {
  SharedDisk world(sim::nvmet_reservations());
  world.disk.hang(DiskHang::writes);
  const auto old_write = world.write(0, 'a');
  const auto taken = world.preempt_and_abort();
  world.run_for(Duration::s(100));
  EXPECT_FALSE(taken->outcome.has_value());
  EXPECT_EQ(world.report().registrants.size(), 1u);  // It has taken effect.
  const auto refused = world.write(1, 'a');
  world.disk.release(DiskHang::writes);
  world.run_for(Duration::ms(1));
  EXPECT_TRUE(old_write->ok());
  EXPECT_TRUE(taken->ok());
  EXPECT_LE(old_write->at_us, taken->at_us);
  EXPECT_EQ(status_of(refused), 0x83);
  EXPECT_EQ(world.on_device(0), 'a');
}

TEST(SharedDisk, WhatThePreemptedHostSendsLaterIsNotWaitedFor) {
  SharedDisk world(sim::nvmet_reservations());
  world.disk.hang(DiskHang::reads);
  const auto taken_at_once = world.preempt_and_abort();
  world.run_for(Duration::us(50));
  EXPECT_TRUE(taken_at_once->ok());
  world.disk.hang(DiskHang::writes);
  const auto started = world.write_by_b(0, 'b');
  world.reserve(world.path, sim::RegisterRequest{.next = kA});
  world.run_for(Duration::ms(1));
  const auto taken_back =
      world.reserve(world.path, sim::AcquireRequest{.action = sim::AcquireAction::preempt_and_abort,
                                                    .current = kA,
                                                    .victim = kB,
                                                    .type = kWriteExclusive});
  world.run_for(Duration::ms(1));
  const auto later = world.read(0, &world.other_path);  // Allowed, and it hangs.
  world.disk.release(DiskHang::writes);
  world.run_for(Duration::ms(1));
  EXPECT_TRUE(started->ok());
  EXPECT_TRUE(taken_back->ok());
  EXPECT_FALSE(later->outcome.has_value());
}

TEST(SharedDisk, SpdkGivesUpAfterTenSeconds) {
  SharedDisk world(sim::spdk_reservations());
  world.disk.hang(DiskHang::writes);
  const auto old_write = world.write(0, 'a');
  const auto taken = world.preempt_and_abort();
  world.run_for(Duration::s(20));
  EXPECT_EQ(taken->error(), ErrorCode::outcome_unknown);
  EXPECT_EQ(status_of(taken), 0x21);
  EXPECT_EQ(taken->at_us - world.began_us, 10'000'050);
  EXPECT_EQ(world.report().registrants.size(), 1u);
  world.disk.release(DiskHang::writes);
  world.run_for(Duration::ms(1));
  EXPECT_TRUE(old_write->ok());  // Not fenced: it lands.
  EXPECT_EQ(world.on_device(0), 'a');
}

TEST(SharedDisk, SpdkDoesNotWaitLongerThanItHasTo) {
  SharedDisk world(sim::spdk_reservations());
  world.disk.hang(DiskHang::writes);
  world.write(0, 'a');
  const auto taken = world.preempt_and_abort();
  world.run_for(Duration::s(1));
  world.disk.release(DiskHang::writes);
  world.run_for(Duration::s(20));
  EXPECT_TRUE(taken->ok());
  EXPECT_EQ(taken->at_us - world.began_us, 1'000'000);
}

TEST(SharedDisk, AFenceEndsWithTheHostThatItWaitsFor) {
  SharedDisk world(sim::nvmet_reservations());
  world.disk.hang(DiskHang::writes);
  world.write(0, 'a');
  const auto taken = world.preempt_and_abort();
  world.run_for(Duration::s(1));
  world.host.lose_power();
  world.run_for(Duration::ms(1));
  EXPECT_TRUE(taken->ok());
  const char found = world.on_device(0);  // Any subset of the write has landed, and no more will.
  world.disk.release(DiskHang::writes);
  world.run_for(Duration::ms(1));
  EXPECT_EQ(world.on_device(0), found);
}

TEST(SharedDisk, AFenceEndsWithTheHostThatAskedForIt) {
  SharedDisk world(sim::spdk_reservations());
  world.disk.hang(DiskHang::writes);
  world.write(0, 'a');
  const auto taken = world.preempt_and_abort();
  world.run_for(Duration::s(1));
  world.other_host.lose_power();
  world.run_for(Duration::ms(1));
  world.disk.release(DiskHang::writes);
  world.run_for(Duration::s(20));
  EXPECT_FALSE(taken->outcome.has_value());
  EXPECT_EQ(world.disk.commands_in_flight(), 0u);
}

// What waited for a server when its host was fenced and lost its power: nothing of it may land.
TEST(SharedDisk, AQueuedWriteOfAFencedHostLeavesNothingWhenItsPowerGoes) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    sim::DiskProfile profile = flat_profile();
    profile.write_servers = 1;
    SharedDisk world(sim::spec_reservations(), profile);
    world.disk.hang(DiskHang::writes);
    world.write(0, 'a');
    for (std::int64_t block = 1; block <= 20; ++block) world.write(block, 'a');
    world.preempt();
    world.run_for(Duration::ms(1));
    world.host.lose_power();
    world.run_for(Duration::ms(1));
    for (std::int64_t block = 1; block <= 20; ++block) EXPECT_EQ(world.on_device(block), '\0');
  }
}

TEST(SharedDisk, ALossOfItsPowerForgetsTheReservation) {
  SharedDisk world(sim::spec_reservations());
  world.disk.lose_power();
  world.disk.restore_power();
  const auto write = world.write_by_b(0, 'b');
  world.run_for(Duration::ms(1));
  EXPECT_TRUE(write->ok());
  EXPECT_TRUE(world.report().registrants.empty());
}

TEST(SharedDisk, ALossOfItsPowerKeepsWhatPersists) {
  SharedDisk world(sim::spec_reservations(), flat_profile(), PersistThroughPowerLoss::set);
  world.disk.lose_power();
  world.disk.restore_power();
  const auto write = world.write_by_b(0, 'b');
  world.run_for(Duration::ms(1));
  EXPECT_EQ(status_of(write), 0x83);
  EXPECT_TRUE(world.report().registrants[0].holds);
}

TEST(SharedDisk, ItsPowerEndsAFence) {
  SharedDisk world(sim::nvmet_reservations());
  world.disk.hang(DiskHang::writes);
  world.write(0, 'a');
  const auto taken = world.preempt_and_abort();
  world.run_for(Duration::s(1));
  world.disk.lose_power();
  world.run_for(Duration::ms(1));
  EXPECT_EQ(taken->error(), ErrorCode::outcome_unknown);
  EXPECT_EQ(world.disk.commands_in_flight(), 0u);
}

TEST(SharedDisk, TheFenceOfADeadHolderLasts) {
  SharedDisk world(sim::spec_reservations());
  world.host.lose_power();
  world.run_for(Duration::ms(1));
  const auto refused = world.write_by_b(0, 'b');
  world.host.restore_power();
  world.run_for(Duration::ms(1));
  const auto again = world.write(1, 'a');  // It comes back with its identifier, and still holds.
  world.run_for(Duration::ms(1));
  EXPECT_EQ(status_of(refused), 0x83);
  EXPECT_TRUE(again->ok());
}

TEST(SharedDisk, AllPathsOfAHostAreOneRegistrant) {
  SharedDisk world(sim::spec_reservations());
  sim::DiskPath second(world.disk, world.host);
  const auto write = world.write(0, 'a', false, &second);
  const auto again = world.reserve(second, sim::RegisterRequest{.next = kA});
  world.run_for(Duration::ms(1));
  EXPECT_TRUE(write->ok());
  EXPECT_TRUE(again->ok());
  EXPECT_EQ(world.report().registrants.size(), 2u);
}

TEST(SharedDisk, BlocksThatAFencedHostFreesStayAsTheyAre) {
  SharedDisk world(sim::spec_reservations());
  world.write(0, 'a');
  world.run_for(Duration::ms(1));
  world.other_path.discard(0, 1);
  EXPECT_EQ(world.on_device(0), 'a');
  world.path.discard(0, 1);
  EXPECT_EQ(world.on_device(0), '\0');
}

TEST(SharedDisk, AReportIsNeverRefused) {
  SharedDisk world(sim::spec_reservations());
  sim::DiskPath stranger(world.disk, world.host, {});
  const auto report = world.reserve(stranger, sim::ReportRequest());
  world.run_for(Duration::ms(1));
  ASSERT_TRUE(report->ok());
  EXPECT_EQ(sim::decode_report(std::as_bytes(std::span(report->bytes))), world.report());
}

TEST(SharedDisk, AnInjectedErrorLeavesTheReservationAlone) {
  SharedDisk world(sim::spec_reservations());
  world.disk.fail_next(sim::DiskCommand::Kind::reservation, 1);
  const auto failed = world.preempt();
  world.run_for(Duration::ms(1));
  EXPECT_EQ(failed->error(), ErrorCode::io_error);
  EXPECT_TRUE(world.report().registrants[0].holds);
}

TEST(SharedDisk, WithoutReservationsTheirCommandsAreUnknownAndNobodyIsRefused) {
  SharedDisk world(std::nullopt);
  EXPECT_FALSE(world.disk.info().reservations);
  const std::vector<std::shared_ptr<Ended>> answers = {
      world.reserve(world.path, sim::RegisterRequest{.next = kA}),
      world.preempt_and_abort(),
      world.reserve(world.path, sim::ReleaseRequest{.current = kA}),
      world.reserve(world.path, sim::ReportRequest()),
  };
  const auto write = world.write_by_b(0, 'b');
  world.run_for(Duration::ms(1));
  for (const auto& answer : answers) {
    EXPECT_EQ(answer->error(), ErrorCode::not_supported);
    EXPECT_EQ(status_of(answer), 0x01);
  }
  EXPECT_TRUE(write->ok());
}

}  // namespace
}  // namespace drydock::test
