// The run loop: which event is next, what the clock reads, when a run is given up.
#include "sim/kernel/kernel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/world.hpp"

namespace drydock::sim {
namespace {

using test::Call;

TEST(Kernel, EventsOfTheSameTimeRunInInsertionOrder) {
  Kernel kernel({.seed = 1});
  std::vector<int> order;
  Call a([&] { order.push_back(1); });
  Call b([&] { order.push_back(2); });
  Call c([&] { order.push_back(3); });
  kernel.at(b, 100);
  kernel.at(a, 50);
  kernel.after(c, Duration::ns(100));
  EXPECT_TRUE(kernel.run_until_idle(1'000));
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(kernel.now(), 100);
  EXPECT_EQ(kernel.events(), 3u);
}

TEST(Kernel, PostedEventsRunBehindWhatIsDue) {
  Kernel kernel({.seed = 1});
  std::vector<int> order;
  Call posted([&] { order.push_back(3); });
  Call due([&] { order.push_back(2); });
  Call first([&] {
    order.push_back(1);
    kernel.post(posted);
    EXPECT_EQ(order.size(), 1u);
  });
  kernel.at(first, 10);
  kernel.at(due, 10);
  kernel.run_until(10);
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
}

TEST(Kernel, ATimeInThePastCountsAsNow) {
  Kernel kernel({.seed = 1});
  std::int64_t ran_at = -1;
  Call late([&] { ran_at = kernel.now(); });
  kernel.run_until(500);
  kernel.at(late, 20);
  kernel.run_until(500);
  EXPECT_EQ(ran_at, 500);
}

TEST(Kernel, UrgentEventsRunBeforeEverythingThatIsDueInTheirOwnOrder) {
  Kernel kernel({.seed = 1});
  std::vector<int> order;
  Call due([&] { order.push_back(4); });
  Call urgent_b([&] { order.push_back(3); });
  Call urgent_a([&] { order.push_back(2); });
  Call first([&] {
    order.push_back(1);
    kernel.post_urgent(urgent_b);
    kernel.post_urgent(urgent_a);
    kernel.post_urgent(urgent_b);  // Moved behind.
  });
  kernel.at(first, 10);
  kernel.at(due, 10);
  kernel.run_until(10);
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3, 4}));
}

TEST(Kernel, RunUntilRunsWhatIsDueAndSetsTheClock) {
  Kernel kernel({.seed = 1});
  int runs = 0;
  Call at_limit([&] { ++runs; });
  Call beyond([&] { ++runs; });
  kernel.at(at_limit, 100);
  kernel.at(beyond, 101);
  kernel.run_until(100);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(kernel.now(), 100);
  EXPECT_FALSE(kernel.run_until_idle(100));
  EXPECT_TRUE(kernel.run_until_idle(101));
  kernel.run_until(1'000);
  EXPECT_EQ(kernel.now(), 1'000);
  kernel.run_until(7);
  EXPECT_EQ(kernel.now(), 1'000);
}

TEST(Kernel, RunWhileNotStopsAtTheEventThatMadeItTrue) {
  Kernel kernel({.seed = 1});
  int runs = 0;
  std::vector<std::unique_ptr<Call>> calls;
  for (int i = 1; i <= 5; ++i) {
    calls.push_back(std::make_unique<Call>([&] { ++runs; }));
    kernel.at(*calls.back(), i * 10);
  }
  EXPECT_TRUE(kernel.run_while_not([&] { return runs == 3; }, 1'000));
  EXPECT_EQ(kernel.now(), 30);
  EXPECT_FALSE(kernel.run_while_not([&] { return runs == 9; }, 40));
  EXPECT_EQ(runs, 4);
}

TEST(Kernel, ThrowsWhatATaskThrewAndGoesOnAfterwards) {
  Kernel kernel({.seed = 1});
  int runs = 0;
  Call fails([&] { kernel.fail(std::make_exception_ptr(std::runtime_error("boom"))); });
  Call after([&] { ++runs; });
  kernel.at(fails, 1);
  kernel.at(after, 2);
  EXPECT_THROW(kernel.run_until(10), std::runtime_error);
  EXPECT_EQ(kernel.now(), 1);
  kernel.run_until(10);
  EXPECT_EQ(runs, 1);
}

TEST(Kernel, CountsEventsThatSharedTheirInstant) {
  Kernel kernel({.seed = 1});
  std::vector<std::unique_ptr<Call>> calls;
  for (const std::int64_t time : {0, 5, 5, 5, 6}) {
    calls.push_back(std::make_unique<Call>([] {}));
    kernel.at(*calls.back(), time);
  }
  kernel.run_until(10);
  Call alone([] {});
  kernel.at(alone, 10);
  kernel.run_until(10);
  EXPECT_EQ(kernel.ties(), 2u);
}

TEST(Kernel, StreamsDependOnSeedAndName) {
  const Kernel one({.seed = 1});
  const Kernel two({.seed = 2});
  EXPECT_EQ(one.stream("a").next(), RandomStream(1, "a").next());
  EXPECT_NE(one.stream("a").next(), two.stream("a").next());
  EXPECT_EQ(two.seed(), 2u);
}

// Twenty events at each of ten instants; returns the order in which they ran.
std::vector<std::uint32_t> run_order(KernelOptions options, std::int64_t slice) {
  Kernel kernel(options);
  std::vector<std::uint32_t> order;
  std::vector<std::unique_ptr<Call>> calls;
  for (std::uint32_t i = 0; i < 200; ++i) {
    calls.push_back(std::make_unique<Call>([&order, i] { order.push_back(i); }));
    kernel.at(*calls.back(), i / 20 * 100);
  }
  for (std::int64_t limit = 0; limit <= 1'000; limit += slice) kernel.run_until(limit);
  return order;
}

TEST(Kernel, APerturbedScheduleIsAnotherOrderOfTheSameEvents) {
  const auto plain = run_order({.seed = 1}, 1'000);
  auto perturbed = run_order({.seed = 1, .perturb_schedule = true}, 1'000);
  EXPECT_TRUE(std::ranges::is_sorted(plain));
  EXPECT_NE(perturbed, plain);
  // Only events of the same instant change places.
  for (std::size_t i = 0; i < perturbed.size(); ++i) EXPECT_EQ(perturbed[i] / 20, i / 20);
  EXPECT_NE(perturbed, run_order({.seed = 2, .perturb_schedule = true}, 1'000));
  std::ranges::sort(perturbed);
  EXPECT_EQ(perturbed, plain);
}

// How often each of `width` events of one instant was the first of them, in `instants` instants.
std::vector<int> firsts(std::uint32_t width, std::int64_t instants) {
  Kernel kernel({.seed = 3, .perturb_schedule = true});
  std::vector<int> counts(width);
  std::vector<std::unique_ptr<Call>> calls;
  std::int64_t decided = -1;
  for (std::uint32_t i = 0; i < width; ++i) {
    calls.push_back(std::make_unique<Call>([&, i] {
      if (kernel.now() == decided) return;
      decided = kernel.now();
      ++counts[i];
    }));
  }
  for (std::int64_t instant = 0; instant < instants; ++instant) {
    for (auto& call : calls) kernel.at(*call, instant);
    kernel.run_until(instant);
  }
  return counts;
}

// Standard deviation of a count: 22 of 2,000 ties of two, 24 of ties of three or of twenty.
TEST(Kernel, APerturbedScheduleTakesEachEventOfATieEquallyOften) {
  for (const int count : firsts(2, 2'000)) EXPECT_NEAR(count, 1'000, 90);
  for (const int count : firsts(3, 2'700)) EXPECT_NEAR(count, 900, 100);
  for (const int count : firsts(20, 12'000)) EXPECT_NEAR(count, 600, 100);
}

TEST(Kernel, APerturbedScheduleLeavesNoEventOfACrowdBehindForEver) {
  const std::vector<int> counts = firsts(200, 10'000);
  EXPECT_GT(*std::ranges::min_element(counts), 0);
}

TEST(Kernel, APerturbedScheduleDoesNotDependOnHowTheRunIsSliced) {
  const KernelOptions options{.seed = 5, .perturb_schedule = true};
  EXPECT_EQ(run_order(options, 1'000), run_order(options, 10));
}

TEST(Kernel, ALivelockIsGivenUp) {
  Kernel kernel({.seed = 1, .events_per_instant_max = 1'000});
  Call again([&] { kernel.post(again); });
  kernel.at(again, 77);
  EXPECT_THROW(kernel.run_until(100), std::runtime_error);
  EXPECT_EQ(kernel.now(), 77);
}

TEST(Kernel, ALivelockOfUrgentEventsIsGivenUpToo) {
  Kernel kernel({.seed = 1, .events_per_instant_max = 1'000});
  Call again([&] { kernel.post_urgent(again); });
  kernel.at(again, 77);
  EXPECT_THROW(kernel.run_until(100), std::runtime_error);
}

TEST(Kernel, ALongRunInSlicesIsNoLivelock) {
  Kernel kernel({.seed = 1, .events_per_instant_max = 10});
  Call call([] {});
  for (std::int64_t time = 1; time <= 100; ++time) {
    kernel.run_until(time);
    kernel.post(call);  // Always at a time that the clock reads already.
  }
  EXPECT_NO_THROW(kernel.run_until(200));
}

TEST(Kernel, EngineEventsEnterTheFingerprintWithTheirValues) {
  const auto digest = [](std::int64_t a, std::int64_t b) {
    Kernel kernel({.seed = 1});
    kernel.engine_event(3, EventName::store_appended, a, b);
    return kernel.fingerprint().digest();
  };
  EXPECT_EQ(digest(1, 2), digest(1, 2));
  EXPECT_NE(digest(1, 2), digest(2, 1));
}

TEST(Kernel, TheFingerprintCanBeSwitchedOff) {
  Kernel kernel({.seed = 1});
  const Digest before = kernel.fingerprint().digest();
  kernel.fingerprint().disable();
  int runs = 0;
  Call call([&] { ++runs; });
  kernel.post(call);
  kernel.engine_event(3, EventName::store_appended, 1, 2);
  kernel.run_until(1);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(kernel.fingerprint().digest(), before);
}

TEST(Kernel, SimulationsOfOneProcessDoNotDisturbEachOther) {
  const auto run = [](Kernel& kernel, int steps) {
    Call call([&] { kernel.after(call, Duration::ns(3)); });
    kernel.post(call);
    for (int i = 0; i < steps; ++i) kernel.step(1'000'000);
    return kernel.fingerprint().digest();
  };
  Kernel alone({.seed = 1});
  const Digest expected = run(alone, 50);

  Kernel first({.seed = 1});
  Kernel second({.seed = 1});
  Call ping([&] { first.after(ping, Duration::ns(3)); });
  Call pong([&] { second.after(pong, Duration::ns(3)); });
  first.post(ping);
  second.post(pong);
  for (int i = 0; i < 50; ++i) {
    first.step(1'000'000);
    second.step(1'000'000);
  }
  EXPECT_EQ(first.fingerprint().digest(), expected);
  EXPECT_EQ(second.fingerprint().digest(), expected);
}

}  // namespace
}  // namespace drydock::sim
