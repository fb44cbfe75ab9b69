// How much memory a host has, who has it, and who dies for it: Linux I/O model, sections 2.1, 2.3.
#include <gtest/gtest.h>

#include "tests/support/world.hpp"

namespace drydock::test {
namespace {

using sim::HostMemory;
using sim::MemoryOptions;

constexpr std::int64_t kMiB = 1 << 20;
constexpr std::int64_t kGiB = 1 << 30;

Task<void> run_for_ever(Context& context) {
  Event never;
  Result<void> over = co_await never.wait();
  static_cast<void>(over);
  static_cast<void>(context);
}

TEST(Watermarks, FollowTheKernelsFormula) {
  EXPECT_EQ(sim::default_min_free_bytes(kGiB, sim::kernel_6x()), 4096 << 10);
  EXPECT_EQ(sim::default_min_free_bytes(16 * kGiB, sim::kernel_6x()), 16384 << 10);
  EXPECT_EQ(sim::default_min_free_bytes(1024 * kGiB, sim::kernel_el7()), 65536 << 10);
  EXPECT_EQ(sim::default_min_free_bytes(1 << 20, sim::kernel_6x()), 128 << 10);
  EXPECT_EQ(sim::default_min_free_bytes(64 * 1024 * kGiB, sim::kernel_6x()), 262144 << 10);
}

// Read from a kernel of 16 GiB or so: 12185, 15231, 18277 pages.
TEST(Watermarks, KeepTheirGaps) {
  const sim::Watermarks marks =
      sim::watermarks_of({.bytes = 11 * kGiB, .min_free_bytes = 12185 * 4096});
  EXPECT_EQ(marks.min, 12185);
  EXPECT_EQ(marks.low, 15231);
  EXPECT_EQ(marks.high, 18277);
  const sim::Watermarks gibibyte = sim::watermarks_of({.bytes = 64 * kGiB, .min_free_bytes = kGiB});
  EXPECT_EQ(gibibyte.low * 4096, kGiB + 256 * kMiB);
  EXPECT_EQ(gibibyte.high * 4096, kGiB + 512 * kMiB);
}

TEST(Watermarks, OfLargeHostsGrowWithTheirScaleFactorSince46) {
  const MemoryOptions options{.bytes = 256 * kGiB, .min_free_bytes = 64 * kMiB};
  EXPECT_EQ(sim::watermarks_of(options).low * 4096 / kMiB, 64 + 262);
  MemoryOptions old = options;
  old.kernel = sim::kernel_el7();
  EXPECT_EQ(sim::watermarks_of(old).low * 4096, 80 * kMiB);
}

struct MemoryHost : World {
  explicit MemoryHost(MemoryOptions options) { add_host({.memory = options}); }
  HostMemory& memory() { return *host().memory(); }
  sim::SimProcess& process(const std::string& name, std::int64_t bytes) {
    sim::SimProcess& process = start(run_for_ever, name);
    process.charge_memory(bytes);
    return process;
  }
};

TEST(HostMemory, IsGivenBackWhenAProcessEnds) {
  MemoryHost world({.bytes = kGiB});
  const std::int64_t before = world.memory().free();
  sim::SimProcess& broker = world.process("broker", 100 * kMiB);
  EXPECT_EQ(world.memory().of(broker.id()), 25'600);
  EXPECT_EQ(world.memory().free(), before - 25'600);
  broker.kill();
  world.run_to(Duration::s(1));
  EXPECT_EQ(world.memory().free(), before);
}

TEST(HostMemory, OfAHostWithoutASizeIsNotCounted) {
  World world;
  world.add_host();
  world.start(run_for_ever).charge_memory(1 << 30);
  EXPECT_EQ(world.host().memory(), nullptr);
}

TEST(OutOfMemory, KillsTheLargestProcess) {
  MemoryHost world({.bytes = kGiB});
  sim::SimProcess& agent = world.process("agent", 50 * kMiB);
  sim::SimProcess& broker = world.process("broker", 600 * kMiB);
  sim::SimProcess& late = world.process("late", 500 * kMiB);
  world.run_to(Duration::s(1));
  EXPECT_FALSE(broker.alive());
  EXPECT_EQ(broker.end(), sim::ProcessEnd::killed);
  EXPECT_TRUE(agent.alive());
  EXPECT_TRUE(late.alive());
  EXPECT_EQ(world.memory().counters().global_kills, 1);
  EXPECT_EQ(world.memory().of(late.id()) * 4096, 500 * kMiB);
}

TEST(OutOfMemory, MayKillTheProcessThatAsks) {
  MemoryHost world({.bytes = kGiB});
  sim::SimProcess& broker = world.process("broker", 300 * kMiB);
  sim::SimProcess& late = world.process("late", 900 * kMiB);
  world.run_to(Duration::s(1));
  EXPECT_TRUE(broker.alive());
  EXPECT_FALSE(late.alive());
}

TEST(OutOfMemory, HeedsTheAdjustmentOfTheScore) {
  MemoryHost world({.bytes = kGiB});
  sim::SimProcess& agent = world.process("agent", 50 * kMiB);
  sim::SimProcess& broker = world.process("broker", 600 * kMiB);
  sim::SimProcess& safe = world.process("safe", 0);
  world.memory().set_oom_score_adjust(agent, 1000);
  world.memory().set_oom_score_adjust(safe, -1000);
  world.memory().out_of_memory(HostMemory::Scope::host);
  world.memory().out_of_memory(HostMemory::Scope::host);  // One at a time.
  world.run_to(Duration::s(1));
  EXPECT_FALSE(agent.alive());
  EXPECT_TRUE(broker.alive());
  world.memory().out_of_memory(HostMemory::Scope::host);
  world.run_to(Duration::s(2));
  EXPECT_FALSE(broker.alive());
  world.memory().out_of_memory(HostMemory::Scope::host);
  world.run_to(Duration::s(3));
  EXPECT_TRUE(safe.alive());
  EXPECT_EQ(world.memory().counters().global_kills, 2);
}

TEST(OutOfMemory, OfAGroupComesFromItsLimit) {
  MemoryHost world({.bytes = 8 * kGiB, .group_limit_bytes = kGiB});
  sim::SimProcess& broker = world.process("broker", 600 * kMiB);
  world.process("late", 500 * kMiB);
  world.run_to(Duration::s(1));
  EXPECT_FALSE(broker.alive());
  EXPECT_EQ(world.memory().counters().group_kills, 1);
  EXPECT_EQ(world.memory().counters().global_kills, 0);
}

TEST(Swap, TakesWhatDoesNotFit) {
  MemoryHost world({.bytes = kGiB, .swap_bytes = kGiB});
  sim::SimProcess& broker = world.process("broker", 600 * kMiB);
  sim::SimProcess& late = world.process("late", 600 * kMiB);
  world.run_to(Duration::s(1));
  EXPECT_TRUE(broker.alive());
  EXPECT_TRUE(late.alive());
  EXPECT_GT(world.memory().swapped(), 0);
  EXPECT_EQ(world.memory().counters().swapped_out, world.memory().swapped());
  EXPECT_EQ(world.memory().of(broker.id()) * 4096, 600 * kMiB) << "swapped pages count";
  broker.kill();
  world.run_to(Duration::s(2));
  EXPECT_EQ(world.memory().swapped(), 0);
}

// mlock(2): what is locked stays, and who needs room takes it from elsewhere or dies.
TEST(LockedMemory, IsNotSwapped) {
  MemoryHost world({.bytes = kGiB, .swap_bytes = kGiB});
  sim::SimProcess& broker = world.process("broker", 600 * kMiB);
  world.run_to(Duration::s(1));
  EXPECT_TRUE(world.memory().lock(broker, 600 * kMiB));
  world.process("late", 300 * kMiB);
  world.process("later", 300 * kMiB);
  world.run_to(Duration::s(2));
  EXPECT_GT(world.memory().swapped(), 0);
  EXPECT_GE(world.memory().anonymous() * 4096, 600 * kMiB);
  EXPECT_LE(world.memory().swapped() * 4096, 600 * kMiB) << "none of the broker's";
}

TEST(LockedMemory, ComesBackFromTheSwapSpace) {
  MemoryHost world({.bytes = kGiB, .swap_bytes = kGiB});
  sim::SimProcess& broker = world.process("broker", 600 * kMiB);
  sim::SimProcess& late = world.process("late", 600 * kMiB);
  world.run_to(Duration::s(1));
  const std::int64_t swapped = world.memory().swapped();
  ASSERT_GT(swapped, 0);
  EXPECT_TRUE(world.memory().lock(broker, 600 * kMiB));
  EXPECT_EQ(world.memory().swapped(), swapped) << "others are swapped instead";
  EXPECT_EQ(world.memory().of(late.id()) * 4096, 600 * kMiB);
}

TEST(LockedMemory, HasALimit) {
  MemoryHost world({.bytes = kGiB, .locked_bytes_max = 8 * kMiB});
  sim::SimProcess& broker = world.process("broker", 600 * kMiB);
  EXPECT_TRUE(world.memory().lock(broker, 8 * kMiB));
  EXPECT_FALSE(world.memory().lock(broker, 4'096));
}

TEST(HostMemory, GivesBackWhatIsFreed) {
  MemoryHost world({.bytes = kGiB, .swap_bytes = kGiB});
  sim::SimProcess& broker = world.process("broker", 600 * kMiB);
  broker.charge_memory(600 * kMiB);
  ASSERT_GT(world.memory().swapped(), 0);
  broker.give_back_memory(1'100 * kMiB);
  EXPECT_EQ(world.memory().of(broker.id()) * 4096, 100 * kMiB);
  EXPECT_EQ((world.memory().anonymous() + world.memory().swapped()) * 4096, 100 * kMiB);
}

}  // namespace
}  // namespace drydock::test
