// The clocks of a host: skew, jumps, drift, and what drift does to timers.
#include "sim/host/host_clock.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "tests/support/world.hpp"

namespace drydock::test {
namespace {

constexpr std::int64_t kPpm = 1'000;

TEST(HostClock, MonotonicTimeStartsAtZeroAndFollowsVirtualTime) {
  World world;
  const sim::HostClock& clock = world.host().clock();
  EXPECT_EQ(clock.now(), MonotonicTime());
  world.run_to(Duration::s(3));
  EXPECT_EQ(clock.now(), MonotonicTime() + Duration::s(3));
}

TEST(HostClock, WallTimeIsMonotonicTimeWithAnOffsetThatMayJump) {
  World world;
  constexpr std::int64_t kEpoch = 1'700'000'000'000'000'000;
  sim::HostClock& clock = world.add_host({.wall_offset_ns = kEpoch}).clock();
  world.run_to(Duration::s(1));
  EXPECT_EQ(clock.wall_now(), WallTime::at_ns(kEpoch + 1'000'000'000));
  clock.jump_wall(-Duration::s(10));
  EXPECT_EQ(clock.wall_now(), WallTime::at_ns(kEpoch - 9'000'000'000));
  EXPECT_EQ(clock.now(), MonotonicTime() + Duration::s(1));
}

TEST(HostClock, AWallJumpMovesNoTimer) {
  World world;
  Duration woken;
  world.start([&](Context& context) -> Task<void> {
    Result<void> slept = co_await sleep_for(context.clock, Duration::s(1));
    EXPECT_TRUE(slept);
    woken = world.now();
  });
  world.at(Duration::ms(1), [&] { world.host().clock().jump_wall(Duration::s(3'600)); });
  world.run();
  EXPECT_EQ(woken, Duration::s(1));
}

TEST(HostClock, DriftChangesTheRateFromNowOn) {
  World world;
  sim::HostClock& clock = world.host().clock();
  world.run_to(Duration::s(10));
  clock.set_drift(100 * kPpm);
  EXPECT_EQ(clock.drift_ppb(), 100'000);
  EXPECT_EQ(clock.now(), MonotonicTime() + Duration::s(10));
  world.run_to(Duration::s(20));
  EXPECT_EQ(clock.now(), MonotonicTime() + Duration::s(20) + Duration::ms(1));
  clock.set_drift(-200 * kPpm);
  world.run_to(Duration::s(30));
  EXPECT_EQ(clock.now(), MonotonicTime() + Duration::s(30) + Duration::ms(1) - Duration::ms(2));
  clock.set_drift(0);
  world.run_to(Duration::s(40));
  EXPECT_EQ(clock.now(), MonotonicTime() + Duration::s(40) - Duration::ms(1));
}

TEST(HostClock, DriftChangesTheLengthOfTimersAlsoOfArmedOnes) {
  World world;
  std::vector<Duration> woken;
  world.start([&](Context& context) -> Task<void> {
    for (int i = 0; i < 2; ++i) {
      Result<void> slept = co_await sleep_for(context.clock, Duration::s(1));
      EXPECT_TRUE(slept);
      woken.push_back(world.now());
    }
  });
  // Half of the first second passes at the true rate; from then on the host runs twice as fast.
  world.at(Duration::ms(500), [&] { world.host().clock().set_drift(1'000'000'000); });
  world.run();
  EXPECT_EQ(woken, (std::vector<Duration>{Duration::ms(750), Duration::ms(1'250)}));
}

TEST(HostClock, DriftMovesDeadlinesOfScopesToo) {
  World world;
  Duration cancelled;
  world.start([&](Context& context) -> Task<void> {
    TaskScope scope(context.scope);
    scope.set_deadline(context.clock.now() + Duration::s(1));
    auto waits = [&](Context& inside) -> Task<void> {
      Result<void> slept = co_await sleep_for(inside.clock, Duration::s(100));
      EXPECT_FALSE(slept);
      cancelled = world.now();
    };
    scope.spawn(waits(context));
    co_await scope.join();
  });
  world.at(Duration::ms(500), [&] { world.host().clock().set_drift(-250'000'000); });
  world.run();
  // 500 ms are left, at three quarters of the rate; rounded up, so never early.
  EXPECT_EQ(cancelled, Duration::ms(500) + Duration::ns(666'666'667));
}

TEST(HostClock, DriftOfOneHostLeavesTheTimersOfAnotherAlone) {
  World world;
  Duration woken;
  sim::Host& drifting = world.add_host();
  sim::Host& steady = world.add_host();
  world.start(drifting, [](Context& context) -> Task<void> {
    Result<void> slept = co_await sleep_for(context.clock, Duration::s(1));
    EXPECT_TRUE(slept);
  });
  world.start(steady, [&](Context& context) -> Task<void> {
    Result<void> slept = co_await sleep_for(context.clock, Duration::s(1));
    EXPECT_TRUE(slept);
    woken = world.now();
  });
  world.at(Duration::ms(1), [&] { drifting.clock().set_drift(500'000'000); });
  world.run();
  EXPECT_EQ(woken, Duration::s(1));
}

TEST(HostClock, TimersKeepTheirOrderAcrossAChangeOfDrift) {
  World world;
  std::vector<int> order;
  auto waits = [&order](const Clock& clock, Duration length, int number) -> Task<void> {
    Result<void> slept = co_await sleep_for(clock, length);
    EXPECT_TRUE(slept);
    order.push_back(number);
  };
  world.start([&](Context& context) -> Task<void> {
    // Spread over many levels of the queue, inserted in another order than they are due.
    for (const int i : {7, 3, 9, 1, 5, 0, 8, 2, 6, 4}) {
      context.scope.spawn(waits(context.clock, Duration::us(1) * (std::int64_t{1} << i), i));
    }
    co_await waits(context.clock, Duration::ms(10), 10);
  });
  for (const int us : {1, 2, 5, 20, 100, 300}) {
    world.at(Duration::us(us) + Duration::ns(1), [&world, us] {
      world.host().clock().set_drift(us % 2 == 0 ? 300'000'000 : -300'000'000);
    });
  }
  world.run();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
}

TEST(HostClock, ConversionsRoundTripWithoutWakingEarly) {
  RandomStream random(3, "clock");
  for (int round = 0; round < 2'000; ++round) {
    World world;
    sim::HostClock& clock = world.host().clock();
    clock.set_drift(random.between(-499'999'999, 2'000'000'000));
    world.run_to(Duration::ns(random.between(0, 1'000'000'000'000)));
    clock.set_drift(random.between(-499'999'999, 2'000'000'000));
    const std::int64_t host_now = clock.now().count_ns();
    const std::int64_t target = host_now + random.between(0, 1'000'000'000'000'000);
    const std::int64_t at = clock.to_virtual(target);
    // The first virtual time at which the host's clock reads at least the target.
    EXPECT_GE(clock.to_host(at), target);
    if (at > world.kernel.now()) {
      EXPECT_LT(clock.to_host(at - 1), target);
    }
  }
}

TEST(HostClock, MonotonicTimeNeverGoesBack) {
  World world;
  sim::HostClock& clock = world.host().clock();
  RandomStream random(4, "clock");
  MonotonicTime last;
  for (int i = 0; i < 2'000; ++i) {
    clock.set_drift(random.between(-499'999'999, 499'999'999));
    clock.jump_wall(Duration::ns(random.between(-1'000'000, 1'000'000)));
    world.run_to(world.now() + Duration::ns(random.between(0, 5)));
    EXPECT_GE(clock.now(), last);
    last = clock.now();
  }
}

TEST(HostClock, FarDeadlinesStayFarUnderDrift) {
  for (const std::int64_t drift : {-400'000'000, -1, 0, 1, 400'000'000}) {
    World world;
    bool woken = false;
    world.start([&](Context&) -> Task<void> {
      Event never;
      Result<void> waited = co_await never.wait(kNever - Duration::ns(1));
      woken = true;
      EXPECT_FALSE(waited);
    });
    world.run_to(Duration::s(1));
    world.host().clock().set_drift(drift);
    world.run_to(Duration::s(2));
    world.host().clock().set_drift(2 * drift / 2 + 1);
    world.run_to(Duration::s(1'000'000'000));
    EXPECT_FALSE(woken) << drift;
    EXPECT_EQ(world.host().clock().to_virtual(kNever.count_ns()), kNever.count_ns());
  }
}

TEST(HostClock, ADeadlineArmedUnderDriftMayLieBeyondTheEndOfVirtualTime) {
  World world;
  world.host().clock().set_drift(-400'000'000);
  bool woken = false;
  world.start([&](Context&) -> Task<void> {
    Event never;
    constexpr std::int64_t kFar = std::int64_t{1} << 62;
    const Deadline deadline = MonotonicTime::at_ns(kFar) + Duration::s(2'000'000'000);
    Result<void> waited = co_await never.wait(deadline);
    woken = true;
    EXPECT_FALSE(waited);
  });
  world.run_to(Duration::s(4'000'000'000));
  EXPECT_FALSE(woken);
}

TEST(HostClock, ARebootRestartsMonotonicTimeAndKeepsWallTime) {
  World world;
  sim::Host& host = world.host();
  world.run_to(Duration::s(5));
  host.lose_power();
  world.run_to(Duration::s(6));
  const WallTime before = host.clock().wall_now();
  host.restore_power();
  world.run_to(Duration::s(6));
  EXPECT_EQ(host.clock().now(), MonotonicTime());
  EXPECT_EQ(host.clock().wall_now(), before);
  world.run_to(Duration::s(8));
  EXPECT_EQ(host.clock().now(), MonotonicTime() + Duration::s(2));
  EXPECT_EQ(host.clock().wall_now(), before + Duration::s(2));
}

TEST(HostClockDeathTest, AClockMayNotStandStillOrGoBack) {
  World world;
  sim::HostClock& clock = world.host().clock();
  EXPECT_DEATH(clock.set_drift(-500'000'000), "ENSURE failed");
}

}  // namespace
}  // namespace drydock::test
