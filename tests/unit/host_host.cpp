// Hosts: power, pauses, cores, crash points, buggify sites, and processes that a supervisor
// manages.
#include "sim/host/host.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "sim/host/processes.hpp"
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

class Witness : public sim::HostListener {
 public:
  explicit Witness(Lines& lines) : lines_(lines) {}
  void power_lost(sim::Host& host) override { lines_.push_back(host.name() + " lost power"); }
  void power_restored(sim::Host& host) override { lines_.push_back(host.name() + " has power"); }
  void process_ended(sim::Host&, sim::SimProcess& process) override {
    EXPECT_FALSE(process.alive());
    lines_.push_back(process.name() + " ended");
  }

 protected:
  void note(std::string line) { lines_.push_back(std::move(line)); }

 private:
  Lines& lines_;
};

TEST(Power, ALossDoesNotWaitForAnything) {
  World world;
  Lines lines;
  Device device;
  sim::Host& host = world.host();
  Witness witness(lines);
  host.add_listener(witness);
  sim::SimProcess& stuck = world.start(
      host,
      [&](Context&) -> Task<void> {
        Probe probe(lines, "frame gone");
        co_await device.wait();
      },
      "stuck");
  world.at(Duration::ms(1), [&] { stuck.kill(); });
  world.at(Duration::ms(2), [&] {
    EXPECT_EQ(stuck.phase(), Phase::dying);
    host.lose_power();
    host.lose_power();
    EXPECT_TRUE(host.powered());  // An event of its own.
  });
  world.run();
  EXPECT_EQ(lines, (Lines{"h0 lost power", "frame gone", "stuck ended"}));
  EXPECT_EQ(stuck.end(), sim::ProcessEnd::host_lost);
  EXPECT_FALSE(host.powered());
  EXPECT_TRUE(device.idle());
  host.remove_listener(witness);
}

TEST(Power, ALossIsTheVeryNextEvent) {
  World world;
  Lines lines;
  world.start([&](Context& context) -> Task<void> {
    world.host().lose_power();
    context.scope.spawn(sleep_and_say(context.clock, Duration(), lines, "never"));
    co_await sleep_and_say(context.clock, Duration(), lines, "never");
  });
  world.run();
  EXPECT_EQ(lines, Lines{});
}

TEST(Power, AfterARestoreTheHostRunsNewProcesses) {
  World world;
  Lines lines;
  sim::Host& host = world.host();
  Witness witness(lines);
  host.add_listener(witness);
  world.start(
      host,
      [&](Context& context) -> Task<void> {
        co_await sleep_and_say(context.clock, Duration::s(9), lines, "never");
      },
      "old");
  world.run_to(Duration::s(1));
  host.restore_power();  // It has power: nothing happens.
  world.run_to(Duration::s(1));
  host.lose_power();
  host.restore_power();
  world.run_to(Duration::s(1));
  sim::SimProcess& next = world.start(
      host,
      [&](Context& context) -> Task<void> {
        co_await sleep_and_say(context.clock, Duration::s(1), lines, "new life");
      },
      "new");
  world.run();
  EXPECT_EQ(lines, (Lines{"h0 lost power", "old ended", "h0 has power", "new life", "new ended"}));
  EXPECT_EQ(next.end(), sim::ProcessEnd::exited);
  EXPECT_EQ(world.kernel.triggers().occurrences(EventName::host_power_lost), 1u);
  EXPECT_EQ(world.kernel.triggers().occurrences(EventName::host_power_restored), 1u);
}

class PanicWitness : public Witness {
 public:
  using Witness::Witness;
  void panicked(sim::Host& host) override { note(host.name() + " panicked"); }
};

