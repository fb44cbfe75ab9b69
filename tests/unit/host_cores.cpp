// Shares of a host's cores: by weight, up to a quota. Laws of sim/host/cores.hpp.
#include <gtest/gtest.h>

#include "tests/support/world.hpp"

namespace drydock::test {
namespace {

using sim::CpuShare;

constexpr Duration kSlice = Duration::ms(3);

// A process that wants a core, or several, all the time from `from` on.
struct Hungry {
  std::int64_t weight = 100;
  Duration piece = Duration::us(100);
  Duration from;
  int threads = 1;
  Duration quota;
};

class CoresWorld : public World {
 public:
  CoresWorld(int cores, Duration slice)
      : host_(add_host({.cores = cores, .cpu_priced = true, .cpu_slice = slice})) {}

  std::size_t add(Hungry process) {
    processes_.push_back(process);
    had_.emplace_back();
    const std::size_t index = had_.size() - 1;
    sim::SimProcess& made = host_.spawn("p" + std::to_string(index));
    made.attach(std::make_unique<NoNetwork>(), std::make_unique<NoFiles>());
    made.limit_cpu({.weight = process.weight, .quota = process.quota});
    made.start([this, index](Context& context) { return want(context, index); });
    return index;
  }
  // What it has had of the cores, pieces that have ended.
  Duration had(std::size_t index) const { return had_[index]; }
  Duration had_by_all() const {
    Duration sum;
    for (const Duration had : had_) sum += had;
    return sum;
  }

 private:
  Task<void> want(Context& context, std::size_t index) {
    TaskScope threads(context.scope);
    for (int i = 0; i < processes_[index].threads; ++i) threads.spawn(compute(context, index));
    co_await threads.join();
  }
  Task<void> compute(Context& context, std::size_t index) {
    const Hungry process = processes_[index];
    Worker& worker = context.workers.add("worker");
    Result<void> slept = co_await sleep_for(context.clock, process.from);
    EXPECT_TRUE(slept);
    for (;;) {
      Result<void> spent = co_await context.compute.charge(worker, process.piece);
      if (!spent) co_return;
      had_[index] += process.piece;
    }
  }

  sim::Host& host_;
  std::vector<Hungry> processes_;
  std::vector<Duration> had_;
};

// For each pair: times by weight differ by at most a slice of each.
void expect_by_weight(CoresWorld& world, const std::vector<std::int64_t>& weights, Duration most) {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const std::int64_t left = world.had(i).count_ns() * weights[j];
      const std::int64_t right = world.had(j).count_ns() * weights[i];
      EXPECT_LE(std::abs(left - right), most.count_ns() * (weights[i] + weights[j]))
          << i << " had " << world.had(i).count_us() << " us, " << j << " "
          << world.had(j).count_us() << " us";
    }
  }
}

