// What devices share: their parts of the limits, the smoothed limit; and the profiles of kernels.
#include <gtest/gtest.h>

#include "sim/pagecache/dirty_domain.hpp"

namespace drydock::test {
namespace {

constexpr std::int64_t kHz = 250;

TEST(CompletionShare, IsWholeForADeviceThatIsAlone) {
  sim::Completions all(kHz);
  sim::CompletionShare only(all, 1000);
  EXPECT_GE(only.of(1000, 1), 999);
  for (sim::Jiffies now = 1; now < 100 * kHz; now += kHz) only.completed(100, now);
  EXPECT_GE(only.of(1000, 100 * kHz), 998);
}

TEST(CompletionShare, FollowsWhatEachDeviceWrites) {
  sim::Completions all(kHz);
  sim::CompletionShare fast(all, 0), slow(all, 0);
  for (sim::Jiffies now = 1; now < 60 * kHz; now += kHz) {
    fast.completed(3000, now);
    slow.completed(1000, now);
  }
  EXPECT_NEAR(fast.of(1000, 60 * kHz), 750, 5);
  EXPECT_NEAR(slow.of(1000, 60 * kHz), 250, 5);
}

// Half of it every three seconds.
TEST(CompletionShare, FadesWhileOthersWrite) {
  sim::Completions all(kHz);
  sim::CompletionShare idle(all, 64'000), busy(all, 64'000);
  for (sim::Jiffies now = 1; now <= 30 * kHz; now += kHz) busy.completed(10'000, now);
  EXPECT_LT(idle.of(1000, 30 * kHz), 3);
  EXPECT_GT(busy.of(1000, 30 * kHz), 990);
}

TEST(CompletionShare, OfADeviceThatIsGoneIsTheOthers) {
  sim::Completions all(kHz);
  sim::CompletionShare stays(all, 1000);
  {
    sim::CompletionShare goes(all, 1000);
    EXPECT_NEAR(stays.of(1000, 1), 500, 1);
  }
  EXPECT_GE(stays.of(1000, 1), 999);
}

sim::DirtyLimits bytes(std::int64_t dirty, std::int64_t background) {
  return {.dirty_bytes = dirty * 4096, .background_bytes = background * 4096};
}

TEST(DirtyDomain, KeepsTheBackgroundLimitBelowTheOther) {
  const sim::DirtyDomain equal(bytes(1000, 1000), kHz);
  EXPECT_EQ(equal.threshold(), 1000);
  EXPECT_EQ(equal.background(), 500);
  const sim::DirtyDomain tiny(bytes(1, 1), kHz);
  EXPECT_EQ(tiny.threshold(), 2);
}

// Up at once; down by 1/32 of the way every 200 ms, and never below what is dirty.
TEST(DirtyDomain, LowersItsLimitInSteps) {
  sim::DirtyDomain domain({.dirtyable_pages = 50'000}, kHz);
  EXPECT_EQ(domain.limit(), 10'000);
  domain.set_dirtyable(25'000);
  EXPECT_EQ(domain.threshold(), 5'000);
  sim::Jiffies now = 1000;
  domain.smooth(now);
  EXPECT_EQ(domain.limit(), 10'000 - 5'000 / 32);
  domain.smooth(now + 49);
  EXPECT_EQ(domain.limit(), 10'000 - 5'000 / 32);
  domain.dirty = 9'000;
  for (int i = 0; i < 1000; ++i) domain.smooth(now += 50);
  EXPECT_GE(domain.limit(), 9'000);
  EXPECT_LT(domain.limit(), 9'032);
  domain.set_dirtyable(100'000);
  domain.smooth(now += 50);
  EXPECT_EQ(domain.limit(), 20'000);
}

TEST(KernelProfile, IsFoundByItsName) {
  for (const std::string_view name : {"el7", "el8", "el9", "6.x"}) {
    ASSERT_TRUE(sim::kernel_named(name)) << name;
    EXPECT_EQ(sim::kernel_named(name)->name, name);
  }
  EXPECT_FALSE(sim::kernel_named("2.6.32"));
  EXPECT_EQ(sim::kernel_el7().hz, 1000);
  EXPECT_EQ(sim::kernel_6x().hz, 250);
}

}  // namespace
}  // namespace drydock::test