TEST(Panic, EndsProcessesAsALossOfPowerDoesAndTellsWhatItIs) {
  World world;
  Lines lines;
  Device device;
  sim::Host& host = world.host();
  PanicWitness asks(lines);
  Witness does_not_ask(lines);
  host.add_listener(asks);
  host.add_listener(does_not_ask);
  const auto program = [&](Context&) -> Task<void> { co_await device.wait(); };
  sim::SimProcess& stuck = world.start(host, program, "stuck");
  world.run_to(Duration::ms(1));
  host.pause();
  host.panic();
  host.panic();
  world.run_to(Duration::ms(1));
  EXPECT_EQ(lines, (Lines{"h0 panicked", "h0 lost power", "stuck ended", "stuck ended"}));
  EXPECT_EQ(stuck.end(), sim::ProcessEnd::host_lost);
  EXPECT_FALSE(host.powered());
  EXPECT_EQ(world.kernel.triggers().occurrences(EventName::host_panicked), 1u);
  EXPECT_EQ(world.kernel.triggers().occurrences(EventName::host_power_lost), 0u);
  host.restore_power();
  world.run_to(Duration::ms(2));
  EXPECT_TRUE(host.powered());
  EXPECT_EQ(host.clock().now(), MonotonicTime() + Duration::ms(1));
  lines.clear();
  host.panic();
  host.lose_power();  // Its devices still had power.
  host.lose_power();
  world.run_to(Duration::ms(3));
  host.panic();
  world.run_to(Duration::ms(3));
  EXPECT_EQ(lines, (Lines{"h0 panicked", "h0 lost power", "h0 lost power", "h0 lost power"}));
  host.remove_listener(asks);
  host.remove_listener(does_not_ask);
}

TEST(PowerDeathTest, ADarkHostStartsNothing) {
  World world;
  world.host().lose_power();
  world.run();
  EXPECT_DEATH(world.host().spawn("p"), "ENSURE failed: powered_");
}

TEST(Pause, StopsEveryProcessWhileTheClockGoesOn) {
  World world;
  Lines lines;
  sim::Host& host = world.host();
  for (const char* name : {"a", "b"}) {
    world.start(host, [&, name](Context& context) -> Task<void> {
      co_await sleep_and_say(context.clock, Duration::ms(10), lines, name);
    });
  }
  world.run_to(Duration::ms(5));
  host.pause();
  world.run_to(Duration::s(1));
  EXPECT_EQ(lines, Lines{});
  EXPECT_EQ(host.clock().now(), MonotonicTime() + Duration::s(1));
  host.resume();
  world.run_to(Duration::s(1));
  EXPECT_EQ(lines, (Lines{"a", "b"}));
}

TEST(Pause, APowerLossEndsIt) {
  World world;
  Lines lines;
  sim::Host& host = world.host();
  host.pause();
  host.lose_power();
  host.restore_power();
  world.run();
  world.start(host, [&](Context& context) -> Task<void> {
    co_await sleep_and_say(context.clock, Duration(), lines, "runs");
  });
  world.run();
  EXPECT_EQ(lines, (Lines{"runs"}));
}

TEST(Host, FindsItsOwnProcessesOnly) {
  World world;
  sim::Host& first = world.add_host({.name = "first", .address = 0x0a000001});
  sim::Host& second = world.add_host();
  sim::SimProcess& process = world.start(first, [](Context&) -> Task<void> { co_return; });
  EXPECT_EQ(first.find(process.id()), &process);
  EXPECT_EQ(second.find(process.id()), nullptr);
  EXPECT_EQ(first.find(ProcessId(process.id().value() + 1)), nullptr);
  EXPECT_EQ(first.address(), 0x0a000001u);
  EXPECT_EQ(first.name(), "first");
  EXPECT_EQ(&process.host(), &first);
  world.run();
  EXPECT_EQ(first.find(process.id()), &process);  // Also when it has ended.
}

TEST(Workers, AreUniqueInTheWorldAndKeepTheirNames) {
  World world;
  std::set<WorkerId> ids;
  std::size_t count = 0;
  for (int i = 0; i < 130; ++i) {
    sim::SimProcess& process = world.start(world.add_host(), [&](Context& context) -> Task<void> {
      for (const char* name : {"FlushRealTimeService", "PutMessage"}) {
        Worker& worker = context.workers.add(name);
        EXPECT_EQ(worker.name(), name);
        EXPECT_EQ(worker.wait_place(), WaitPlace::none);
        ids.insert(worker.id());
        ++count;
      }
      co_return;
    });
    EXPECT_EQ(process.workers().all().size(), 0u);
  }
  world.run();
  EXPECT_EQ(ids.size(), count);
}

