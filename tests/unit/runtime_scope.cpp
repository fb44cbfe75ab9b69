// Scopes: who starts when, who ends whom, in which order.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "engine/runtime/join.hpp"
#include "tests/support/world.hpp"

namespace drydock::test {
namespace {

using Lines = std::vector<std::string>;

Task<void> say(Lines& lines, std::string text) {
  lines.push_back(text);
  co_return;
}

// Sleeps; says how that ended.
Task<void> sleep_and_say(const Clock& clock, Duration length, Lines& lines, std::string name) {
  Result<void> slept = co_await sleep_for(clock, length);
  lines.push_back(name + (slept ? " slept" : " " + std::string(name_of(slept.error().code()))));
}

TEST(TaskScope, SpawnedTasksStartLaterInTheMomentInOrder) {
  World world;
  Lines lines;
  world.start([&](Context& context) -> Task<void> {
    TaskScope scope(context.scope);
    scope.spawn(say(lines, "first"));
    scope.spawn(say(lines, "second"));
    lines.push_back("spawned");
    EXPECT_FALSE(scope.empty());
    co_await scope.join();
    EXPECT_TRUE(scope.empty());
    lines.push_back("joined");
  });
  world.run();
  EXPECT_EQ(lines, (Lines{"spawned", "first", "second", "joined"}));
  EXPECT_EQ(world.now(), Duration());
}

TEST(TaskScope, JoinWaitsForTheLastTask) {
  World world;
  Duration joined;
  world.start([&](Context& context) -> Task<void> {
    Lines ignored;
    TaskScope scope(context.scope);
    for (const int ms : {5, 20, 10}) {
      scope.spawn(sleep_and_say(context.clock, Duration::ms(ms), ignored, ""));
    }
    co_await scope.join();
    joined = world.now();
  });
  world.run();
  EXPECT_EQ(joined, Duration::ms(20));
}

TEST(TaskScope, JoiningAnEmptyScopeDoesNotWait) {
  World world;
  world.start([](Context& context) -> Task<void> {
    TaskScope scope(context.scope);
    co_await scope.join();
  });
  world.run();
  EXPECT_EQ(world.kernel.events(), 2u);
}

TEST(TaskScope, CancelEndsEveryWaitNowAndFromNowOn) {
  World world;
  Lines lines;
  auto waits_twice = [&lines](const Clock& clock) -> Task<void> {
    Result<void> first = co_await sleep_for(clock, Duration::s(1));
    lines.push_back(std::string(name_of(first.error().code())));
    Result<void> second = co_await sleep_for(clock, Duration::s(1));
    lines.push_back(std::string(name_of(second.error().code())));
  };
  world.start([&](Context& context) -> Task<void> {
    TaskScope scope(context.scope);
    scope.spawn(waits_twice(context.clock));
    Result<void> slept = co_await sleep_for(context.clock, Duration::ms(7));
    EXPECT_TRUE(slept);
    scope.cancel();
    EXPECT_TRUE(scope.cancelled());
    lines.push_back("told");  // Cancelling only posts.
    scope.spawn(sleep_and_say(context.clock, Duration::s(1), lines, "late"));
    co_await scope.join();
  });
  world.run();
  EXPECT_EQ(lines, (Lines{"told", "cancelled", "cancelled", "late cancelled"}));
  EXPECT_EQ(world.now(), Duration::ms(7));
}

TEST(TaskScope, CancelReachesScopesBelowAndSparesTheOneAbove) {
  World world;
  Lines lines;
  auto middle = [&](Context& context, TaskScope& above) -> Task<void> {
    TaskScope below(above);
    below.spawn(sleep_and_say(context.clock, Duration::s(1), lines, "below"));
    co_await below.join();
    TaskScope born_cancelled(above);
    EXPECT_TRUE(born_cancelled.cancelled());
    EXPECT_EQ(born_cancelled.reason(), ErrorCode::cancelled);
    Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
    EXPECT_FALSE(slept);
  };
  world.start([&](Context& context) -> Task<void> {
    TaskScope scope(context.scope);
    scope.spawn(middle(context, scope));
    Result<void> slept = co_await sleep_for(context.clock, Duration::ms(3));
    EXPECT_TRUE(slept);
    scope.cancel();
    co_await scope.join();
    Result<void> again = co_await sleep_for(context.clock, Duration::ms(3));
    lines.push_back(again ? "above goes on" : "above cancelled");
  });
  world.run();
  EXPECT_EQ(lines, (Lines{"below cancelled", "above goes on"}));
  EXPECT_EQ(world.now(), Duration::ms(6));
}

TEST(TaskScope, CancellingTwiceKeepsTheFirstReason) {
  World world;
  world.start([](Context& context) -> Task<void> {
    TaskScope scope(context.scope);
    scope.cancel(ErrorCode::timed_out);
    scope.cancel(ErrorCode::cancelled);
    EXPECT_EQ(scope.reason(), ErrorCode::timed_out);
    co_return;
  });
  world.run();
}

TEST(TaskScope, ADeadlineCancelsWithTimedOut) {
  World world;
  Lines lines;
  world.start([&](Context& context) -> Task<void> {
    TaskScope scope(context.scope);
    scope.set_deadline(context.clock.now() + Duration::ms(4));
    scope.spawn(sleep_and_say(context.clock, Duration::ms(3), lines, "short"));
    scope.spawn(sleep_and_say(context.clock, Duration::ms(5), lines, "long"));
    co_await scope.join();
    EXPECT_EQ(world.now(), Duration::ms(4));
  });
  world.run();
  EXPECT_EQ(lines, (Lines{"short slept", "long timed_out"}));
}

TEST(TaskScope, ADeadlineCanBeMovedAndTakenBack) {
  World world;
  Lines lines;
  world.start([&](Context& context) -> Task<void> {
    const MonotonicTime start = context.clock.now();
    TaskScope moved(context.scope);
    moved.set_deadline(start + Duration::ms(1));
    moved.set_deadline(start + Duration::ms(9));
    moved.spawn(sleep_and_say(context.clock, Duration::ms(20), lines, "moved"));
    TaskScope freed(context.scope);
    freed.set_deadline(start + Duration::ms(1));
    freed.set_deadline(kNever);
    freed.spawn(sleep_and_say(context.clock, Duration::ms(20), lines, "freed"));
    co_await moved.join();
    EXPECT_EQ(world.now(), Duration::ms(9));
    co_await freed.join();
  });
  world.run();
  EXPECT_EQ(lines, (Lines{"moved timed_out", "freed slept"}));
}

TEST(TaskScope, JoinOutlastsACancellation) {
  World world;
  Lines lines;
  auto cleans_up = [&lines](const Clock& clock, Event& release) -> Task<void> {
    Result<void> slept = co_await sleep_for(clock, Duration::s(1));
    EXPECT_FALSE(slept);
    // An orderly end may take time that no cancellation cuts short: here, a set event.
    Result<void> released = co_await release.wait();
    EXPECT_TRUE(released);
    lines.push_back("cleaned up");
  };
  world.start([&](Context& context) -> Task<void> {
    Event release;
    TaskScope outer(context.scope);
    auto joiner = [&](Context& inside) -> Task<void> {
      TaskScope scope(outer);
      release.set();
      scope.spawn(cleans_up(inside.clock, release));
      co_await scope.join();
      lines.push_back("joined");
    };
    outer.spawn(joiner(context));
    Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
    EXPECT_TRUE(slept);
    outer.cancel();
    co_await outer.join();
  });
  world.run();
  EXPECT_EQ(lines, (Lines{"cleaned up", "joined"}));
}

Task<void> hold(Context& context, Lines& gone, std::string name) {
  Probe probe(gone, name);
  Result<void> slept = co_await sleep_for(context.clock, Duration::s(100));
  gone.push_back(name + (slept ? " slept" : " cancelled"));
}

// A task with a scope of its own and two tasks in it.
Task<void> hold_scope(Context& context, TaskScope& above, Lines& gone, std::string name) {
  Probe probe(gone, name);
  TaskScope scope(above);
  scope.spawn(hold(context, gone, name + "1"));
  scope.spawn(hold(context, gone, name + "2"));
  co_await scope.join();
}

TEST(TaskScope, DestructionGoesChildrenFirstAndYoungestFirst) {
  World world;
  Lines gone;
  world.start([&](Context& context) -> Task<void> {
    {
      TaskScope scope(context.scope);
      scope.spawn(hold_scope(context, scope, gone, "a"));
      scope.spawn(hold_scope(context, scope, gone, "b"));
      Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
      EXPECT_TRUE(slept);
    }
    gone.push_back("end");
  });
  world.run();
  EXPECT_EQ(gone, (Lines{"b2", "b1", "a2", "a1", "b", "a", "end"}));
  EXPECT_EQ(world.now(), Duration::ms(1));
}

TEST(TaskScope, AKillDestroysTheWholeTreeInThatOrder) {
  World world;
  Lines gone;
  sim::SimProcess& process = world.start([&](Context& context) -> Task<void> {
    Probe probe(gone, "main");
    context.scope.spawn(hold_scope(context, context.scope, gone, "a"));
    co_await hold_scope(context, context.scope, gone, "m");
  });
  world.at(Duration::ms(2), [&] { process.kill(); });
  world.run();
  // Scopes below first, youngest first; then the strands of the root scope, youngest first.
  EXPECT_EQ(gone, (Lines{"a2", "a1", "m2", "m1", "a", "m", "main"}));
  EXPECT_EQ(world.now(), Duration::ms(2));
}

TEST(TaskScope, DestroyedTasksReleaseTheirJoiner) {
  World world;
  Lines lines;
  world.start([&](Context& context) -> Task<void> {
    TaskScope scope(context.scope);
    scope.spawn(hold(context, lines, "task"));
    auto joins = [&lines](TaskScope& joined) -> Task<void> {
      co_await joined.join();
      lines.push_back("joined");
    };
    TaskScope other(context.scope);
    other.spawn(joins(scope));
    Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
    EXPECT_TRUE(slept);
    scope.destroy_tasks();
    co_await other.join();
    scope.spawn(say(lines, "used again"));
    co_await scope.join();
  });
  world.run();
  EXPECT_EQ(lines, (Lines{"task", "joined", "used again"}));
}

TEST(TaskScope, AnUnstartedTaskIsDestroyedUnstarted) {
  World world;
  Lines lines;
  world.start([&](Context& context) -> Task<void> {
    {
      TaskScope scope(context.scope);
      scope.spawn(say(lines, "never"));
    }
    Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
    EXPECT_TRUE(slept);
  });
  world.run();
  EXPECT_EQ(lines, Lines{});
}

TEST(TaskScope, AnExceptionOfOneTaskLeavesTheOthersAlone) {
  World world;
  Lines lines;
  auto throws = []() -> Task<void> {
    throw std::runtime_error("task");
    co_return;
  };
  world.start([&](Context& context) -> Task<void> {
    TaskScope scope(context.scope);
    scope.spawn(throws());
    scope.spawn(sleep_and_say(context.clock, Duration::ms(1), lines, "other"));
    co_await scope.join();
    lines.push_back("joined");
  });
  EXPECT_THROW(world.run(), std::runtime_error);
  world.run();
  EXPECT_EQ(lines, (Lines{"other slept", "joined"}));
}

TEST(TaskScopeDeathTest, ATaskMayNotDestroyTheScopeItRunsIn) {
  World world;
  auto destroys = [](TaskScope& own) -> Task<void> {
    own.destroy_tasks();
    co_return;
  };
  world.start([&](Context& context) -> Task<void> {
    TaskScope scope(context.scope);
    scope.spawn(destroys(scope));
    co_await scope.join();
  });
  EXPECT_DEATH(world.run(), "ENSURE failed: !strand->running");
}

TEST(TaskScopeDeathTest, OnlyOneTaskJoinsAScope) {
  World world;
  auto joins = [](TaskScope& scope) -> Task<void> { co_await scope.join(); };
  world.start([&](Context& context) -> Task<void> {
    Lines ignored;
    TaskScope scope(context.scope);
    scope.spawn(sleep_and_say(context.clock, Duration::ms(1), ignored, ""));
    TaskScope other(context.scope);
    other.spawn(joins(scope));
    co_await scope.join();
  });
  EXPECT_DEATH(world.run(), "ENSURE failed: scope_.joiner_ == nullptr");
}

}  // namespace
}  // namespace drydock::test
