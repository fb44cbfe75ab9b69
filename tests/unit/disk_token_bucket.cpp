// The budget of a throttle, by hand, and the throttle of the kernel as it was measured.
#include <gtest/gtest.h>

#include "engine/types/random_stream.hpp"
#include "sim/disk/token_bucket.hpp"

namespace drydock::test {
namespace {

using sim::BucketOptions;
using sim::TokenBucket;

constexpr std::int64_t kMs = 1'000'000;

TEST(TokenBucket, ASliceHasItsWholeBudgetAtOnceAndThenNone) {
  TokenBucket bucket({.commands_per_s = 50});
  for (int i = 0; i < 5; ++i) EXPECT_EQ(bucket.take(0, 4096), 0);
  EXPECT_EQ(bucket.take(30 * kMs, 4096), 70 * kMs);
  EXPECT_EQ(bucket.take(100 * kMs, 4096), 0);
}

TEST(TokenBucket, MissingBytesTakeTheirTimeBehindTheEndOfTheSlice) {
  TokenBucket bucket({.bytes_per_s = 10'000});
  EXPECT_EQ(bucket.take(0, 900), 0);
  EXPECT_EQ(bucket.take(10 * kMs, 600), 90 * kMs + 50 * kMs);
  EXPECT_EQ(bucket.take(150 * kMs, 600), 0);
}

TEST(TokenBucket, ACommandThatIsLargerThanASliceGoesWhenEnoughHavePassed) {
  TokenBucket bucket({.bytes_per_s = 10'000});
  const std::int64_t wait = bucket.take(0, 5'000);
  EXPECT_EQ(wait, 500 * kMs);
  EXPECT_EQ(bucket.take(wait, 5'000), 0);
}

TEST(TokenBucket, UnusedSlicesAreLostWithoutBurstCredit) {
  TokenBucket bucket({.commands_per_s = 50});
  EXPECT_EQ(bucket.take(0, 1), 0);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(bucket.take(10'000 * kMs, 1), 0);
  EXPECT_GT(bucket.take(10'000 * kMs, 1), 0);
}

TEST(TokenBucket, BurstCreditIsFullAtFirstAndFillsAtTheRate) {
  TokenBucket bucket({.commands_per_s = 50, .burst = Duration::s(1)});
  int went = 0;
  while (bucket.take(0, 1) == 0) ++went;
  EXPECT_EQ(went, 55);  // The credit, and the slice.
  went = 0;
  while (bucket.take(600 * kMs, 1) == 0) ++went;
  EXPECT_EQ(went, 30);  // Since the first slice half a second has earned 25, and this slice 5.
}

TEST(TokenBucket, DebtIsPaidByLaterSlices) {
  TokenBucket bucket({.commands_per_s = 50});
  for (int i = 0; i < 15; ++i) bucket.charge(0, 1);
  EXPECT_GT(bucket.take(0, 1), 0);
  EXPECT_GT(bucket.take(100 * kMs, 1), 0);
  EXPECT_GT(bucket.take(200 * kMs, 1), 0);
  EXPECT_EQ(bucket.take(300 * kMs, 1), 0);
}

// No schedule of commands gets more than the rate, the first slice and the burst.
TEST(TokenBucket, NobodyGetsMoreThanTheRate) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    RandomStream random(seed, "test");
    const BucketOptions options{.bytes_per_s = 1'000 * random.between(1, 100'000),
                                .commands_per_s = random.between(10, 10'000),
                                .burst = Duration::ms(random.between(0, 300))};
    TokenBucket bucket(options);
    std::int64_t now = 0;
    std::int64_t bytes = 0;
    std::int64_t commands = 0;
    for (int i = 0; i < 5'000; ++i) {
      now += random.between(0, 200'000);
      const std::int64_t wanted = random.between(1, options.bytes_per_s / 50);
      while (const std::int64_t wait = bucket.take(now, wanted)) now += wait;
      bytes += wanted;
      ++commands;
      const std::int64_t time = now + 100 * kMs + options.burst.count_ns();
      ASSERT_LE(bytes, options.bytes_per_s / 1'000 * (time / 1'000'000 + 1));
      ASSERT_LE(commands, options.commands_per_s * (time / 1'000'000 + 1) / 1'000 + 1);
    }
  }
}

}  // namespace
}  // namespace drydock::test