Task<void> compute(Context& context, Duration cpu, Lines& lines, std::string name) {
  Worker& worker = context.workers.add(name);
  Result<void> charged = co_await context.compute.charge(worker, cpu);
  EXPECT_EQ(worker.wait_place(), WaitPlace::none);
  lines.push_back(name + (charged ? "" : " cancelled") + " " +
                  std::to_string(context.clock.now().count_ms()));
}

TEST(Cores, AreSharedFirstComeFirstServed) {
  World world;
  Lines lines;
  sim::Host& host = world.add_host({.cores = 2, .cpu_priced = true});
  world.start(host, [&](Context& context) -> Task<void> {
    EXPECT_TRUE(context.compute.priced());
    context.scope.spawn(compute(context, Duration::ms(10), lines, "a"));
    context.scope.spawn(compute(context, Duration::ms(4), lines, "b"));
    context.scope.spawn(compute(context, Duration::ms(4), lines, "c"));
    context.scope.spawn(compute(context, Duration::ms(4), lines, "d"));
    Result<void> slept = co_await sleep_for(context.clock, Duration::s(1));
    EXPECT_TRUE(slept);
  });
  world.run();
  EXPECT_EQ(lines, (Lines{"b 4", "c 8", "a 10", "d 12"}));
}

TEST(Cores, WithoutAPriceWorkTakesNoTime) {
  World world;
  Lines lines;
  world.start([&](Context& context) -> Task<void> {
    EXPECT_FALSE(context.compute.priced());
    co_await compute(context, Duration::s(1), lines, "free");
  });
  world.run();
  EXPECT_EQ(lines, (Lines{"free 0"}));
}

TEST(Cores, AKilledProcessGivesItsCoreToTheNextOne) {
  World world;
  Lines lines;
  sim::Host& host = world.add_host({.cores = 1, .cpu_priced = true});
  sim::SimProcess& holder = world.start(host, [&](Context& context) -> Task<void> {
    co_await compute(context, Duration::s(10), lines, "holder");
  });
  sim::SimProcess& waiter = world.start(host, [&](Context& context) -> Task<void> {
    co_await compute(context, Duration::s(10), lines, "waiter");
  });
  world.start(host, [&](Context& context) -> Task<void> {
    co_await compute(context, Duration::ms(10), lines, "third");
  });
  world.at(Duration::ms(1), [&] { waiter.kill(); });
  world.at(Duration::ms(2), [&] { holder.kill(); });
  world.run();
  EXPECT_EQ(lines, (Lines{"third 12"}));
}

// Three processes want the only core: one computes, one waits, and one that comes later.
class OneCore {
 public:
  explicit OneCore(Lines& lines) : lines_(lines), host_(world.add_host(one_core())) {}
  sim::SimProcess& starts_at(Duration when, Duration cpu, std::string name) {
    return world.start(host_, [this, when, cpu, name](Context& context) {
      return compute_at(context, when, cpu, name);
    });
  }
  World world;

 private:
  static sim::HostOptions one_core() { return {.cores = 1, .cpu_priced = true}; }
  Task<void> compute_at(Context& context, Duration when, Duration cpu, std::string name) {
    Result<void> slept = co_await sleep_for(context.clock, when);
    EXPECT_TRUE(slept);
    co_await compute(context, cpu, lines_, name);
  }
  Lines& lines_;
  sim::Host& host_;
};

TEST(Cores, AStoppedProcessLosesItsPlaceInLineToOthers) {
  Lines lines;
  OneCore one(lines);
  one.starts_at(Duration(), Duration::ms(10), "a");
  sim::SimProcess& stopped = one.starts_at(Duration::ms(1), Duration::ms(10), "stopped");
  one.starts_at(Duration::ms(2), Duration::ms(10), "c");
  one.world.at(Duration::ms(5), [&] { stopped.stop(); });
  one.world.at(Duration::s(100), [&] { stopped.proceed(); });
  one.world.run();
  EXPECT_EQ(lines, (Lines{"a 10", "c 20", "stopped 100010"}));
}

