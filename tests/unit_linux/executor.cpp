// The run loop: order, timers, stop, exceptions.
#include "engine/linux/executor.hpp"

#include <algorithm>
#include <thread>
#include <vector>

#include "tests/unit_linux/action.hpp"
#include "tests/unit_linux/linux_test.hpp"

namespace drydock::on_linux::test {
namespace {

class Executor : public ::testing::Test {
 protected:
  // A wake-up that notes `number`.
  Action& note(int number) {
    actions.push_back(std::make_unique<Action>([this, number] { noted.push_back(number); }));
    return *actions.back();
  }
  bool run_until_noted(std::size_t count) {
    const auto enough = [&] { return noted.size() >= count; };
    return executor.run_until(enough, executor.now() + kHangLimit);
  }

  LinuxExecutor executor;
  std::vector<int> noted;
  std::vector<std::unique_ptr<Action>> actions;
};

TEST_F(Executor, RunsInTheOrderOfPostsAndUrgentOnesFirst) {
  executor.post(note(1));
  executor.post(note(2));
  executor.post_urgent(note(3));
  ASSERT_TRUE(run_until_noted(3));
  EXPECT_EQ(noted, (std::vector<int>{3, 1, 2}));
}

TEST_F(Executor, PostingAgainMovesToTheEnd) {
  Action& moved = note(1);
  executor.post(moved);
  executor.post(note(2));
  executor.post(moved);
  ASSERT_TRUE(run_until_noted(2));
  EXPECT_EQ(noted, (std::vector<int>{2, 1}));
}

TEST_F(Executor, WhatIsPostedMeanwhileRunsBehindWhatWasDue) {
  Action& late = note(3);
  Action posts([&] { executor.post(late); });
  executor.post(posts);
  executor.post(note(2));
  ASSERT_TRUE(run_until_noted(2));
  EXPECT_EQ(noted, (std::vector<int>{2, 3}));
}

TEST_F(Executor, WhatIsPostedLastRunsBehindAllThatIsReadyAndAfterEightRoundsAtTheLatest) {
  Action& last = note(9);
  int left = 3;
  Action again([&] {
    noted.push_back(left);
    if (--left > 0) executor.post(again);
  });
  executor.post_last(last);
  executor.post(again);
  ASSERT_TRUE(run_until_noted(4));
  EXPECT_EQ(noted, (std::vector<int>{3, 2, 1, 9}));
  noted.clear();
  left = 100;
  executor.post_last(last);
  executor.post(again);
  ASSERT_TRUE(run_until_noted(20));
  const auto place = std::ranges::find(noted, 9) - noted.begin();
  EXPECT_LE(place, 9);
}

TEST_F(Executor, TimersRunInTheOrderOfTheirTimes) {
  const MonotonicTime now = executor.now();
  executor.arm(note(3), now + Duration::ms(2));
  executor.arm(note(2), now + Duration::ms(1));
  executor.arm(note(1), now - Duration::s(1));  // Passed already: as soon as possible.
  ASSERT_TRUE(run_until_noted(3));
  EXPECT_EQ(noted, (std::vector<int>{1, 2, 3}));
  EXPECT_GE(executor.now(), now + Duration::ms(2));
}

TEST_F(Executor, ATimerThatIsMovedForwardOrTakenBackKeepsToThat) {
  Action& moved = note(1);
  {
    Action destroyed([&] { noted.push_back(99); });
    executor.arm(destroyed, executor.now());
  }
  executor.arm(moved, executor.now() + Duration::s(3600));
  executor.arm(moved, executor.now() + Duration::ms(1));
  ASSERT_TRUE(run_until_noted(1));
  EXPECT_EQ(noted, (std::vector<int>{1}));
}

TEST_F(Executor, ATimerEarlierThanTheOneItSleepsForWakesIt) {
  executor.arm(note(2), executor.now() + Duration::ms(30));
  Action arms([&] { executor.arm(note(1), executor.now() + Duration::ms(1)); });
  executor.arm(arms, executor.now() + Duration::ms(2));
  ASSERT_TRUE(run_until_noted(2));
  EXPECT_EQ(noted, (std::vector<int>{1, 2}));
}

TEST_F(Executor, StopsAtTheLimitAlsoWhenATaskAlwaysHasMoreToDo) {
  EXPECT_FALSE(executor.run_until([] { return false; }, executor.now()));
  Action again([&] { executor.post(again); });
  executor.post(again);
  const auto never = [] { return false; };
  EXPECT_FALSE(executor.run_until(never, executor.now() + Duration::ms(5)));
}

TEST_F(Executor, AskedFirstAndThenAfterEveryEvent) {
  executor.post(note(1));
  executor.post(note(2));
  EXPECT_TRUE(executor.run_until([] { return true; }, kNever));
  EXPECT_TRUE(noted.empty());
  ASSERT_TRUE(run_until_noted(1));
  EXPECT_EQ(noted, (std::vector<int>{1}));  // The rest of the round stays for the next run.
  ASSERT_TRUE(run_until_noted(2));
  EXPECT_EQ(noted, (std::vector<int>{1, 2}));
}

TEST_F(Executor, AnotherThreadStopsIt) {
  std::thread stopper([&] { executor.stop(); });
  EXPECT_FALSE(executor.run_until([] { return false; }, kNever));
  stopper.join();
}

TEST_F(Executor, AStopThatComesBeforeTheRunEndsTheNextOne) {
  executor.stop();
  EXPECT_FALSE(executor.run_until([] { return false; }, kNever));
}

TEST_F(LinuxTest, WhatATaskThrowsComesOutOfRunAndTheRestGoesOn) {
  const Program throws = [](Context&) -> Task<void> {
    throw std::runtime_error("from a task");
    co_return;
  };
  LinuxProcess& first = start("throws", throws);
  LinuxProcess& second = start("goes on", [](Context&) -> Task<void> { co_return; });
  EXPECT_THROW(world.run_until([] { return false; }, kHangLimit), std::runtime_error);
  run_until_dead(second);
  EXPECT_TRUE(first.alive());  // As in simulation: a harness that goes on has to end it.
}

TEST_F(LinuxTest, ClocksAreThoseOfTheMachine) {
  const MonotonicTime before = world.clock().now();
  EXPECT_GE(world.clock().now(), before);
  const auto unix_now = std::chrono::system_clock::now().time_since_epoch();
  const std::int64_t unix_ns = std::chrono::nanoseconds(unix_now).count();
  const Duration apart = world.clock().wall_now() - WallTime::at_ns(unix_ns);
  EXPECT_LT(apart, Duration::s(60));
  EXPECT_GT(apart, -Duration::s(60));
}

}  // namespace
}  // namespace drydock::on_linux::test
