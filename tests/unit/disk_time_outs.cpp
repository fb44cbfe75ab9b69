// What a host does that does not want to wait any longer, and what the device makes of it: aborts,
// resets, lost links, and writes that land after all.
// Facts: Linux I/O model, section 5; reference on NVMe reservations, section 9.
#include <gtest/gtest.h>

#include <set>

#include "tests/support/disk_world.hpp"

namespace drydock::test {
namespace {

using sim::DiskFaultId;
using sim::DiskHang;
using sim::Hang;
using Kind = sim::DiskCommand::Kind;
using Purpose = sim::DiskCommand::Purpose;

constexpr std::int64_t kSecond = 1'000'000;  // Microseconds.

sim::DiskOptions impatient(int links = 1) {
  sim::DiskProfile profile = flat_profile();
  profile.io_timeout = Duration::s(30);
  return {.name = "d0",
          .capacity_bytes = 1 << 20,
          .profile = std::move(profile),
          .placement = sim::DiskPlacement::remote,
          .queue = {.links = links}};
}

// Holds writes of the journal, so that those of data pass.
DiskFaultId hang_journal(DiskWorld& world, Hang hang) {
  return world.disk.begin(
      {.commands = {.kind = Kind::write, .purpose = Purpose::journal}, .effect = hang});
}

std::uint16_t status_of(const std::shared_ptr<Ended>& ended) {
  return ended->outcome->error().status();
}

TEST(TimeOut, AHungWriteIsAbortedThenTheControllerIsResetAndItIsSentAgain) {
  DiskWorld world(impatient());
  world.disk.hang(DiskHang::all);
  const auto write = world.write(0, 'a');
  world.run_for(Duration::s(59));
  EXPECT_EQ(world.on_device(0), '\0');  // Whatever the host tries, the device holds it.
  world.run_for(Duration::ms(1'500));
  const auto behind = world.write(1, 'b');  // During the reset.
  world.run_for(Duration::s(10));
  EXPECT_FALSE(write->outcome.has_value());
  world.disk.release(DiskHang::all);
  world.run_for(Duration());
  EXPECT_TRUE(write->ok());
  EXPECT_TRUE(behind->ok());
  EXPECT_EQ(world.on_device(0), 'a');
}

TEST(TimeOut, AfterFiveRetriesItsOutcomeIsUnknown) {
  DiskWorld world(impatient());
  world.disk.hang(DiskHang::all);
  const auto write = world.write(0, 'a');
  world.run_for(Duration::s(1'000));
  EXPECT_EQ(write->error(), ErrorCode::outcome_unknown);
  EXPECT_EQ(status_of(write), 0x371);
  EXPECT_EQ(write->at_us, (6 * 60 + 5 * 1) * kSecond);  // Six times 30 s and 30 s, five resets.
  EXPECT_EQ(world.disk.commands_in_flight(), 0u);
}

TEST(TimeOut, WithoutOneTheHostWaitsForEver) {
  DiskWorld world;
  world.disk.hang(DiskHang::all);
  const auto write = world.write(0, 'a');
  world.run_for(Duration::s(1'000'000));
  EXPECT_FALSE(write->outcome.has_value());
}

TEST(TimeOut, ADeviceThatObeysTheAbortGetsTheCommandAgainAtOnce) {
  DiskWorld world(impatient());
  const DiskFaultId hang = hang_journal(world, {.abort = Hang::Abort::obeyed});
  const auto write = world.write(0, 'a', true);
  world.run_for(Duration::s(29));
  world.disk.begin({.commands = {}, .effect = sim::Slowness{.per_mille = 2'000}});
  world.disk.end(hang);
  world.run_for(Duration());
  EXPECT_TRUE(write->ok());
  hang_journal(world, {.abort = Hang::Abort::obeyed});
  const auto second = world.write(1, 'b', true);
  world.run_for(Duration::s(200));
  EXPECT_EQ(second->at_us, 29 * kSecond + 6 * 30 * kSecond);
  EXPECT_EQ(second->error(), ErrorCode::outcome_unknown);
}

TEST(TimeOut, ACommandThatIsMerelySlowIsAbortedToo) {
  DiskWorld world(impatient());
  world.disk.set_slowness(1'000'000'000);
  const auto read = world.read(0);  // 50 s.
  world.run_for(Duration::s(31));
  world.disk.set_slowness(1'000);
  world.run_for(Duration::s(40));
  EXPECT_EQ(read->at_us, 60 * kSecond + 50);
}

TEST(TimeOut, AResetThatDropsLeavesNothingToLandLater) {
  std::set<char> seen;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    DiskWorld world(impatient(), seed);
    const DiskFaultId hang = hang_journal(world, {.reset = Hang::Reset::drops});
    world.write(0, 'a', true);
    world.run_for(Duration::ms(60'500));
    world.host.lose_power();
    const auto taken_over = world.write(0, 'b', false, &world.other_path);
    world.run_for(Duration::s(1));
    EXPECT_TRUE(taken_over->ok());
    world.disk.end(hang);
    world.run_for(Duration::s(1));
    EXPECT_EQ(world.on_device(0), 'b');
    EXPECT_EQ(world.disk.commands_in_flight(), 0u);
  }
}

TEST(TimeOut, WhatADeviceKeepsAtAResetLandsOverTheWriteOfTheNextHost) {
  DiskWorld world(impatient());
  const DiskFaultId hang = hang_journal(world, {.reset = Hang::Reset::lands_later});
  world.write(0, 'a', true);
  world.run_for(Duration::ms(60'500));
  world.host.lose_power();
  world.disk.set_generation(7);
  const auto taken_over = world.write(0, 'b', false, &world.other_path);
  world.run_for(Duration::s(1));
  EXPECT_TRUE(taken_over->ok());
  EXPECT_EQ(world.on_device(0), 'b');
  world.disk.end(hang);
  world.run_for(Duration::s(1));
  EXPECT_EQ(world.on_device(0), 'a');
  EXPECT_EQ(world.disk.store().origin(0), (sim::BlockOrigin{1, 7}));  // By whom, and in whose time.
}

TEST(TimeOut, AControllerThatDoesNotComeBackIsRemovedAndAnotherStartOfTheHostFindsIt) {
  DiskWorld world(impatient());
  const DiskFaultId hang = hang_journal(world, {.reset = Hang::Reset::fails});
  const auto write = world.write(0, 'a', true);
  world.run_for(Duration::s(119));
  const auto waiting = world.write(1, 'b');
  EXPECT_FALSE(write->outcome.has_value());
  world.run_for(Duration::s(2));
  EXPECT_EQ(write->error(), ErrorCode::outcome_unknown);
  EXPECT_EQ(waiting->error(), ErrorCode::device_gone);
  const auto later = world.write(1, 'b');
  world.run_for(Duration::s(1));
  EXPECT_EQ(later->error(), ErrorCode::device_gone);
  const auto other = world.write(1, 'c', false, &world.other_path);
  world.host.lose_power();
  world.run_for(Duration::s(1));
  world.host.restore_power();
  const auto rebooted = world.write(2, 'd');
  world.disk.end(hang);
  world.run_for(Duration::s(1));
  EXPECT_TRUE(other->ok());
  EXPECT_TRUE(rebooted->ok());
  EXPECT_EQ(world.on_device(0), 'a');
}

TEST(TimeOut, ACommandAboutReservationsIsNotSentAgain) {
  DiskWorld world(impatient());
  world.disk.begin({.commands = {.kind = Kind::reservation}, .effect = Hang()});
  const auto command = world.send(NotedCommand::Reserve{.command = sim::RegisterRequest()});
  world.run_for(Duration::s(1'000));
  EXPECT_EQ(command->error(), ErrorCode::outcome_unknown);
  EXPECT_EQ(command->at_us, 60 * kSecond);
}

TEST(Links, TheHostGoesOnByAnotherWhenItHasNoticedTheLoss) {
  DiskWorld world(impatient(2));
  const auto write = world.write(0, 'a');
  const auto read = world.read(1);
  world.run_for(Duration::us(10));
  world.path.queue().cut(0, {});
  const auto after = world.write(2, 'c');
  world.run_for(Duration::s(1));
  EXPECT_EQ(world.on_device(0), 'a');  // It was on its way: only the host does not know.
  EXPECT_EQ(world.on_device(2), '\0');
  world.run_for(Duration::s(10));
  EXPECT_EQ(write->at_us, 5 * kSecond + 10 + 100);
  EXPECT_EQ(read->at_us, 5 * kSecond + 10 + 50);
  EXPECT_EQ(after->at_us, 5 * kSecond + 10 + 100);
  EXPECT_EQ(world.path.queue().link(), 1);
  const auto later = world.write(3, 'd');
  world.run_for(Duration::ms(1));
  EXPECT_TRUE(later->ok());
}

TEST(Links, WhatIsLateOnACutLinkOverwritesWhatIsNewer) {
  DiskWorld world(impatient(2));
  const auto write = world.write(0, 'a');
  world.run_for(Duration::us(10));
  world.path.queue().cut(0, {.late_by = Duration::s(10)});
  world.run_for(Duration::s(6));
  EXPECT_TRUE(write->ok());
  const auto newer = world.write(0, 'b');
  world.run_for(Duration::s(1));
  EXPECT_TRUE(newer->ok());
  EXPECT_EQ(world.on_device(0), 'b');
  world.run_for(Duration::s(4));
  EXPECT_EQ(world.on_device(0), 'a');
}

TEST(Links, WithoutAnotherOneCommandsWaitUntilItIsMended) {
  DiskWorld world(impatient());
  world.path.queue().cut(0, {});
  const auto write = world.write(0, 'a');
  world.run_for(Duration::s(100));
  const auto later = world.write(1, 'b');
  world.run_for(Duration::s(100));
  EXPECT_FALSE(write->outcome.has_value());
  EXPECT_FALSE(later->outcome.has_value());
  world.path.queue().mend(0);
  world.run_for(Duration::ms(1));
  EXPECT_TRUE(write->ok());
  EXPECT_TRUE(later->ok());
}

TEST(Links, WithATimeForThatALostOneIsRemovedAndCommandsFail) {
  sim::DiskOptions options = impatient();
  options.queue.link_loss_timeout = Duration::s(10);
  DiskWorld world(options);
  const auto sent = world.write(0, 'a');
  world.path.queue().cut(0, {.noticed_after = Duration::s(5)});
  const auto kept = world.write(1, 'b');
  world.run_for(Duration::ms(14'999));
  EXPECT_FALSE(sent->outcome.has_value());
  EXPECT_FALSE(kept->outcome.has_value());
  world.run_for(Duration::ms(2));
  EXPECT_EQ(sent->error(), ErrorCode::outcome_unknown);
  EXPECT_EQ(kept->error(), ErrorCode::device_gone);
  EXPECT_EQ(world.on_device(0), 'a');  // It was on its way.
  world.path.queue().mend(0);
  const auto later = world.write(2, 'c');
  world.run_for(Duration::s(1));
  EXPECT_EQ(later->error(), ErrorCode::device_gone);
}

TEST(Links, OfOneHostDoNotConcernAnother) {
  DiskWorld world(impatient());
  world.path.queue().cut(0, {});
  const auto other = world.write(0, 'b', false, &world.other_path);
  world.run_for(Duration::ms(1));
  EXPECT_TRUE(other->ok());
}

TEST(Links, AResetSwitchesToAnotherAtOnce) {
  DiskWorld world(impatient(2));
  const DiskFaultId hang = hang_journal(world, Hang());
  const auto write = world.write(0, 'a', true);
  world.run_for(Duration::ms(59'900));
  world.disk.end(hang);
  world.run_for(Duration::s(1));
  EXPECT_TRUE(write->ok());
  EXPECT_EQ(world.path.queue().link(), 0);  // It was over in time.
  hang_journal(world, Hang());
  const auto second = world.write(1, 'b', true);
  world.run_for(Duration::ms(60'100));
  EXPECT_FALSE(second->outcome.has_value());
  EXPECT_EQ(world.path.queue().link(), 1);
}

// A straggler that had not begun is asked like anybody when it begins.
TEST(Links, WhatTheDeviceHadNotBegunIsRefusedToAPreemptedHost) {
  sim::DiskOptions options = impatient(2);
  options.profile.write_servers = 1;
  options.reservations = sim::spec_reservations();
  DiskWorld world(options);
  const ReservationKey a{0xa};
  const ReservationKey b{0xb};
  const auto reserve = [&world](sim::ReservationCommand command, sim::DiskPath& by) {
    const auto ended = world.send(NotedCommand::Reserve{.command = std::move(command)}, &by);
    world.run_for(Duration::us(60));
    EXPECT_TRUE(ended->ok());
  };
  reserve(sim::RegisterRequest{.next = a}, world.path);
  reserve(sim::RegisterRequest{.next = b}, world.other_path);
  reserve(sim::AcquireRequest{.current = a, .type = ReservationType::write_exclusive}, world.path);
  EXPECT_EQ(world.disk.generation(), 1u);
  world.write(0, 'a');
  world.write(1, 'a');  // Waits for the server.
  world.path.queue().cut(0, {.late_by = Duration::s(1)});
  reserve(sim::AcquireRequest{.action = sim::AcquireAction::preempt,
                              .current = b,
                              .victim = a,
                              .type = ReservationType::write_exclusive},
          world.other_path);
  EXPECT_EQ(world.disk.generation(), 2u);
  world.run_for(Duration::s(2));
  EXPECT_EQ(world.on_device(0), 'a');
  EXPECT_EQ(world.disk.store().origin(0), (sim::BlockOrigin{1, 2}));  // Landed in B's time.
  EXPECT_EQ(world.on_device(1), '\0');
}

TEST(Links, PreemptAndAbortWaitsForStragglers) {
  sim::DiskOptions options = impatient(2);
  options.reservations = sim::nvmet_reservations();
  DiskWorld world(options);
  const ReservationKey a{0xa};
  const ReservationKey b{0xb};
  const auto reserve = [&world](sim::ReservationCommand command, sim::DiskPath& by) {
    const auto ended = world.send(NotedCommand::Reserve{.command = std::move(command)}, &by);
    world.run_for(Duration::us(60));
    return ended;
  };
  reserve(sim::RegisterRequest{.next = a}, world.path);
  reserve(sim::RegisterRequest{.next = b}, world.other_path);
  reserve(sim::AcquireRequest{.current = a, .type = ReservationType::write_exclusive}, world.path);
  world.write(0, 'a');
  world.path.queue().cut(0, {.late_by = Duration::s(1)});
  const auto taken = reserve(sim::AcquireRequest{.action = sim::AcquireAction::preempt_and_abort,
                                                 .current = b,
                                                 .victim = a,
                                                 .type = ReservationType::write_exclusive},
                             world.other_path);
  EXPECT_FALSE(taken->outcome.has_value());
  world.run_for(Duration::s(2));
  EXPECT_TRUE(taken->ok());
  EXPECT_EQ(world.on_device(0), 'a');
  EXPECT_NEAR(static_cast<double>(taken->at_us), 1'000'280, 10);
}

TEST(Ownership, TheGenerationRisesWhenTheDiskPassesToAnotherHost) {
  sim::DiskOptions options = impatient();
  options.reservations = sim::spec_reservations();
  DiskWorld world(options);
  const ReservationKey a{0xa};
  const ReservationKey b{0xb};
  const auto generation_after = [&world](sim::ReservationCommand command, sim::DiskPath& by) {
    world.send(NotedCommand::Reserve{.command = std::move(command)}, &by);
    world.run_for(Duration::us(60));
    return world.disk.generation();
  };
  const ReservationType type = ReservationType::write_exclusive;
  EXPECT_EQ(generation_after(sim::RegisterRequest{.next = a}, world.path), 0u);
  EXPECT_EQ(generation_after(sim::RegisterRequest{.next = b}, world.other_path), 0u);
  EXPECT_EQ(generation_after(sim::AcquireRequest{.current = a, .type = type}, world.path), 1u);
  // Its own type and key again: nothing passes to anybody.
  EXPECT_EQ(generation_after(
                sim::AcquireRequest{
                    .action = sim::AcquireAction::preempt, .current = a, .victim = a, .type = type},
                world.path),
            1u);
  EXPECT_EQ(generation_after(sim::ReleaseRequest{.current = a, .type = type}, world.path), 1u);
  EXPECT_EQ(generation_after(sim::AcquireRequest{.current = a, .type = type}, world.path), 1u);
  EXPECT_EQ(generation_after(
                sim::AcquireRequest{
                    .action = sim::AcquireAction::preempt, .current = b, .victim = a, .type = type},
                world.other_path),
            2u);
}

}  // namespace
}  // namespace drydock::test