TEST(Cores, AStoppedProcessLosesItsCoreAndHasTheRestOfItsWorkLeft) {
  Lines lines;
  OneCore one(lines);
  sim::SimProcess& stopped = one.starts_at(Duration(), Duration::ms(10), "stopped");
  one.starts_at(Duration::ms(1), Duration::ms(10), "b");
  one.starts_at(Duration::ms(11), Duration::ms(10), "c");
  one.world.at(Duration::ms(6), [&] {
    stopped.stop();
    stopped.stop(StopCause::safepoint);
  });
  one.world.at(Duration::ms(7), [&] { stopped.proceed(); });
  // `b` has the core until 16 ms, `c` is in line since 11 ms, and 4 ms of the work are left.
  one.world.at(Duration::ms(12), [&] { stopped.proceed(StopCause::safepoint); });
  one.world.run();
  EXPECT_EQ(lines, (Lines{"b 16", "c 26", "stopped 30"}));
}

TEST(Cores, ATimeThatWasStoppedIsNoWork) {
  Lines lines;
  OneCore one(lines);
  sim::SimProcess& stopped = one.starts_at(Duration(), Duration::ms(10), "stopped");
  one.world.at(Duration::ms(5), [&] { stopped.stop(); });
  one.world.at(Duration::ms(50), [&] { stopped.proceed(); });
  one.world.run();
  EXPECT_EQ(lines, (Lines{"stopped 55"}));
}

TEST(Cores, APausedHostComputesNothing) {
  Lines lines;
  OneCore one(lines);
  one.starts_at(Duration(), Duration::ms(10), "a");
  one.starts_at(Duration(), Duration::ms(10), "b");
  one.world.at(Duration::ms(5), [&] { one.world.host().pause(); });
  one.world.at(Duration::ms(50), [&] { one.world.host().resume(); });
  one.world.run();
  EXPECT_EQ(lines, (Lines{"a 55", "b 65"}));
}

TEST(Cores, AStoppedProcessCanBeKilledInLine) {
  Lines lines;
  OneCore one(lines);
  one.starts_at(Duration(), Duration::ms(10), "a");
  sim::SimProcess& stopped = one.starts_at(Duration(), Duration::ms(10), "stopped");
  one.starts_at(Duration(), Duration::ms(10), "c");
  one.world.at(Duration::ms(5), [&] { stopped.stop(); });
  one.world.at(Duration::ms(6), [&] { stopped.kill(); });
  one.world.at(Duration::ms(7), [&] { stopped.proceed(); });
  one.world.run();
  EXPECT_EQ(lines, (Lines{"a 10", "c 20"}));
}

TEST(Cores, AProcessThatIsStuckDyingComputesNothing) {
  Lines lines;
  Device device;
  OneCore one(lines);
  sim::SimProcess& dying = one.world.start(one.world.host(), [&](Context& context) -> Task<void> {
    context.scope.spawn(compute(context, Duration::s(10), lines, "never"));
    co_await device.wait();
  });
  one.starts_at(Duration::ms(1), Duration::ms(10), "b");
  one.world.at(Duration::ms(5), [&] { dying.kill(); });
  one.world.run();
  EXPECT_EQ(dying.phase(), Phase::dying);
  EXPECT_EQ(lines, (Lines{"b 15"}));
  device.complete();
  one.world.run();
}

TEST(Cores, AWorkersWaitForACoreIsSeen) {
  Lines lines;
  OneCore one(lines);
  sim::SimProcess& first = one.starts_at(Duration(), Duration::ms(10), "first");
  sim::SimProcess& second = one.starts_at(Duration(), Duration::ms(10), "second");
  one.world.run_to(Duration::ms(1));
  EXPECT_EQ(first.workers().all().at(0)->wait_place(), WaitPlace::none);
  EXPECT_EQ(second.workers().all().at(0)->wait_place(), WaitPlace::cpu);
  one.world.run_to(Duration::ms(11));
  EXPECT_EQ(second.workers().all().at(0)->wait_place(), WaitPlace::none);
}

