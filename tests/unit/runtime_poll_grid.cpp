// A poller that skips idle time wakes at the same instants as one that ticks.
#include "engine/runtime/poll_grid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/world.hpp"

namespace drydock::test {
namespace {

MonotonicTime at_ms(std::int64_t ms) { return MonotonicTime::at_ns(ms * 1'000'000); }

TEST(PollGrid, NextPointIsStrictlyAfterAndNeverBeforeTheFirst) {
  World world;
  const PollGrid grid(world.host().clock(), at_ms(3), Duration::ms(10));
  EXPECT_EQ(grid.next_after(at_ms(3)), at_ms(13));
  EXPECT_EQ(grid.next_after(at_ms(4)), at_ms(13));
  EXPECT_EQ(grid.next_after(at_ms(13)), at_ms(23));
  EXPECT_EQ(grid.next_after(at_ms(22)), at_ms(23));
  EXPECT_EQ(grid.next_after(at_ms(0)), at_ms(13));
  EXPECT_EQ(grid.next_after(at_ms(-50)), at_ms(13));
}

// The specification: looks at every point of the grid.
Task<Result<void>> tick_until(const Clock& clock, PollGrid& grid, const bool& holds,
                              Deadline deadline) {
  for (;;) {
    Result<void> slept = co_await sleep_until(grid.next_after(clock.now()));
    if (!slept) co_return slept;
    if (holds) co_return Result<void>();
    if (clock.now() >= deadline) co_return ErrorCode::timed_out;
  }
}

struct Change {
  Duration at;
  bool value;
};

struct Ended {
  Duration at;
  std::string how;
  friend bool operator==(const Ended&, const Ended&) = default;
  friend void PrintTo(const Ended& ended, std::ostream* out) {
    *out << ended.how << " at " << ended.at.count_ns();
  }
};

// One poller of either kind, in a world where the predicate changes at given times. `events` counts
// what the run cost.
Ended poll(bool ticking, Duration start, Duration period, Deadline deadline,
           const std::vector<Change>& changes, std::uint64_t* events = nullptr) {
  World world;
  bool holds = false;
  Event changed;
  Ended ended{Duration(), "never"};
  for (const Change& change : changes) {
    world.at(change.at, [&holds, &changed, change] {
      holds = change.value;
      changed.set();
    });
  }
  world.start([&](Context& context) -> Task<void> {
    Result<void> slept = co_await sleep_for(context.clock, start);
    EXPECT_TRUE(slept);
    PollGrid grid(context.clock, MonotonicTime::at_ns(0), period);
    const auto predicate = [&holds] { return holds; };
    const auto end = [&](const Result<void>& polled) {
      ended = {world.now(), polled ? "ok" : std::string(name_of(polled.error().code()))};
    };
    if (ticking) {
      Result<void> polled = co_await tick_until(context.clock, grid, holds, deadline);
      end(polled);
    } else {
      Result<void> polled = co_await grid.until(changed, predicate, deadline);
      end(polled);
    }
  });
  world.run_to(Duration::s(100));
  if (events != nullptr) *events = world.kernel.events();
  return ended;
}

TEST(PollGrid, WakesAtTheGridPointAfterTheChange) {
  const std::vector<Change> changes = {{Duration::ms(1'234), true}};
  for (const bool ticking : {true, false}) {
    EXPECT_EQ(poll(ticking, Duration::ms(1), Duration::ms(10), kNever, changes),
              (Ended{Duration::ms(1'240), "ok"}));
  }
}

TEST(PollGrid, AChangeAtAGridPointCountsAsAfterIt) {
  // The poller's timer of that point is older than the change's event only when it is made first.
  World world;
  bool holds = false;
  Event changed;
  Duration woken;
  world.start([&](Context& context) -> Task<void> {
    PollGrid grid(context.clock, MonotonicTime::at_ns(0), Duration::ms(10));
    const auto predicate = [&holds] { return holds; };
    Result<void> polled = co_await grid.until(changed, predicate);
    EXPECT_TRUE(polled);
    woken = world.now();
  });
  world.run_to(Duration::ms(5));
  world.at(Duration::ms(30), [&] {
    holds = true;
    changed.set();
  });
  world.run();
  EXPECT_EQ(woken, Duration::ms(40));
}

TEST(PollGrid, TimesOutAtTheFirstPointAtOrAfterTheDeadline) {
  for (const bool ticking : {true, false}) {
    // Between two points, exactly at one, and already past.
    EXPECT_EQ(poll(ticking, Duration::ms(1), Duration::ms(10), at_ms(25), {}),
              (Ended{Duration::ms(30), "timed_out"}));
    EXPECT_EQ(poll(ticking, Duration::ms(1), Duration::ms(10), at_ms(30), {}),
              (Ended{Duration::ms(30), "timed_out"}));
    EXPECT_EQ(poll(ticking, Duration::ms(31), Duration::ms(10), at_ms(30), {}),
              (Ended{Duration::ms(40), "timed_out"}));
  }
}

TEST(PollGrid, SkippingIsEqualToTicking) {
  RandomStream random(11, "poll-grid");
  for (int round = 0; round < 2'000; ++round) {
    const Duration period = Duration::ns(random.between(2, 50));
    const Duration start = Duration::ns(random.between(0, 200));
    const Deadline deadline =
        random.below(3) == 0 ? kNever : MonotonicTime::at_ns(random.between(0, 1'000));
    std::vector<Change> changes;
    bool ends = false;
    for (std::uint64_t count = random.below(8); count > 0; --count) {
      const std::int64_t at = random.between(0, 1'200);
      const bool value = random.below(2) == 0;
      // What happens exactly at a point of the grid is a matter of order, and not compared.
      if (at % period.count_ns() == 0) continue;
      changes.push_back({Duration::ns(at), value});
    }
    std::ranges::stable_sort(changes, {}, &Change::at);
    ends = deadline != kNever || (!changes.empty() && changes.back().value);
    if (!ends) changes.push_back({Duration::us(2) + Duration::ns(1), true});
    if ((changes.empty() ? 0 : changes.back().at.count_ns()) % period.count_ns() == 0) continue;

    EXPECT_EQ(poll(true, start, period, deadline, changes),
              poll(false, start, period, deadline, changes))
        << "round " << round << ", period " << period.count_ns() << ", start " << start.count_ns()
        << ", deadline " << deadline.count_ns();
  }
}

TEST(PollGrid, AnIdleHourCostsAHandfulOfEvents) {
  const std::vector<Change> changes = {{Duration::s(90), true}};
  std::uint64_t events = 0;
  EXPECT_EQ(poll(false, Duration(), Duration::ms(1), kNever, changes, &events).how, "ok");
  EXPECT_LT(events, 10u);
}

TEST(PollGrid, CancellationEndsThePoll) {
  World world;
  std::string how;
  world.start([&](Context& context) -> Task<void> {
    Event changed;
    auto polls = [&](Context& inside) -> Task<void> {
      PollGrid grid(inside.clock, MonotonicTime::at_ns(0), Duration::ms(10));
      const auto never = [] { return false; };
      Result<void> polled = co_await grid.until(changed, never);
      how = std::string(name_of(polled.error().code()));
    };
    for (const int ms : {5, 15}) {  // Asleep until the first point; waiting for a change.
      TaskScope scope(context.scope);
      scope.spawn(polls(context));
      Result<void> slept = co_await sleep_for(context.clock, Duration::ms(ms));
      EXPECT_TRUE(slept);
      how.clear();
      scope.cancel();
      co_await scope.join();
      EXPECT_EQ(how, "cancelled");
    }
  });
  world.run();
}

TEST(PollGridDeathTest, NeedsAPeriod) {
  World world;
  EXPECT_DEATH(PollGrid(world.host().clock(), MonotonicTime(), Duration()), "ENSURE failed");
}

}  // namespace
}  // namespace drydock::test
