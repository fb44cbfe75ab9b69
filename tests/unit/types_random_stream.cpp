// Random streams against numbers that were computed with another implementation of xoshiro256++,
// splitmix64 and FNV-1a (in Python, itself checked against the published vectors).
#include "engine/types/random_stream.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <vector>

namespace drydock {
namespace {

using Four = std::array<std::uint64_t, 4>;

Four four_of(std::uint64_t seed, std::string_view name) {
  RandomStream stream(seed, name);
  Four numbers{};
  for (auto& number : numbers) number = stream.next();
  return numbers;
}

TEST(RandomStream, GivesThePublishedGenerator) {
  EXPECT_EQ(four_of(0, ""),
            (Four{0xc7c9810f3d1cf2b7, 0x1bc47e2107165ab2, 0x2563b8b8ca5bdbb5, 0xd38b15572668e0c7}));
  EXPECT_EQ(four_of(1, "net/link-2"),
            (Four{0x415e3d8728c694fe, 0x80fd16831a5f1460, 0x2449e7f687802273, 0xc2b9b92bb6216b96}));
  EXPECT_EQ(four_of(~std::uint64_t{0}, "kernel/perturbation"),
            (Four{0xc0afe0d7f5f57e9f, 0x8153de4a571fae38, 0xe3f4a29888f3ec8c, 0xf626bdc5fd877eec}));
  // Bytes above 127 count as unsigned, whatever `char` is.
  EXPECT_EQ(four_of(42, "\xc3\xbc"),
            (Four{0x7ff775dbfb27fe6e, 0xcd58bca5479c1117, 0xf4fa71ddd17b9b26, 0x3ec0d2e42d60e6d3}));
}

TEST(RandomStream, BoundedDrawsAreThoseOfLemire) {
  RandomStream stream(7, "bounded");
  std::vector<std::uint64_t> dice(16);
  for (auto& die : dice) die = stream.below(6);
  EXPECT_EQ(dice, (std::vector<std::uint64_t>{5, 0, 0, 3, 3, 5, 0, 2, 4, 3, 2, 4, 4, 2, 1, 1}));
  for (const std::uint64_t expected :
       {76858941321ull, 874144471115ull, 246791768629ull, 41297794306ull}) {
    EXPECT_EQ(stream.below(1'000'000'000'000), expected);
  }
  // A bound at which almost every second draw has to be rejected.
  const std::uint64_t awkward = (std::uint64_t{1} << 63) + 1;
  for (const std::uint64_t expected : {4368480495328361977ull, 1556334558864282921ull,
                                       8249805102054451527ull, 687911957801974873ull}) {
    EXPECT_EQ(stream.below(awkward), expected);
  }
}

TEST(RandomStream, BoundedDrawsAreUnbiased) {
  // 3/4 of the range of 64 bits: plain multiplication or remainder would give one third of the
  // values twice as often as the others. Five standard deviations of 120,000 draws are 800.
  RandomStream stream(1, "bias");
  const std::uint64_t bound = std::uint64_t{3} << 62;
  std::array<int, 3> thirds{};
  for (int i = 0; i < 120'000; ++i) ++thirds[stream.below(bound) >> 62];
  for (const int count : thirds) EXPECT_NEAR(count, 40'000, 800);

  std::array<int, 7> sevenths{};
  for (int i = 0; i < 70'000; ++i) ++sevenths[stream.below(7)];
  for (const int count : sevenths) EXPECT_NEAR(count, 10'000, 500);
}

TEST(RandomStream, BetweenIncludesBothEnds) {
  RandomStream stream(7, "between");
  std::vector<std::int64_t> draws(12);
  for (auto& draw : draws) draw = stream.between(-5, 5);
  EXPECT_EQ(draws, (std::vector<std::int64_t>{-4, -3, -3, -2, 1, 1, 5, -4, -5, -2, -5, -2}));

  EXPECT_EQ(stream.between(9, 9), 9);
  constexpr std::int64_t kLow = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kHigh = std::numeric_limits<std::int64_t>::max();
  bool negative = false;
  bool positive = false;
  for (int i = 0; i < 64; ++i) {
    const std::int64_t draw = stream.between(kLow, kHigh);
    negative = negative || draw < 0;
    positive = positive || draw >= 0;
  }
  EXPECT_TRUE(negative && positive);
}

TEST(RandomStream, ChanceDrawsOnceWhateverTheOdds) {
  RandomStream always(3, "chance");
  RandomStream never(3, "chance");
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(always.chance(5, 5));
    EXPECT_FALSE(never.chance(0, 5));
  }
  EXPECT_EQ(always.next(), never.next());
}

TEST(RandomStream, ShuffleIsFisherYatesFromTheBack) {
  RandomStream stream(7, "shuffle");
  std::vector<int> items(10);
  std::iota(items.begin(), items.end(), 0);
  stream.shuffle(std::span(items));
  EXPECT_EQ(items, (std::vector<int>{6, 3, 5, 4, 8, 9, 7, 1, 0, 2}));

  std::vector<int> none;
  stream.shuffle(std::span(none));
  EXPECT_TRUE(none.empty());
}

TEST(RandomStream, StreamsOfOtherNamesOrSeedsAreOthers) {
  EXPECT_NE(four_of(1, "a"), four_of(1, "b"));
  EXPECT_NE(four_of(1, "a"), four_of(2, "a"));
  EXPECT_EQ(four_of(1, "a"), four_of(1, "a"));
}

TEST(RandomStream, RefusesEmptyRanges) {
  RandomStream stream(1, "death");
  EXPECT_DEATH(stream.below(0), "ENSURE failed: bound > 0");
  EXPECT_DEATH(stream.between(1, 0), "ENSURE failed: low <= high");
}

}  // namespace
}  // namespace drydock