TEST(Cores, ACancelledChargeGivesItsCoreBack) {
  World world;
  Lines lines;
  sim::Host& host = world.add_host({.cores = 1, .cpu_priced = true});
  world.start(host, [&](Context& context) -> Task<void> {
    TaskScope scope(context.scope);
    scope.spawn(compute(context, Duration::s(10), lines, "holder"));
    scope.spawn(compute(context, Duration::s(10), lines, "waiter"));
    Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
    EXPECT_TRUE(slept);
    scope.cancel();
    co_await scope.join();
    co_await compute(context, Duration::ms(1), lines, "next");
  });
  world.run();
  EXPECT_EQ(lines, (Lines{"holder cancelled 1", "waiter cancelled 1", "next 2"}));
}

TEST(Cores, AGrantOnItsWayToADestroyedTaskIsNotLost) {
  World world;
  Lines lines;
  sim::Host& host = world.add_host({.cores = 1, .cpu_priced = true});
  world.start(host, [&](Context& context) -> Task<void> {
    TaskScope holder(context.scope);
    holder.spawn(compute(context, Duration::s(10), lines, "holder"));
    TaskScope waiter(context.scope);
    waiter.spawn(compute(context, Duration::s(10), lines, "waiter"));
    Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
    EXPECT_TRUE(slept);
    holder.destroy_tasks();
    waiter.destroy_tasks();
    co_await compute(context, Duration::ms(1), lines, "next");
  });
  world.run();
  EXPECT_EQ(lines, (Lines{"next 2"}));
}

TEST(Cores, APowerLossLeavesAllOfThemFree) {
  World world;
  Lines lines;
  sim::Host& host = world.add_host({.cores = 1, .cpu_priced = true});
  for (int i = 0; i < 3; ++i) {
    world.start(host, [&](Context& context) -> Task<void> {
      co_await compute(context, Duration::s(10), lines, "lost");
    });
  }
  world.run_to(Duration::ms(1));
  host.lose_power();
  host.restore_power();
  world.run_to(Duration::ms(1));
  world.start(host, [&](Context& context) -> Task<void> {
    co_await compute(context, Duration::ms(1), lines, "first");
    co_await compute(context, Duration::ms(1), lines, "second");
  });
  world.run();
  EXPECT_EQ(lines, (Lines{"first 1", "second 2"}));
}

// A loop that passes a crash point and says so.
Task<void> pass_points(Context& context, Lines& lines, int times) {
  for (int i = 1; i <= times; ++i) {
    lines.push_back("before " + std::to_string(i));
    co_await context.chaos.reach(CrashPoint::store_before_flush);
    lines.push_back("after " + std::to_string(i));
  }
}

TEST(CrashPoint, KillsAtExactlyTheOccurrenceItWasArmedFor) {
  World world;
  Lines lines;
  sim::SimProcess* process = nullptr;
  process = &world.start([&](Context& context) -> Task<void> {
    Probe probe(lines, "gone");
    co_await pass_points(context, lines, 5);
  });
  process->chaos().arm(CrashPoint::store_before_flush, 3, [&] { process->kill(); });
  world.run();
  EXPECT_EQ(lines, (Lines{"before 1", "after 1", "before 2", "after 2", "before 3", "gone"}));
  EXPECT_EQ(process->end(), sim::ProcessEnd::killed);
}

TEST(CrashPoint, TakesTheHostDownAtThePoint) {
  World world;
  Lines lines;
  sim::SimProcess& process =
      world.start([&](Context& context) -> Task<void> { co_await pass_points(context, lines, 2); });
  process.chaos().arm(CrashPoint::store_before_flush, 1, [&] { world.host().lose_power(); });
  world.run();
  EXPECT_EQ(lines, (Lines{"before 1"}));
  EXPECT_EQ(process.end(), sim::ProcessEnd::host_lost);
}

TEST(CrashPoint, WhatSurvivesTheActionGoesOn) {
  World world;
  Lines lines;
  int actions = 0;
  sim::SimProcess& process =
      world.start([&](Context& context) -> Task<void> { co_await pass_points(context, lines, 3); });
  process.chaos().arm(CrashPoint::store_before_flush, 2, [&] { ++actions; });
  process.chaos().arm(CrashPoint::store_after_flush, 1, [&] { ++actions; });  // Never reached.
  world.run();
  EXPECT_EQ(actions, 1);
  EXPECT_EQ(lines.size(), 6u);
}

