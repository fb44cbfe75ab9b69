// Processes: start and exit, stop and proceed, kill, and what an uninterruptible wait holds back.
#include "sim/host/process.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/runtime/channel.hpp"
#include "tests/support/device_wait.hpp"
#include "tests/support/world.hpp"

namespace drydock::test {
namespace {

using Lines = std::vector<std::string>;
using Phase = ProcessState::Phase;

Task<void> sleep_and_say(const Clock& clock, Duration length, Lines& lines, std::string name) {
  Result<void> slept = co_await sleep_for(clock, length);
  lines.push_back(name + (slept ? "" : " " + std::string(name_of(slept.error().code()))));
}

TEST(Process, ExitsWhenItsProgramReturnsAndTakesItsOtherTasksAlong) {
  World world;
  Lines lines;
  sim::SimProcess& process = world.start([&](Context& context) -> Task<void> {
    context.scope.spawn(sleep_and_say(context.clock, Duration::ms(5), lines, "same moment"));
    context.scope.spawn(sleep_and_say(context.clock, Duration::s(5), lines, "later"));
    co_await sleep_and_say(context.clock, Duration::ms(5), lines, "main");
  });
  EXPECT_TRUE(process.alive());
  EXPECT_EQ(process.end(), sim::ProcessEnd::alive);
  world.run();
  // The exit is the next event, before the other task whose time has come.
  EXPECT_EQ(lines, (Lines{"main"}));
  EXPECT_EQ(process.end(), sim::ProcessEnd::exited);
  EXPECT_FALSE(process.alive());
  EXPECT_EQ(world.now(), Duration::ms(5));
}

TEST(Process, AKillIsAnEventOfItsOwnAndTheVeryNextOne) {
  World world;
  Lines lines;
  sim::SimProcess* process = nullptr;
  auto kills = [&]() -> Task<void> {
    process->kill();
    process->kill();  // Idempotent.
    lines.push_back("still here");
    co_return;
  };
  process = &world.start([&](Context& context) -> Task<void> {
    Probe probe(lines, "main gone");
    context.scope.spawn(kills());
    context.scope.spawn(sleep_and_say(context.clock, Duration(), lines, "never"));
    co_await sleep_and_say(context.clock, Duration(), lines, "never");
  });
  world.run();
  EXPECT_EQ(lines, (Lines{"still here", "main gone"}));
  EXPECT_EQ(process->end(), sim::ProcessEnd::killed);
}

TEST(Process, AKillTakesBackTimersAndWakeUps) {
  World world;
  Lines lines;
  Event event;
  sim::SimProcess& process = world.start([&](Context& context) -> Task<void> {
    auto waits = [&]() -> Task<void> {
      Result<void> waited = co_await event.wait();
      lines.push_back(waited ? "woken" : "not");
    };
    context.scope.spawn(waits());
    co_await sleep_and_say(context.clock, Duration::s(9), lines, "slept");
  });
  world.at(Duration::ms(1), [&] {
    event.set();     // The wake-up is queued,
    process.kill();  // and dropped.
  });
  world.run();
  EXPECT_EQ(lines, Lines{});
  EXPECT_EQ(world.now(), Duration::ms(1));
}

TEST(Process, AStoppedProcessKeepsItsWakeUpsInOrder) {
  World world;
  Lines lines;
  Event event;
  auto waits = [&](std::string name) -> Task<void> {
    Result<void> waited = co_await event.wait();
    lines.push_back(name + (waited ? " woken" : " not"));
  };
  sim::SimProcess& process = world.start([&](Context& context) -> Task<void> {
    context.scope.spawn(waits("a"));
    context.scope.spawn(sleep_and_say(context.clock, Duration::ms(15), lines, "timer"));
    context.scope.spawn(waits("b"));
    co_await sleep_and_say(context.clock, Duration::ms(40), lines, "main");
  });
  world.at(Duration::ms(10), [&] { process.stop(); });
  world.at(Duration::ms(20), [&] { event.set(); });
  world.at(Duration::ms(30), [&] {
    EXPECT_EQ(lines, Lines{});
    EXPECT_EQ(process.phase(), Phase::stopped);
    process.proceed();
    EXPECT_EQ(lines, Lines{});  // Proceeding only queues.
  });
  world.at(Duration::ms(30), [&] { lines.push_back("30 ms"); });
  world.run();
  EXPECT_EQ(lines, (Lines{"30 ms", "timer", "a woken", "b woken", "main"}));
}

TEST(Process, ADeadlineThatPassesDuringAStopHasPassed) {
  World world;
  Lines lines;
  Event event;
  auto waits = [&](const Clock& clock) -> Task<void> {
    Result<void> waited = co_await event.wait(clock.now() + Duration::ms(15));
    lines.push_back(waited ? "woken" : std::string(name_of(waited.error().code())));
  };
  sim::SimProcess& process =
      world.start([&](Context& context) -> Task<void> { co_await waits(context.clock); });
  world.at(Duration::ms(10), [&] { process.stop(); });
  world.at(Duration::ms(20), [&] { event.set(); });  // Too late.
  world.at(Duration::ms(30), [&] { process.proceed(); });
  world.run();
  EXPECT_EQ(lines, (Lines{"timed_out"}));
  EXPECT_EQ(world.now(), Duration::ms(30));
}

TEST(Process, ADeadlineThatPassesDuringAStopLeavesItsTurnToOthers) {
  World world;
  Lines lines;
  sim::SimProcess* process = nullptr;
  Channel<int> channel(1);
  auto receives = [&](Deadline deadline, std::string name) -> Task<void> {
    Result<int> value = co_await channel.receive(deadline);
    lines.push_back(name + (value ? " " + std::to_string(*value) : " nothing"));
  };
  process = &world.start([&](Context& context) -> Task<void> {
    context.scope.spawn(receives(context.clock.now() + Duration::ms(15), "a"));
    context.scope.spawn(receives(kNever, "b"));
    Result<void> slept = co_await sleep_for(context.clock, Duration::ms(50));
    EXPECT_TRUE(slept);
  });
  world.at(Duration::ms(10), [&] { process->stop(); });
  world.at(Duration::ms(20), [&] { EXPECT_TRUE(channel.try_send(7)); });
  world.at(Duration::ms(30), [&] { process->proceed(); });
  world.run();
  EXPECT_EQ(lines, (Lines{"a nothing", "b 7"}));
}

TEST(Process, TasksSpawnedWhileStoppedStartAfterwards) {
  World world;
  Lines lines;
  sim::Host& host = world.host();
  host.pause();
  sim::SimProcess& process = world.start(host, [&](Context& context) -> Task<void> {
    co_await sleep_and_say(context.clock, Duration::ms(1), lines, "main");
  });
  EXPECT_EQ(process.phase(), Phase::stopped);
  world.run_to(Duration::ms(10));
  EXPECT_EQ(lines, Lines{});
  host.resume();
  world.run();
  EXPECT_EQ(lines, (Lines{"main"}));
  EXPECT_EQ(world.now(), Duration::ms(11));
}

TEST(Process, AStopDuringAScopeDeadlineCancelsAfterwards) {
  World world;
  Lines lines;
  sim::SimProcess& process = world.start([&](Context& context) -> Task<void> {
    TaskScope scope(context.scope);
    scope.set_deadline(context.clock.now() + Duration::ms(15));
    scope.spawn(sleep_and_say(context.clock, Duration::s(1), lines, "task"));
    co_await scope.join();
  });
  world.at(Duration::ms(10), [&] { process.stop(); });
  world.at(Duration::ms(30), [&] { process.proceed(); });
  world.run();
  EXPECT_EQ(lines, (Lines{"task timed_out"}));
  EXPECT_EQ(world.now(), Duration::ms(30));
}

TEST(Process, WhatWasStoppedForTwoReasonsProceedsWhenBothAreGone) {
  World world;
  Lines lines;
  sim::Host& host = world.host();
  sim::SimProcess& process = world.start(host, [&](Context& context) -> Task<void> {
    co_await sleep_and_say(context.clock, Duration::ms(1), lines, "main");
  });
  world.run_to(Duration());
  process.stop();
  host.pause();
  host.resume();
  world.run_to(Duration::ms(5));
  EXPECT_EQ(process.phase(), Phase::stopped);
  host.pause();
  process.proceed();
  world.run_to(Duration::ms(10));
  EXPECT_EQ(process.phase(), Phase::stopped);
  EXPECT_EQ(lines, Lines{});
  host.resume();
  world.run_to(Duration::ms(10));
  EXPECT_EQ(lines, (Lines{"main"}));
}

TEST(Process, AStoppedProcessCanBeKilled) {
  World world;
  Lines lines;
  sim::SimProcess& process = world.start([&](Context& context) -> Task<void> {
    co_await sleep_and_say(context.clock, Duration::ms(1), lines, "never");
  });
  world.run_to(Duration());
  process.stop();
  world.run_to(Duration::ms(5));  // The wake-up is kept.
  process.kill();
  world.run_to(Duration::ms(5));
  EXPECT_EQ(process.phase(), Phase::dead);
  process.proceed();
  process.stop();
  world.run_to(Duration::ms(6));
  EXPECT_EQ(process.phase(), Phase::dead);
  EXPECT_EQ(lines, Lines{});
}

TEST(Process, AnUninterruptibleWaitKeepsEveryFrameUntilItEnds) {
  World world;
  Lines lines;
  Device device;
  sim::SimProcess& process = world.start([&](Context& context) -> Task<void> {
    Probe probe(lines, "main gone");
    context.scope.spawn(sleep_and_say(context.clock, Duration::s(1), lines, "never"));
    co_await device.wait();
    lines.push_back("never");
  });
  world.at(Duration::ms(5), [&] { process.kill(); });
  world.run_to(Duration::s(2));
  EXPECT_EQ(process.phase(), Phase::dying);
  EXPECT_TRUE(process.alive());
  EXPECT_EQ(process.uninterruptible_waits(), 1u);
  EXPECT_EQ(lines, Lines{});
  device.complete();
  EXPECT_EQ(lines, Lines{});  // The end of the wait only schedules.
  world.run_to(Duration::s(2));
  EXPECT_EQ(lines, (Lines{"main gone"}));
  EXPECT_EQ(process.phase(), Phase::dead);
  EXPECT_EQ(process.end(), sim::ProcessEnd::killed);
}

TEST(Process, TheLastOfSeveralUninterruptibleWaitsEndsIt) {
  World world;
  Device device;
  auto waits = [&]() -> Task<void> { co_await device.wait(); };
  sim::SimProcess& process = world.start([&](Context& context) -> Task<void> {
    context.scope.spawn(waits());
    context.scope.spawn(waits());
    co_await waits();
  });
  world.run_to(Duration::ms(1));
  process.kill();
  for (int i = 0; i < 3; ++i) {
    world.run_to(Duration::ms(2));
    EXPECT_EQ(process.phase(), Phase::dying);
    device.complete();
  }
  world.run_to(Duration::ms(2));
  EXPECT_EQ(process.phase(), Phase::dead);
}

TEST(Process, AnExitWaitsForUninterruptibleWaitsToo) {
  World world;
  Device device;
  auto waits = [&]() -> Task<void> { co_await device.wait(); };
  sim::SimProcess& process = world.start([&](Context& context) -> Task<void> {
    context.scope.spawn(waits());
    Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
    EXPECT_TRUE(slept);
  });
  world.run_to(Duration::ms(2));
  EXPECT_EQ(process.phase(), Phase::dying);
  device.complete();
  world.run_to(Duration::ms(2));
  EXPECT_EQ(process.phase(), Phase::dead);
  EXPECT_EQ(process.end(), sim::ProcessEnd::exited);
}

TEST(Process, AnUninterruptibleWaitIsNotCancelled) {
  World world;
  Device device;
  Lines lines;
  auto waits = [&]() -> Task<void> {
    co_await device.wait();
    lines.push_back("device answered");
  };
  world.start([&](Context& context) -> Task<void> {
    TaskScope scope(context.scope);
    scope.spawn(waits());
    Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
    EXPECT_TRUE(slept);
    scope.cancel();
    scope.spawn(waits());  // A cancelled scope may still write something back.
    co_await scope.join();
  });
  world.run_to(Duration::ms(5));
  EXPECT_EQ(lines, Lines{});
  device.complete();
  device.complete();
  world.run();
  EXPECT_EQ(lines, (Lines{"device answered", "device answered"}));
}

TEST(Process, TheDeadlineOfAnUninterruptibleWaitEndsItInADyingProcessToo) {
  World world;
  Device device;
  sim::SimProcess& process = world.start([&](Context& context) -> Task<void> {
    co_await device.wait(context.clock.now() + Duration::ms(30));
  });
  world.at(Duration::ms(5), [&] { process.kill(); });
  world.run_to(Duration::ms(29));
  EXPECT_EQ(process.phase(), Phase::dying);
  world.run_to(Duration::ms(30));
  EXPECT_EQ(process.phase(), Phase::dead);
}

TEST(Process, CompletingAWaitInPlaceResumesItInsideTheCall) {
  World world;
  Device device;
  Lines lines;
  sim::SimProcess& process = world.start([&](Context&) -> Task<void> {
    co_await device.wait();
    lines.push_back("resumed");
    co_await device.wait();
    lines.push_back("never");
  });
  world.run_to(Duration());
  device.complete_now();
  EXPECT_EQ(lines, (Lines{"resumed"}));
  process.stop();
  device.complete_now();  // Kept until the process proceeds; here it is killed first.
  EXPECT_EQ(lines, (Lines{"resumed"}));
  process.kill();
  world.run_to(Duration());
  EXPECT_EQ(process.phase(), Phase::dead);
}

TEST(Process, TerminateSetsTheEventThatTheProgramWaitsFor) {
  World world;
  Lines lines;
  sim::SimProcess& process = world.start([&](Context& context) -> Task<void> {
    Result<void> told = co_await context.terminate.wait();
    EXPECT_TRUE(told);
    co_await sleep_and_say(context.clock, Duration::ms(2), lines, "flushed");
  });
  world.at(Duration::ms(5), [&] { process.terminate(); });
  world.run();
  EXPECT_EQ(lines, (Lines{"flushed"}));
  EXPECT_EQ(process.end(), sim::ProcessEnd::exited);
}

TEST(Process, SpawningInAnEndingProcessDestroysTheTaskUnstarted) {
  World world;
  Device device;
  Lines lines;
  TaskScope* root = nullptr;
  sim::SimProcess& process = world.start([&](Context& context) -> Task<void> {
    root = &context.scope;
    co_await device.wait();
  });
  world.run_to(Duration());
  process.kill();
  world.run_to(Duration());
  EXPECT_EQ(process.phase(), Phase::dying);
  root->spawn(sleep_and_say(world.host().clock(), Duration(), lines, "never"));
  device.complete();
  world.run();
  EXPECT_EQ(lines, Lines{});
}

TEST(Process, TellsTheKernelOfItsLife) {
  World world;
  sim::SimProcess& killed = world.start([](Context& context) -> Task<void> {
    Result<void> never = co_await context.terminate.wait();
    EXPECT_FALSE(never);
  });
  world.start([](Context&) -> Task<void> { co_return; });
  killed.kill();
  world.run();
  const sim::Triggers& triggers = world.kernel.triggers();
  EXPECT_EQ(triggers.occurrences(EventName::process_started), 2u);
  EXPECT_EQ(triggers.occurrences(EventName::process_killed), 1u);
  EXPECT_EQ(triggers.occurrences(EventName::process_exited), 2u);
}

TEST(Process, NothingOfItIsLeftWhenTheWorldEnds) {
  const std::size_t before = pool_bytes_in_use();
  Lines lines;
  {
    Device device;
    World world;
    world.start([&](Context& context) -> Task<void> {
      Probe probe(lines, "gone");
      context.scope.spawn(sleep_and_say(context.clock, Duration::s(1), lines, "never"));
      co_await device.wait();
    });
    world.run_to(Duration::ms(1));
  }
  EXPECT_EQ(lines, (Lines{"gone"}));
  EXPECT_EQ(pool_bytes_in_use(), before);
}

TEST(Process, LogLinesReachTheHost) {
  World world;
  Lines lines;
  world.host().set_log_sink([&](const std::string& process, LogLevel, const std::string& line) {
    lines.push_back(process + ": " + line);
  });
  world.start([](Context& context) -> Task<void> {
    context.observer.log(LogLevel::info, "hello");
    co_return;
  });
  world.run();
  EXPECT_EQ(lines, (Lines{"p: hello"}));
}

TEST(Process, StreamsBelongToItsName) {
  World world;
  std::vector<std::uint64_t> draws;
  const auto program = [&](Context& context) -> Task<void> {
    RandomStream stream = context.random.stream("a");
    const std::uint64_t draw = stream.next();
    draws.push_back(draw);
    co_return;
  };
  world.start(program, "broker-1");
  world.start(program, "broker-2");
  world.start(program, "broker-1");
  world.run();
  EXPECT_EQ(draws[0], RandomStream(1, "broker-1/a").next());
  EXPECT_NE(draws[0], draws[1]);
  EXPECT_EQ(draws[0], draws[2]);
}

TEST(ProcessDeathTest, StartsOnceAndWithItsServices) {
  World world;
  sim::SimProcess& bare = world.host().spawn("bare");
  EXPECT_DEATH(bare.start([](Context&) -> Task<void> { co_return; }), "ENSURE failed: network_");
  sim::SimProcess& process = world.start([](Context&) -> Task<void> { co_return; });
  EXPECT_DEATH(process.start([](Context&) -> Task<void> { co_return; }), "ENSURE failed");
}

}  // namespace
}  // namespace drydock::test
