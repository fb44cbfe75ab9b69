// What a device tells hosts about reservations: reference on reservations, section 12.
#include <gtest/gtest.h>

#include "sim/disk/sim_reservations.hpp"
#include "tests/support/no_services.hpp"

namespace drydock::test {
namespace {

constexpr ReservationKey kA{0xa};
constexpr ReservationKey kB{0xb};
constexpr ReservationType kType = ReservationType::write_exclusive;
constexpr PersistThroughPowerLoss kKeep = PersistThroughPowerLoss::keep;

// A host with a process that listens from the beginning, and notes what it hears.
struct Listener {
  Listener(sim::Kernel& kernel, sim::SimDisk& disk, std::uint32_t number, ReservationKey key)
      : host(kernel, HostId(number), {.name = "h" + std::to_string(number)}),
        reservations(disk, host),
        process(host.spawn("p")) {
    process.attach(std::make_unique<NoNetwork>(), std::make_unique<NoFiles>());
    process.start([this, key](Context& context) { return listen(context, key); });
  }
  Task<void> listen(Context& context, ReservationKey key) {
    Worker& worker = context.workers.add("w");
    Result<void> added = co_await reservations.register_key(worker, key, kKeep);
    EXPECT_TRUE(added);
    for (;;) {
      Result<ReservationNotice> notice = co_await reservations.next_notice(worker);
      if (!notice) co_return;
      told.push_back(*notice);
    }
  }

  sim::Host host;
  sim::SimReservations reservations;
  sim::SimProcess& process;
  std::vector<ReservationNotice> told;
};

struct NoticeWorld {
  sim::Kernel kernel{{.seed = 1}};
  sim::SimDisk disk{kernel,
                    DiskId(1),
                    {.name = "d",
                     .capacity_bytes = 1 << 20,
                     .placement = sim::DiskPlacement::remote,
                     .reservations = sim::spec_reservations()}};
  Listener a{kernel, disk, 1, kA};
  Listener b{kernel, disk, 2, kB};

  ~NoticeWorld() {  // They wait for what they do not own.
    a.process.kill();
    b.process.kill();
    run_for(Duration());
  }

  void run_for(Duration time) { kernel.run_until(kernel.now() + time.count_ns()); }
  // B's next command, by a process of its own.
  void by_b(std::function<Task<Result<void>>(Worker&)> command) {
    sim::SimProcess& process = b.host.spawn("command");
    process.attach(std::make_unique<NoNetwork>(), std::make_unique<NoFiles>());
    process.start([command](Context& context) -> Task<void> {
      Worker& worker = context.workers.add("w");
      Result<void> done = co_await command(worker);
      EXPECT_TRUE(done);
    });
    run_for(Duration::s(1));
  }
};

using Told = std::vector<ReservationNotice>;

TEST(ReservationNotices, AHostThatWaitsIsToldThatItsRegistrationWasPreempted) {
  NoticeWorld world;
  world.run_for(Duration::s(1));
  EXPECT_TRUE(world.a.told.empty());
  world.by_b(
      [&world](Worker& worker) { return world.b.reservations.preempt(worker, kB, kA, kType); });
  EXPECT_EQ(world.a.told, Told{ReservationNotice::registration_preempted});
  EXPECT_TRUE(world.b.told.empty()) << "the issuer";
}

TEST(ReservationNotices, ClearingTellsAllOthers) {
  NoticeWorld world;
  world.run_for(Duration::s(1));
  world.by_b([&world](Worker& worker) { return world.b.reservations.clear(worker, kB); });
  EXPECT_EQ(world.a.told, Told{ReservationNotice::reservation_preempted});
  EXPECT_TRUE(world.b.told.empty());
}

TEST(ReservationNotices, NobodyIsToldThatTheHolderOfAnExclusiveTypeReleasedIt) {
  NoticeWorld world;
  world.run_for(Duration::s(1));
  world.by_b([&world](Worker& worker) { return world.b.reservations.acquire(worker, kB, kType); });
  world.by_b([&world](Worker& worker) { return world.b.reservations.release(worker, kB, kType); });
  EXPECT_TRUE(world.a.told.empty());
  constexpr auto kRegistrants = ReservationType::write_exclusive_registrants;
  world.by_b(
      [&world](Worker& worker) { return world.b.reservations.acquire(worker, kB, kRegistrants); });
  world.by_b(
      [&world](Worker& worker) { return world.b.reservations.release(worker, kB, kRegistrants); });
  EXPECT_EQ(world.a.told, Told{ReservationNotice::reservation_released});
}

TEST(NoticeLog, GivesTheOldestFirstAndForgetsWithAReset) {
  sim::NoticeLog log;
  log.add(ReservationNotice::reservation_released);
  log.add(ReservationNotice::registration_preempted);
  EXPECT_EQ(log.take(), ReservationNotice::reservation_released);
  EXPECT_TRUE(log.told().is_set());
  log.clear();
  EXPECT_FALSE(log.told().is_set());
  EXPECT_EQ(log.take(), std::nullopt);
}

TEST(NoticeLog, HoldsAsManyAsTheLogPageCanCount) {
  sim::NoticeLog log;
  for (int i = 0; i < 300; ++i) log.add(ReservationNotice::reservation_released);
  int taken = 0;
  while (log.take()) ++taken;
  EXPECT_EQ(taken, 255);
}

TEST(NoticeLog, KeepsWhatIsMaskedToItself) {
  sim::NoticeLog log;
  log.mask({.registration_preempted = true, .reservation_preempted = true});
  log.add(ReservationNotice::registration_preempted);
  log.add(ReservationNotice::reservation_preempted);
  EXPECT_EQ(log.take(), std::nullopt);
  log.add(ReservationNotice::reservation_released);
  EXPECT_EQ(log.take(), ReservationNotice::reservation_released);
}

}  // namespace
}  // namespace drydock::test
