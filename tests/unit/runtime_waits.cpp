// Sleep, Event, Mutex, Semaphore: who is woken, in which order, with which answer.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/runtime/join.hpp"
#include "tests/support/world.hpp"

namespace drydock::test {
namespace {

using Lines = std::vector<std::string>;

std::string answer(const Result<void>& result) {
  return result ? "ok" : std::string(name_of(result.error().code()));
}

Task<void> wait_for(Event& event, Lines& lines, std::string name, Deadline deadline = kNever) {
  Result<void> waited = co_await event.wait(deadline);
  lines.push_back(name + " " + answer(waited));
}

TEST(Sleep, EndsExactlyAtItsDeadline) {
  World world;
  std::vector<Duration> woken;
  world.start([&](Context& context) -> Task<void> {
    for (const Duration length : {Duration::ns(1), Duration::ms(5), Duration::s(3'600)}) {
      Result<void> slept = co_await sleep_for(context.clock, length);
      EXPECT_TRUE(slept);
      woken.push_back(world.now());
    }
  });
  world.run();
  EXPECT_EQ(woken, (std::vector<Duration>{Duration::ns(1), Duration::ns(5'000'001),
                                          Duration::ns(3'600'005'000'001)}));
}

TEST(Sleep, APastDeadlineStillYields) {
  World world;
  Lines lines;
  auto other = [&lines]() -> Task<void> {
    lines.push_back("other");
    co_return;
  };
  world.start([&](Context& context) -> Task<void> {
    context.scope.spawn(other());
    Result<void> slept = co_await sleep_for(context.clock, -Duration::s(1));
    lines.push_back("self " + answer(slept));
  });
  world.run();
  EXPECT_EQ(lines, (Lines{"other", "self ok"}));
  EXPECT_EQ(world.now(), Duration());
}

TEST(Event, SetWakesEveryWaiterOnceInOrder) {
  World world;
  Lines lines;
  world.start([&](Context& context) -> Task<void> {
    Event event;
    TaskScope scope(context.scope);
    for (const char* name : {"a", "b", "c"}) scope.spawn(wait_for(event, lines, name));
    Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
    EXPECT_TRUE(slept);
    event.set();
    event.reset();  // They were woken; that it is unset again does not matter to them.
    lines.push_back("set");
    co_await scope.join();
  });
  world.run();
  EXPECT_EQ(lines, (Lines{"set", "a ok", "b ok", "c ok"}));
}

TEST(Event, StaysSetUntilReset) {
  World world;
  Lines lines;
  world.start([&](Context& context) -> Task<void> {
    Event event;
    event.set();
    EXPECT_TRUE(event.is_set());
    Result<void> first = co_await event.wait();
    EXPECT_TRUE(first);
    event.reset();
    EXPECT_FALSE(event.is_set());
    Result<void> second = co_await event.wait(context.clock.now() + Duration::ms(2));
    EXPECT_EQ(answer(second), "timed_out");
  });
  world.run();
  EXPECT_EQ(world.now(), Duration::ms(2));
}

TEST(Event, TheFirstOfSignalDeadlineAndCancelDecides) {
  World world;
  Lines lines;
  world.start([&](Context& context) -> Task<void> {
    const MonotonicTime start = context.clock.now();
    Event event;
    TaskScope scope(context.scope);
    scope.spawn(wait_for(event, lines, "late", start + Duration::ms(1)));
    scope.spawn(wait_for(event, lines, "exact", start + Duration::ms(5)));
    scope.spawn(wait_for(event, lines, "early", start + Duration::ms(9)));
    Result<void> started = co_await sleep_until(start);
    EXPECT_TRUE(started);
    Result<void> slept = co_await sleep_until(start + Duration::ms(5));
    EXPECT_TRUE(slept);
    // The deadline of `exact` came first in this moment: its timer was set before our sleep.
    event.set();
    scope.cancel();
    co_await scope.join();
  });
  world.run();
  EXPECT_EQ(lines, (Lines{"late timed_out", "exact timed_out", "early ok"}));
  EXPECT_EQ(world.now(), Duration::ms(5));
}

TEST(Event, AWaiterThatIsDestroyedIsForgotten) {
  World world;
  Lines lines;
  world.start([&](Context& context) -> Task<void> {
    Event event;
    {
      TaskScope scope(context.scope);
      scope.spawn(wait_for(event, lines, "gone", context.clock.now() + Duration::ms(3)));
      Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
      EXPECT_TRUE(slept);
      event.set();  // Woken, but destroyed before it runs.
    }
    Result<void> slept = co_await sleep_for(context.clock, Duration::ms(9));
    EXPECT_TRUE(slept);
  });
  world.run();
  EXPECT_EQ(lines, Lines{});
}

Task<void> take_units(Semaphore& semaphore, std::uint64_t units, const Clock& clock, Duration hold,
                      Lines& lines, std::string name, Deadline deadline = kNever) {
  Result<Semaphore::Permit> permit = co_await semaphore.acquire(units, deadline);
  if (!permit) {
    lines.push_back(name + " " + std::string(name_of(permit.error().code())));
    co_return;
  }
  lines.push_back(name);
  if (hold > Duration()) {
    Result<void> slept = co_await sleep_for(clock, hold);
    EXPECT_TRUE(slept);
  }
}

TEST(Semaphore, ALargeRequestIsNotOvertakenBySmallOnes) {
  World world;
  Lines lines;
  world.start([&](Context& context) -> Task<void> {
    Semaphore semaphore(3);
    TaskScope scope(context.scope);
    scope.spawn(take_units(semaphore, 2, context.clock, Duration::ms(5), lines, "two"));
    scope.spawn(take_units(semaphore, 3, context.clock, Duration::ms(5), lines, "three"));
    scope.spawn(take_units(semaphore, 1, context.clock, Duration::ms(5), lines, "one"));
    Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
    EXPECT_TRUE(slept);
    EXPECT_EQ(semaphore.free(), 1u);
    EXPECT_FALSE(semaphore.try_acquire(1));  // Nobody overtakes, not even without waiting.
    co_await scope.join();
    EXPECT_EQ(semaphore.free(), 3u);
    EXPECT_TRUE(semaphore.try_acquire(3));
  });
  world.run();
  EXPECT_EQ(lines, (Lines{"two", "three", "one"}));
  EXPECT_EQ(world.now(), Duration::ms(15));
}

TEST(Semaphore, AFirstWaiterThatGivesUpLetsTheNextOnesIn) {
  World world;
  Lines lines;
  world.start([&](Context& context) -> Task<void> {
    Semaphore semaphore(2);
    Semaphore::Permit held = semaphore.try_acquire(1);
    TaskScope scope(context.scope);
    const Deadline soon = context.clock.now() + Duration::ms(2);
    scope.spawn(take_units(semaphore, 2, context.clock, Duration(), lines, "large", soon));
    scope.spawn(take_units(semaphore, 1, context.clock, Duration(), lines, "small"));
    co_await scope.join();
    EXPECT_EQ(world.now(), Duration::ms(2));
  });
  world.run();
  EXPECT_EQ(lines, (Lines{"large timed_out", "small"}));
}

TEST(Semaphore, AFirstWaiterThatIsDestroyedLetsTheNextOnesIn) {
  World world;
  Lines lines;
  world.start([&](Context& context) -> Task<void> {
    Semaphore semaphore(2);
    Semaphore::Permit held = semaphore.try_acquire(1);
    TaskScope large(context.scope);
    large.spawn(take_units(semaphore, 2, context.clock, Duration(), lines, "large"));
    TaskScope small(context.scope);
    small.spawn(take_units(semaphore, 1, context.clock, Duration(), lines, "small"));
    Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
    EXPECT_TRUE(slept);
    large.destroy_tasks();
    co_await small.join();
  });
  world.run();
  EXPECT_EQ(lines, (Lines{"small"}));
}

TEST(Semaphore, ACancelledFirstWaiterThatNeverRunsLetsTheNextOnesIn) {
  World world;
  Lines lines;
  world.start([&](Context& context) -> Task<void> {
    Semaphore semaphore(2);
    Semaphore::Permit held = semaphore.try_acquire(1);
    TaskScope large(context.scope);
    large.spawn(take_units(semaphore, 2, context.clock, Duration(), lines, "large"));
    TaskScope small(context.scope);
    small.spawn(take_units(semaphore, 1, context.clock, Duration(), lines, "small"));
    Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
    EXPECT_TRUE(slept);
    large.cancel();
    large.destroy_tasks();
    co_await small.join();
  });
  world.run();
  EXPECT_EQ(lines, (Lines{"small"}));
}

TEST(Semaphore, AGrantThatNobodyCollectsGoesBack) {
  World world;
  Lines lines;
  world.start([&](Context& context) -> Task<void> {
    Semaphore semaphore(1);
    Semaphore::Permit held = semaphore.try_acquire(1);
    TaskScope first(context.scope);
    first.spawn(take_units(semaphore, 1, context.clock, Duration(), lines, "first"));
    TaskScope second(context.scope);
    second.spawn(take_units(semaphore, 1, context.clock, Duration(), lines, "second"));
    Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
    EXPECT_TRUE(slept);
    held.release();
    first.destroy_tasks();
    co_await second.join();
    EXPECT_EQ(semaphore.free(), 1u);
  });
  world.run();
  EXPECT_EQ(lines, (Lines{"second"}));
}

TEST(Semaphore, AssigningAPermitReleasesWhatWasHeldBefore) {
  Semaphore a(1);
  Semaphore b(1);
  Semaphore::Permit one = a.try_acquire();
  Semaphore::Permit other = b.try_acquire();
  EXPECT_EQ(a.free() + b.free(), 0u);
  one = std::move(other);
  EXPECT_EQ(a.free(), 1u);
  EXPECT_EQ(b.free(), 0u);
  EXPECT_FALSE(other);
  Semaphore::Permit& alias = one;
  one = std::move(alias);
  EXPECT_EQ(b.free(), 0u);
  one = {};
  EXPECT_EQ(b.free(), 1u);
}

Task<void> lock_and_say(Mutex& mutex, const Clock& clock, Lines& lines, std::string name) {
  Result<Mutex::Permit> lock = co_await mutex.lock();
  EXPECT_TRUE(lock);
  EXPECT_TRUE(mutex.locked());
  lines.push_back("+" + name);
  Result<void> slept = co_await sleep_for(clock, Duration::ms(1));
  EXPECT_TRUE(slept);
  lines.push_back("-" + name);
}

TEST(Mutex, IsHandedToTheLongestWaiter) {
  World world;
  Lines lines;
  world.start([&](Context& context) -> Task<void> {
    Mutex mutex;
    TaskScope scope(context.scope);
    for (const char* name : {"a", "b", "c"}) {
      scope.spawn(lock_and_say(mutex, context.clock, lines, name));
    }
    co_await scope.join();
    EXPECT_FALSE(mutex.locked());
  });
  world.run();
  EXPECT_EQ(lines, (Lines{"+a", "-a", "+b", "-b", "+c", "-c"}));
}

TEST(Mutex, CannotBeStolenBetweenReleaseAndHandover) {
  World world;
  Lines lines;
  world.start([&](Context& context) -> Task<void> {
    Mutex mutex;
    TaskScope scope(context.scope);
    {
      Mutex::Permit held = mutex.try_lock();
      EXPECT_TRUE(held);
      scope.spawn(lock_and_say(mutex, context.clock, lines, "waiter"));
      Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
      EXPECT_TRUE(slept);
    }
    EXPECT_FALSE(mutex.try_lock());  // Released by us, but already the waiter's.
    co_await scope.join();
  });
  world.run();
  EXPECT_EQ(lines, (Lines{"+waiter", "-waiter"}));
}

TEST(Mutex, TimesOutWithItsDeadline) {
  World world;
  world.start([&](Context& context) -> Task<void> {
    Mutex mutex;
    Mutex::Permit held = mutex.try_lock();
    Result<Mutex::Permit> lock = co_await mutex.lock(context.clock.now() + Duration::ms(4));
    EXPECT_FALSE(lock);
    EXPECT_EQ(world.now(), Duration::ms(4));
    held.release();
    EXPECT_FALSE(mutex.locked());
  });
  world.run();
}

TEST(WaitsDeathTest, WhatIsWaitedForMayNotGoBeforeItsWaiters) {
  World world;
  Lines lines;
  world.start([&](Context& context) -> Task<void> {
    TaskScope scope(context.scope);
    Event event;  // Destroyed before the scope.
    scope.spawn(wait_for(event, lines, "a"));
    Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
    EXPECT_TRUE(slept);
  });
  EXPECT_DEATH(world.run(), "ENSURE failed: .*ending");
}

}  // namespace
}  // namespace drydock::test
