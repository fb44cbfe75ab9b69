// Tasks and the strand that runs them: when they start, how values and exceptions come up, what
// happens to the stack, and what a destroyed chain leaves behind.
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/runtime/join.hpp"
#include "tests/support/world.hpp"

namespace drydock::test {
namespace {

using Lines = std::vector<std::string>;

Task<int> value_at_once(int value) { co_return value; }

Task<int> value_after(const Clock& clock, Duration delay, int value) {
  Result<void> slept = co_await sleep_for(clock, delay);
  EXPECT_TRUE(slept);
  co_return value;
}

TEST(Task, StartsOnlyWhenItIsAwaited) {
  Lines lines;
  auto child = [&lines]() -> Task<void> {
    lines.push_back("child");
    co_return;
  };
  World world;
  world.start([&](Context&) -> Task<void> {
    Task<void> task = child();
    lines.push_back("made");
    co_await std::move(task);
    lines.push_back("after");
  });
  world.run();
  EXPECT_EQ(lines, (Lines{"made", "child", "after"}));
}

TEST(Task, ACompletionWithoutAWaitCostsNoEvent) {
  World world;
  int sum = 0;
  world.start([&](Context&) -> Task<void> {
    for (int i = 0; i < 10; ++i) {
      const int value = co_await value_at_once(i);
      sum += value;
    }
  });
  world.run();
  EXPECT_EQ(sum, 45);
  EXPECT_EQ(world.kernel.events(), 2u);  // Start and exit.
}

Task<int> sum_down(const Clock& clock, int depth) {
  if (depth == 0) {
    const int leaf = co_await value_after(clock, Duration::ms(1), 1);
    co_return leaf;
  }
  const int below = co_await sum_down(clock, depth - 1);
  co_return below + 1;
}

TEST(Task, ValuesComeUpThroughFramesThatWaited) {
  World world;
  int sum = 0;
  world.start([&](Context& context) -> Task<void> {
    const int total = co_await sum_down(context.clock, 50);
    sum = total;
  });
  world.run();
  EXPECT_EQ(sum, 51);
  EXPECT_EQ(world.now(), Duration::ms(1));
}

Task<std::unique_ptr<int>> move_only(std::unique_ptr<int> in) { co_return std::move(in); }

TEST(Task, MovesItsResultAndItsParameters) {
  World world;
  int seen = 0;
  world.start([&](Context&) -> Task<void> {
    std::unique_ptr<int> out = co_await move_only(std::make_unique<int>(9));
    seen = *out;
  });
  world.run();
  EXPECT_EQ(seen, 9);
}

Task<int> throws_after(const Clock& clock, Duration delay) {
  if (delay > Duration()) {
    Result<void> slept = co_await sleep_for(clock, delay);
    EXPECT_TRUE(slept);
  }
  throw std::runtime_error("from below");
}

TEST(Task, ExceptionsReachTheAwaitingTaskWithAndWithoutAWait) {
  World world;
  Lines caught;
  world.start([&](Context& context) -> Task<void> {
    for (const Duration delay : {Duration(), Duration::ms(1)}) {
      try {
        const int never = co_await throws_after(context.clock, delay);
        caught.push_back(std::to_string(never));
      } catch (const std::runtime_error& error) {
        caught.push_back(error.what());
      }
    }
  });
  world.run();
  EXPECT_EQ(caught, (Lines{"from below", "from below"}));
}

TEST(Task, AnExceptionThatNobodyCatchesLeavesTheRunLoop) {
  World world;
  world.start([](Context& context) -> Task<void> {
    const int never = co_await throws_after(context.clock, Duration::ms(3));
    EXPECT_EQ(never, 0);
  });
  EXPECT_THROW(world.run(), std::runtime_error);
  EXPECT_EQ(world.now(), Duration::ms(3));
  EXPECT_NO_THROW(world.run());
}

// Where the stack is, as seen by a call from a coroutine's body.
[[gnu::noinline]] std::intptr_t stack_position() {
  return reinterpret_cast<std::intptr_t>(__builtin_frame_address(0));
}

struct StackRange {
  std::intptr_t low = stack_position();
  std::intptr_t high = low;
  void look() {
    const std::intptr_t here = stack_position();
    if (here < low) low = here;
    if (here > high) high = here;
  }
};

Task<void> look_at_once(StackRange& range) {
  range.look();
  co_return;
}
Task<void> look_after_waiting(const Clock& clock, StackRange& range) {
  Result<void> slept = co_await sleep_for(clock, Duration());
  EXPECT_TRUE(slept);
  range.look();
}

TEST(Task, AHundredThousandAwaitsInARowDoNotGrowTheStack) {
  World world;
  StackRange at_once;
  StackRange waiting;
  world.start([&](Context& context) -> Task<void> {
    at_once = StackRange();
    for (int i = 0; i < 100'000; ++i) co_await look_at_once(at_once);
    Result<void> slept = co_await sleep_for(context.clock, Duration());
    EXPECT_TRUE(slept);
    waiting = StackRange();
    for (int i = 0; i < 100'000; ++i) co_await look_after_waiting(context.clock, waiting);
  });
  world.run();
  // Frames of a handful of calls; growth by one call per await would be megabytes.
  EXPECT_LT(at_once.high - at_once.low, 16'384);
  EXPECT_LT(waiting.high - waiting.low, 16'384);
}

Task<void> look_on_the_way_up(const Clock& clock, StackRange& range, int depth) {
  if (depth == 0) {
    Result<void> slept = co_await sleep_for(clock, Duration::ms(1));
    EXPECT_TRUE(slept);
    range = StackRange();
    co_return;
  }
  co_await look_on_the_way_up(clock, range, depth - 1);
  range.look();
}

TEST(Task, CompletionsOfADeepChainDoNotNest) {
  World world;
  StackRange range;
  world.start([&](Context& context) -> Task<void> {
    co_await look_on_the_way_up(context.clock, range, 1'000);
  });
  world.run();
  EXPECT_LT(range.high - range.low, 1'024);
}

Task<void> hold_and_wait(const Clock& clock, Lines& gone, int depth) {
  Probe probe(gone, "frame " + std::to_string(depth));
  if (depth > 0) {
    co_await hold_and_wait(clock, gone, depth - 1);
  } else {
    Result<void> slept = co_await sleep_for(clock, Duration::s(1));
    EXPECT_TRUE(slept);
  }
  gone.push_back("resumed");
}

TEST(Task, DestroyingAWaitingChainDestroysItFromTheLeafUp) {
  Lines gone;
  const std::size_t before = pool_bytes_in_use();
  {
    World world;
    world.start([&](Context& context) -> Task<void> {
      TaskScope scope(context.scope);
      scope.spawn(hold_and_wait(context.clock, gone, 3));
      Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
      EXPECT_TRUE(slept);
      scope.destroy_tasks();
      gone.push_back("after");
    });
    world.run();
    EXPECT_EQ(gone, (Lines{"frame 0", "frame 1", "frame 2", "frame 3", "after"}));
    EXPECT_EQ(world.now(), Duration::ms(1));  // The sleep was taken back.
  }
  EXPECT_EQ(pool_bytes_in_use(), before);
}

Task<void> keep(std::shared_ptr<int>) { co_return; }

TEST(Task, ATaskThatNeverStartsStillReleasesItsParameters) {
  const std::size_t before = pool_bytes_in_use();
  auto held = std::make_shared<int>(1);
  {
    Task<void> first = keep(held);
    Task<void> second = keep(held);
    EXPECT_EQ(held.use_count(), 3);
    first = std::move(second);
    EXPECT_EQ(held.use_count(), 2);
  }
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(pool_bytes_in_use(), before);
}

TEST(Task, AFinishedTaskReleasesItsFrameBeforeItsParentGoesOn) {
  World world;
  auto held = std::make_shared<int>(1);
  long count = 0;
  world.start([&](Context&) -> Task<void> {
    co_await keep(held);
    count = held.use_count();
  });
  world.run();
  EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace drydock::test