TEST(CrashPoint, EveryActionOfAnOccurrenceIsTaken) {
  World world;
  Lines lines;
  Lines actions;
  sim::SimProcess& process =
      world.start([&](Context& context) -> Task<void> { co_await pass_points(context, lines, 3); });
  process.chaos().arm(CrashPoint::store_before_flush, 2, [&] { actions.push_back("first"); });
  process.chaos().arm(CrashPoint::store_before_flush, 2, [&] { actions.push_back("second"); });
  process.chaos().arm(CrashPoint::store_before_flush, 3, [&] { actions.push_back("third"); });
  world.run();
  EXPECT_EQ(actions, (Lines{"first", "second", "third"}));
}

TEST(CrashPoint, AnOrderlyStopPassesThemToo) {
  World world;
  Lines lines;
  sim::SimProcess* process = nullptr;
  process = &world.start([&](Context& context) -> Task<void> {
    TaskScope scope(context.scope);
    scope.cancel();
    scope.spawn(pass_points(context, lines, 3));
    co_await scope.join();
  });
  process->chaos().arm(CrashPoint::store_before_flush, 2, [&] { process->kill(); });
  world.run();
  EXPECT_EQ(lines, (Lines{"before 1", "after 1", "before 2"}));
}

TEST(CrashPoint, UnarmedPointsCostNoEvent) {
  World world;
  Lines lines;
  world.start([&](Context& context) -> Task<void> { co_await pass_points(context, lines, 100); });
  world.run();
  EXPECT_EQ(world.kernel.events(), 2u);
}

