// What a device tells hosts about reservations: reference on reservations, section 12.
#include <gtest/gtest.h>

#include "sim/disk/sim_reservations.hpp"
#include "tests/support/disk_world.hpp"
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
      Result<CountedNotice> notice = co_await reservations.next_notice(worker);
      if (!notice) co_return;
      told.push_back(notice->kind);
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
  EXPECT_EQ(log.take(), (CountedNotice{1, ReservationNotice::reservation_released}));
  EXPECT_TRUE(log.told().is_set());
  log.reset();
  EXPECT_FALSE(log.told().is_set());
  EXPECT_EQ(log.take(), std::nullopt);
  log.add(ReservationNotice::reservation_released);
  EXPECT_EQ(log.take(), (CountedNotice{1, ReservationNotice::reservation_released}));
}

TEST(NoticeLog, HoldsAsManyAsTheLogPageCanCount) {
  sim::NoticeLog log;
  for (int i = 0; i < 300; ++i) log.add(ReservationNotice::reservation_released);
  std::uint64_t taken = 0;
  while (const std::optional<CountedNotice> notice = log.take()) EXPECT_EQ(notice->count, ++taken);
  EXPECT_EQ(taken, 255u);
}

TEST(NoticeLog, ItsCountTellsOfThoseThatWereLost) {
  sim::NoticeLog log;
  for (int i = 0; i < 300; ++i) log.add(ReservationNotice::reservation_released);
  while (log.take()) continue;
  log.mask({.reservation_preempted = true});
  log.add(ReservationNotice::reservation_preempted);  // Not told, so not lost.
  log.add(ReservationNotice::registration_preempted);
  EXPECT_EQ(log.take(), (CountedNotice{301, ReservationNotice::registration_preempted}));
}

TEST(NoticeLog, AResetTakesTheMaskAway) {
  sim::NoticeLog log;
  log.mask({.reservation_released = true});
  log.reset();
  log.add(ReservationNotice::reservation_released);
  EXPECT_EQ(log.take(), (CountedNotice{1, ReservationNotice::reservation_released}));
}

TEST(NoticeLog, KeepsWhatIsMaskedToItself) {
  sim::NoticeLog log;
  log.mask({.registration_preempted = true, .reservation_preempted = true});
  log.add(ReservationNotice::registration_preempted);
  log.add(ReservationNotice::reservation_preempted);
  EXPECT_EQ(log.take(), std::nullopt);
  log.add(ReservationNotice::reservation_released);
  EXPECT_EQ(log.take(), (CountedNotice{1, ReservationNotice::reservation_released}));
}

// A's disk hangs on its writes; B is another host.
TEST(ReservationNotices, AResetOfTheControllerLosesWhatWasNotRead) {
  for (const bool resets : {false, true}) {
    sim::Kernel kernel({.seed = 1});
    sim::SimDisk disk(kernel, DiskId(1),
                      {.name = "d",
                       .capacity_bytes = 1 << 20,
                       .profile = {.name = "p", .io_timeout = Duration::s(30)},
                       .placement = sim::DiskPlacement::remote,
                       .reservations = sim::spec_reservations()});
    sim::Host a(kernel, HostId(1), {.name = "a"});
    sim::Host b(kernel, HostId(2), {.name = "b"});
    sim::DiskPath of_a(disk, a);
    sim::DiskPath of_b(disk, b);
    sim::NoticeLog told_a;
    sim::NoticeLog told_b;
    disk.tell(of_a.controller(), of_a.queue(), told_a);
    disk.tell(of_b.controller(), of_b.queue(), told_b);
    told_a.add(ReservationNotice::reservation_released);
    told_b.add(ReservationNotice::reservation_released);
    if (resets)
      disk.begin({.commands = {}, .effect = sim::Hang{.abort = sim::Hang::Abort::ignored}});
    const auto ended = std::make_shared<Ended>();
    const NotedCommand::Read read{.offset = 0, .length = 4096};
    of_a.submit(std::make_unique<NotedCommand>(kernel, ended, read));
    kernel.run_until(Duration::s(61).count_ns());
    EXPECT_EQ(told_a.told().is_set(), !resets);
    EXPECT_TRUE(told_b.told().is_set());
    disk.tell_no_more(of_a.controller());
    disk.tell_no_more(of_b.controller());
  }
}

}  // namespace
}  // namespace drydock::test
