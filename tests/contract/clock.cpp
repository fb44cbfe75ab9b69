// The executor and the clocks: what runs when, in both worlds.
#include <stdexcept>

#include "tests/contract/contract.hpp"

namespace drydock::contract {
namespace {

template <class Which>
class ClockContract : public Contract<Which> {};
TYPED_TEST_SUITE(ClockContract, Worlds, WorldNames);

using Lines = std::vector<std::string>;

TYPED_TEST(ClockContract, MonotonicTimeNeverDecreases) {
  this->run([](Context& context) -> Task<void> {
    MonotonicTime last = context.clock.now();
    for (int i = 0; i < 100; ++i) {
      Result<void> slept = co_await sleep_for(context.clock, Duration::us(i));
      EXPECT_TRUE(slept);
      const MonotonicTime now = context.clock.now();
      EXPECT_GE(now, last);
      last = now;
    }
  });
}

TYPED_TEST(ClockContract, ASleepDoesNotEndEarly) {
  this->run([](Context& context) -> Task<void> {
    for (const Duration length : {Duration(), Duration::ns(1), Duration::us(10), Duration::ms(3)}) {
      const MonotonicTime start = context.clock.now();
      Result<void> slept = co_await sleep_for(context.clock, length);
      EXPECT_TRUE(slept);
      EXPECT_GE(context.clock.now() - start, length);
    }
  });
}

TYPED_TEST(ClockContract, WallTimeIsThatOfOurCentury) {
  this->run([](Context& context) -> Task<void> {
    EXPECT_GT(context.clock.wall_now(), WallTime::at_ns(Duration::s(1'600'000'000).count_ns()));
    co_return;
  });
}

Task<void> sleep_and_note(Deadline deadline, std::string name, Lines& lines) {
  Result<void> slept = co_await sleep_until(deadline);
  lines.push_back(slept ? name : name + " " + text_of(slept));
}

TYPED_TEST(ClockContract, DeadlinesPassInTheirOrder) {
  Lines lines;
  this->run([&](Context& context) -> Task<void> {
    TaskScope scope(context.scope);
    const MonotonicTime start = context.clock.now() + Duration::ms(20);
    for (const int i : {4, 1, 3, 0, 2}) {
      scope.spawn(sleep_and_note(start + Duration::us(i), std::to_string(i), lines));
    }
    co_await scope.join();
  });
  EXPECT_EQ(lines, (Lines{"0", "1", "2", "3", "4"}));
}

TYPED_TEST(ClockContract, EqualDeadlinesPassInTheOrderInWhichTheyWereSet) {
  Lines lines;
  this->run([&](Context& context) -> Task<void> {
    TaskScope scope(context.scope);
    const MonotonicTime at = context.clock.now() + Duration::ms(20);
    for (const char* name : {"a", "b", "c", "d"}) {
      scope.spawn(sleep_and_note(at, name, lines));
    }
    co_await scope.join();
  });
  EXPECT_EQ(lines, (Lines{"a", "b", "c", "d"}));
}

TYPED_TEST(ClockContract, TasksStartLaterAndInTheOrderOfTheirSpawning) {
  Lines lines;
  this->run([&](Context& context) -> Task<void> {
    auto note = [&lines](std::string name) -> Task<void> {
      lines.push_back(name);
      co_return;
    };
    TaskScope scope(context.scope);
    for (const char* name : {"a", "b", "c"}) scope.spawn(note(name));
    lines.push_back("spawned");
    co_await scope.join();
  });
  EXPECT_EQ(lines, (Lines{"spawned", "a", "b", "c"}));
}

TYPED_TEST(ClockContract, AWakeUpNeverRunsInsideTheCallThatCausesIt) {
  Lines lines;
  this->run([&](Context& context) -> Task<void> {
    Event event;
    auto wait = [&]() -> Task<void> {
      Result<void> woken = co_await event.wait();
      lines.push_back(text_of(woken));
    };
    TaskScope scope(context.scope);
    scope.spawn(wait());
    Result<void> slept = co_await sleep_for(context.clock, Duration::us(1));
    EXPECT_TRUE(slept);
    event.set();
    lines.push_back("set");
    co_await scope.join();
  });
  EXPECT_EQ(lines, (Lines{"set", "ok"}));
}

TYPED_TEST(ClockContract, APastDeadlineYieldsToWhatIsDue) {
  Lines lines;
  this->run([&](Context& context) -> Task<void> {
    auto note = [&lines]() -> Task<void> {
      lines.push_back("due");
      co_return;
    };
    TaskScope scope(context.scope);
    scope.spawn(note());
    Result<void> slept = co_await sleep_until(MonotonicTime());
    EXPECT_TRUE(slept);
    lines.push_back("slept");
    co_await scope.join();
  });
  EXPECT_EQ(lines, (Lines{"due", "slept"}));
}

TYPED_TEST(ClockContract, ADeadlineCancelsAScope) {
  Lines lines;
  this->run([&](Context& context) -> Task<void> {
    TaskScope scope(context.scope);
    scope.set_deadline(context.clock.now() + Duration::ms(2));
    scope.spawn(sleep_and_note(kNever, "sleeper", lines));
    co_await scope.join();
    EXPECT_TRUE(scope.cancelled());
  });
  EXPECT_EQ(lines, (Lines{"sleeper timed_out"}));
}

TYPED_TEST(ClockContract, LocksAndChannelsWorkAcrossTimers) {
  std::vector<int> received;
  this->run([&](Context& context) -> Task<void> {
    Channel<int> channel(2);
    Mutex mutex;
    auto send = [&](int first) -> Task<void> {
      for (int i = 0; i < 20; ++i) {
        Result<Mutex::Permit> lock = co_await mutex.lock();
        EXPECT_TRUE(lock);
        Result<void> slept = co_await sleep_for(context.clock, Duration::us(20));
        EXPECT_TRUE(slept);
        Result<void> sent = co_await channel.send(first + i);
        EXPECT_TRUE(sent);
      }
    };
    TaskScope scope(context.scope);
    scope.spawn(send(0));
    scope.spawn(send(100));
    for (int i = 0; i < 40; ++i) {
      Result<int> value = co_await channel.receive();
      received.push_back(value.value());
    }
    co_await scope.join();
  });
  // The lock is first come, first served, so the two take turns.
  ASSERT_EQ(received.size(), 40u);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(received[static_cast<std::size_t>(2 * i)], i);
    EXPECT_EQ(received[static_cast<std::size_t>(2 * i + 1)], 100 + i);
  }
}

TYPED_TEST(ClockContract, AnExceptionThatNobodyCatchesLeavesTheRunLoop) {
  Guest& guest = this->start(0, [](Context& context) -> Task<void> {
    Result<void> slept = co_await sleep_for(context.clock, Duration::us(10));
    EXPECT_TRUE(slept);
    throw std::runtime_error("of a test");
  });
  EXPECT_THROW(this->world().run_until([&guest] { return !guest.alive(); }), std::runtime_error);
}

template <class Which>
class ProcessContract : public Contract<Which> {};
TYPED_TEST_SUITE(ProcessContract, Worlds, WorldNames);

TYPED_TEST(ProcessContract, ExitsWhenItsProgramReturnsAndTakesItsOtherTasksAlong) {
  Lines lines;
  Guest& guest = this->start(0, [&](Context& context) -> Task<void> {
    context.scope.spawn(sleep_and_note(kNever, "never", lines));
    lines.push_back("main");
    co_return;
  });
  this->run_until_gone(guest);
  EXPECT_TRUE(guest.exited_by_itself());
  EXPECT_EQ(lines, (Lines{"main"}));
}

TYPED_TEST(ProcessContract, AKillTakesEffectAsAnEventOfItsOwn) {
  Lines lines;
  Guest* guest = nullptr;
  guest = &this->start(0, [&](Context& context) -> Task<void> {
    guest->kill();
    guest->kill();
    lines.push_back("still here");
    Result<void> slept = co_await sleep_for(context.clock, Duration());
    lines.push_back("never");
    EXPECT_TRUE(slept);
  });
  this->run_until_gone(*guest);
  EXPECT_FALSE(guest->exited_by_itself());
  EXPECT_EQ(lines, (Lines{"still here"}));
}

TYPED_TEST(ProcessContract, AKillDestroysChildrenBeforeParentsAndTheYoungestFirst) {
  struct Farewell {
    Lines& lines;
    std::string name;
    ~Farewell() { lines.push_back(name); }
  };
  Lines lines;
  bool started = false;
  Guest& guest = this->start(0, [&](Context& context) -> Task<void> {
    auto hold = [&](std::string name) -> Task<void> {
      const Farewell farewell{lines, name};
      co_await stay(context);
    };
    auto hold_two = [&]() -> Task<void> {
      const Farewell farewell{lines, "parent"};
      TaskScope scope(context.scope);
      scope.spawn(hold("older"));
      scope.spawn(hold("younger"));
      started = true;
      co_await scope.join();
    };
    co_await hold_two();
  });
  this->run_until([&] { return started; });
  // Let the children start.
  this->run([](Context& context) -> Task<void> {
    Result<void> slept = co_await sleep_for(context.clock, Duration::us(1));
    EXPECT_TRUE(slept);
  });
  guest.kill();
  this->run_until_gone(guest);
  EXPECT_EQ(lines, (Lines{"younger", "older", "parent"}));
}

TYPED_TEST(ProcessContract, TerminationIsAnEventThatTheProgramMayWaitFor) {
  Lines lines;
  Guest& guest = this->start(0, [&](Context& context) -> Task<void> {
    lines.push_back("started");
    co_await stay(context);
    lines.push_back("flushed");
  });
  this->run_until([&] { return !lines.empty(); });
  guest.terminate();
  this->run_until_gone(guest);
  EXPECT_TRUE(guest.exited_by_itself());
  EXPECT_EQ(lines, (Lines{"started", "flushed"}));
}

TYPED_TEST(ProcessContract, AStoppedProcessKeepsItsWakeUpsUntilItProceeds) {
  Lines lines;
  Guest& guest = this->start(0, [&](Context& context) -> Task<void> {
    lines.push_back("started");
    Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
    lines.push_back(text_of(slept));
  });
  this->run_until([&] { return !lines.empty(); });
  guest.state().stop();
  // The same time passes for another process of the host.
  this->run([](Context& context) -> Task<void> {
    Result<void> slept = co_await sleep_for(context.clock, Duration::ms(5));
    EXPECT_TRUE(slept);
  });
  EXPECT_EQ(lines, (Lines{"started"}));
  guest.state().proceed();
  this->run_until_gone(guest);
  EXPECT_EQ(lines, (Lines{"started", "ok"}));
}

TYPED_TEST(ProcessContract, ADeadlineThatPassesDuringAStopHasPassed) {
  Lines lines;
  Event event;
  Guest& guest = this->start(0, [&](Context& context) -> Task<void> {
    lines.push_back("started");
    Result<void> woken = co_await event.wait(context.clock.now() + Duration::ms(1));
    lines.push_back(text_of(woken));
  });
  this->run_until([&] { return !lines.empty(); });
  guest.state().stop();
  this->run([](Context& context) -> Task<void> {
    Result<void> slept = co_await sleep_for(context.clock, Duration::ms(5));
    EXPECT_TRUE(slept);
  });
  event.set();
  guest.state().proceed();
  this->run_until_gone(guest);
  EXPECT_EQ(lines, (Lines{"started", "timed_out"}));
}

template <class Which>
class ServiceContract : public Contract<Which> {};
TYPED_TEST_SUITE(ServiceContract, Worlds, WorldNames);

TYPED_TEST(ServiceContract, AStreamOfRandomNumbersBelongsToItsName) {
  this->run([](Context& context) -> Task<void> {
    RandomStream one = context.random.stream("one");
    RandomStream again = context.random.stream("one");
    RandomStream other = context.random.stream("other");
    const std::uint64_t first = one.next();
    EXPECT_EQ(first, again.next());
    EXPECT_NE(first, other.next());
    co_return;
  });
}

TYPED_TEST(ServiceContract, WorkersKeepTheirNamesAndHaveIdsOfTheirOwn) {
  this->run([](Context& context) -> Task<void> {
    Worker& flush = context.workers.add("FlushRealTimeService");
    Worker& put = context.workers.add("PutMessage");
    EXPECT_EQ(flush.name(), "FlushRealTimeService");
    EXPECT_NE(flush.id(), put.id());
    EXPECT_EQ(flush.wait_place(), WaitPlace::none);
    co_return;
  });
}

TYPED_TEST(ServiceContract, NothingIsArmedUnlessTheWorldWasTold) {
  this->run([](Context& context) -> Task<void> {
    co_await context.chaos.reach(CrashPoint::store_before_append);
    EXPECT_FALSE(context.chaos.fire(BuggifySite::store_flush_every_append));
  });
}

TYPED_TEST(ServiceContract, WithoutAPriceWorkCompletesAtOnce) {
  this->run([](Context& context) -> Task<void> {
    Worker& worker = context.workers.add("w");
    EXPECT_FALSE(context.compute.priced());
    Result<void> charged = co_await context.compute.charge(worker, Duration::s(3'600));
    EXPECT_TRUE(charged);
  });
}

TYPED_TEST(ServiceContract, ObserversAreNoReasonToEnd) {
  this->run([](Context& context) -> Task<void> {
    context.observer.event(EventName::store_appended, 1, 2);
    context.observer.log(LogLevel::info, "a line");
    co_return;
  });
}

}  // namespace
}  // namespace drydock::contract