TEST(Buggify, FiresAtTheRateItWasEnabledWith) {
  World world;
  int fired = 0;
  int other = 0;
  sim::SimProcess& process = world.start([&](Context& context) -> Task<void> {
    for (int i = 0; i < 10'000; ++i) {
      if (context.chaos.fire(BuggifySite::store_flush_every_append)) ++fired;
      if (context.chaos.fire(BuggifySite::client_retry_early)) ++other;
    }
    co_return;
  });
  process.chaos().enable(BuggifySite::store_flush_every_append, 1, 1);
  process.chaos().enable(BuggifySite::store_flush_every_append, 1, 4);  // Replaces.
  world.run();
  EXPECT_NEAR(fired, 2'500, 220);
  EXPECT_EQ(other, 0);
}

TEST(Buggify, ADrawHereDisturbsNoOtherStream) {
  const auto draw = [](bool enabled) {
    World world;
    std::uint64_t drawn = 0;
    sim::SimProcess& process = world.start([&](Context& context) -> Task<void> {
      RandomStream stream = context.random.stream("mine");
      for (int i = 0; i < 10; ++i) context.chaos.fire(BuggifySite::client_retry_early);
      drawn = stream.next();
      co_return;
    });
    if (enabled) process.chaos().enable(BuggifySite::client_retry_early, 1, 2);
    world.run();
    return drawn;
  };
  EXPECT_EQ(draw(false), draw(true));
}

// A supervisor on host 0 that can start "sleeper", which sleeps for a second.
class Supervised {
 public:
  sim::SimProcesses::Launch launch() {
    return [this](sim::Host& host, const ProcessSpec& spec) -> Result<ProcessId> {
      if (spec.program != "sleeper") return ErrorCode::not_found;
      return world
          .start(host,
                 [this](Context& context) -> Task<void> {
                   co_await sleep_and_say(context.clock, Duration::s(1), lines, "slept");
                 })
          .id();
    };
  }
  World world;
  Lines lines;
};

TEST(SimProcesses, StartsWaitsForAndReportsAnExit) {
  Supervised supervised;
  World& world = supervised.world;
  world.start([&](Context&) -> Task<void> {
    sim::SimProcesses processes(world.host(), supervised.launch(), Duration::ms(20));
    const ProcessSpec no_spec{"no such program", {}};
    Result<ProcessId> unknown = co_await processes.start(no_spec);
    EXPECT_EQ(unknown.error(), ErrorCode::not_found);
    const ProcessSpec spec{"sleeper", {}};
    Result<ProcessId> started = co_await processes.start(spec);
    EXPECT_EQ(world.now(), Duration::ms(40));
    EXPECT_EQ(processes.status(*started)->state, ProcessStatus::State::running);
    Result<ProcessStatus> early = co_await processes.wait(*started, MonotonicTime());
    EXPECT_EQ(early.error(), ErrorCode::timed_out);
    Result<ProcessStatus> ended = co_await processes.wait(*started, kNever);
    EXPECT_EQ(ended->state, ProcessStatus::State::exited);
    EXPECT_EQ(world.now(), Duration::ms(1'040));
    Result<ProcessStatus> again = co_await processes.wait(*started, kNever);
    EXPECT_EQ(again->state, ProcessStatus::State::exited);
  });
  world.run();
  EXPECT_EQ(supervised.lines, (Lines{"slept"}));
}

TEST(SimProcesses, KillsAndTerminates) {
  Supervised supervised;
  World& world = supervised.world;
  world.start([&](Context&) -> Task<void> {
    sim::SimProcesses processes(world.host(), supervised.launch(), Duration());
    const ProcessSpec spec{"sleeper", {}};
    Result<ProcessId> started = co_await processes.start(spec);
    EXPECT_TRUE(processes.terminate(*started));
    EXPECT_TRUE(processes.kill(*started));
    Result<ProcessStatus> ended = co_await processes.wait(*started, kNever);
    EXPECT_EQ(ended->state, ProcessStatus::State::killed);
    EXPECT_EQ(processes.kill(*started).error(), ErrorCode::not_found);
    EXPECT_EQ(processes.terminate(*started).error(), ErrorCode::not_found);
    EXPECT_EQ(processes.status(ProcessId(999)).error(), ErrorCode::not_found);
    Result<ProcessStatus> none = co_await processes.wait(ProcessId(999), kNever);
    EXPECT_EQ(none.error(), ErrorCode::not_found);
  });
  world.run();
  EXPECT_EQ(supervised.lines, Lines{});
}

TEST(SimProcesses, TellStoppedFromDying) {
  Supervised supervised;
  World& world = supervised.world;
  Device device;
  sim::SimProcess& stuck = world.start([&](Context&) -> Task<void> { co_await device.wait(); });
  world.start([&](Context& context) -> Task<void> {
    sim::SimProcesses processes(world.host(), supervised.launch(), Duration());
    Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
    EXPECT_TRUE(slept);
    stuck.stop();
    EXPECT_EQ(processes.status(stuck.id())->state, ProcessStatus::State::stopped);
    EXPECT_TRUE(processes.kill(stuck.id()));
    const Deadline soon = context.clock.now() + Duration::ms(1);
    Result<ProcessStatus> waited = co_await processes.wait(stuck.id(), soon);
    EXPECT_EQ(waited.error(), ErrorCode::timed_out);
    EXPECT_EQ(processes.status(stuck.id())->state, ProcessStatus::State::dying);
    device.complete();
    Result<ProcessStatus> ended = co_await processes.wait(stuck.id(), kNever);
    EXPECT_EQ(ended->state, ProcessStatus::State::killed);
  });
  world.run();
}

TEST(SimProcesses, AKilledSupervisorLeavesItsChildrenRunning) {
  Supervised supervised;
  World& world = supervised.world;
  sim::SimProcess& supervisor = world.start([&](Context&) -> Task<void> {
    sim::SimProcesses processes(world.host(), supervised.launch(), Duration());
    const ProcessSpec spec{"sleeper", {}};
    Result<ProcessId> started = co_await processes.start(spec);
    Result<ProcessStatus> ended = co_await processes.wait(*started, kNever);
    ADD_FAILURE() << ended.has_value();
  });
  world.at(Duration::ms(1), [&] { supervisor.kill(); });
  world.run();
  EXPECT_EQ(supervised.lines, (Lines{"slept"}));
}

}  // namespace
}  // namespace drydock::test