TEST(CpuShares, FollowTheWeightsWithinAPieceAndLeaveNothingIdle) {
  const std::vector<std::int64_t> weights = {100, 200, 1'000, 1};
  CoresWorld world(1, Duration());
  for (const std::int64_t weight : weights) world.add({.weight = weight});
  for (int second = 1; second <= 20; ++second) {
    world.run_to(Duration::s(second));
    expect_by_weight(world, weights, Duration::us(100));
    EXPECT_LE(Duration::s(second) - world.had_by_all(), Duration::us(100));
  }
}

TEST(CpuShares, FollowTheWeightsWithinASliceIfPiecesAreLonger) {
  const std::vector<std::int64_t> weights = {100, 300};
  CoresWorld world(1, kSlice);
  for (const std::int64_t weight : weights) {
    world.add({.weight = weight, .piece = Duration::ms(40)});
  }
  world.run_to(Duration::s(40));
  // A piece that has not ended is not counted.
  expect_by_weight(world, weights, Duration::ms(40));
  EXPECT_LE(Duration::s(40) - world.had_by_all(), Duration::ms(80));
}

// With slices nobody waits longer than one of each of the others.
TEST(CpuShares, AShortPieceWaitsNoLongerThanASlice) {
  CoresWorld world(1, kSlice);
  world.add({.piece = Duration::s(10)});
  const std::size_t late = world.add({.piece = Duration::us(10), .from = Duration::s(1)});
  world.run_to(Duration::s(1) + kSlice + Duration::us(10));
  EXPECT_GE(world.had(late), Duration::us(10));
}

TEST(CpuShares, WithoutSlicesAPieceThatRunsIsNotInterrupted) {
  CoresWorld world(1, Duration());
  const std::size_t first = world.add({.piece = Duration::s(10)});
  const std::size_t late = world.add({.piece = Duration::us(10), .from = Duration::s(1)});
  world.run_to(Duration::s(10));
  EXPECT_EQ(world.had(first), Duration::s(10));
  EXPECT_EQ(world.had(late), Duration());
}

TEST(CpuShares, NobodyIsOwedTheTimeInWhichHeWantedNothing) {
  CoresWorld world(1, Duration());
  const std::size_t first = world.add({});
  const std::size_t late = world.add({.from = Duration::s(10)});
  world.run_to(Duration::s(12));
  EXPECT_LE(Duration::s(11) - world.had(first), Duration::us(200));
  EXPECT_LE(Duration::s(1) - world.had(late), Duration::us(200));
}

// Two threads of one process use two cores; four threads of another get no more than its share.
TEST(CpuShares, AreOfProcessesNotOfThreads) {
  const std::vector<std::int64_t> weights = {100, 100};
  CoresWorld world(2, Duration());
  world.add({.threads = 2});
  world.add({.threads = 8});
  world.run_to(Duration::s(5));
  expect_by_weight(world, weights, Duration::us(200));
  EXPECT_LE(Duration::s(10) - world.had_by_all(), Duration::us(200));
}

TEST(CpuQuota, IsNotExceededInAnyPeriodAndUsedUpInEach) {
  CoresWorld world(8, Duration());
  const std::size_t limited =
      world.add({.piece = Duration::us(70), .threads = 4, .quota = Duration::ms(20)});
  for (int period = 1; period <= 50; ++period) {
    world.run_to(Duration::ms(100) * period);
    const Duration allowed = Duration::ms(20) * period;
    EXPECT_LE(world.had(limited), allowed);
    EXPECT_LE(allowed - world.had(limited), Duration::us(70) * 4);
  }
}

TEST(CpuQuota, IsOfAllCoresTogether) {
  CoresWorld world(8, Duration());
  const std::size_t limited = world.add({.threads = 8, .quota = Duration::ms(300)});
  world.run_to(Duration::s(1));
  EXPECT_LE(world.had(limited), Duration::s(3));
  EXPECT_LE(Duration::s(3) - world.had(limited), Duration::ms(1));
}

TEST(CpuQuota, OfOneLeavesTheCoreToOthers) {
  CoresWorld world(1, kSlice);
  const std::size_t limited = world.add({.weight = 10'000, .quota = Duration::ms(10)});
  const std::size_t other = world.add({});
  world.run_to(Duration::s(10));
  EXPECT_LE(world.had(limited), Duration::s(1));
  EXPECT_LE(Duration::s(1) - world.had(limited), Duration::ms(1));
  EXPECT_LE(Duration::s(9) - world.had(other), Duration::ms(1));
}

// A long piece is cut where the quota ends: 100 ms of work take four periods and 20 ms.
TEST(CpuQuota, StretchesALongPiece) {
  World world;
  sim::Host& host = world.add_host({.cores = 4, .cpu_priced = true});
  Duration ended;
  sim::SimProcess& process = host.spawn("p");
  process.attach(std::make_unique<NoNetwork>(), std::make_unique<NoFiles>());
  process.limit_cpu({.quota = Duration::ms(20)});
  process.start([&](Context& context) -> Task<void> {
    Worker& worker = context.workers.add("worker");
    Result<void> spent = co_await context.compute.charge(worker, Duration::ms(100));
    EXPECT_TRUE(spent);
    ended = world.now();
  });
  world.run();
  EXPECT_EQ(ended, Duration::ms(420));
}

}  // namespace
}  // namespace drydock::test
