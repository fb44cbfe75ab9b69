// Durations and readings of clocks: integer arithmetic, and types that do not mix.
#include "engine/types/time.hpp"

#include <gtest/gtest.h>

#include <type_traits>

namespace drydock {
namespace {

TEST(Duration, UnitsAreExactMultiplesOfNanoseconds) {
  EXPECT_EQ(Duration::us(3).count_ns(), 3'000);
  EXPECT_EQ(Duration::ms(-2).count_ns(), -2'000'000);
  EXPECT_EQ(Duration::s(5).count_ns(), 5'000'000'000);
  EXPECT_EQ(Duration().count_ns(), 0);
}

TEST(Duration, CoarserCountsRoundTowardsZero) {
  EXPECT_EQ(Duration::ns(1'999).count_us(), 1);
  EXPECT_EQ(Duration::ns(-1'999).count_us(), -1);
  EXPECT_EQ(Duration::ns(2'999'999).count_ms(), 2);
}

TEST(Duration, ArithmeticIsThatOfIntegers) {
  const Duration a = Duration::ms(7);
  const Duration b = Duration::ms(2);
  EXPECT_EQ(a + b, Duration::ms(9));
  EXPECT_EQ(b - a, -Duration::ms(5));
  EXPECT_EQ(a * 3, Duration::ms(21));
  EXPECT_EQ(3 * a, a * 3);
  EXPECT_EQ(a / 2, Duration::us(3'500));
  EXPECT_EQ(a / b, 3);
  Duration sum = a;
  sum += b;
  sum -= Duration::ms(1);
  EXPECT_EQ(sum, Duration::ms(8));
  EXPECT_LT(b, a);
  EXPECT_GT(Duration::max(), Duration::s(9'000'000'000));
}

TEST(TimePoint, DifferenceOfReadingsIsADuration) {
  const MonotonicTime start = MonotonicTime::at_ns(1'000'000);
  EXPECT_EQ((start + Duration::ms(4)) - start, Duration::ms(4));
  EXPECT_EQ((start - Duration::ms(1)).count_ns(), 0);
  EXPECT_EQ((start + Duration::ms(4)).count_ms(), 5);
  EXPECT_LT(start, kNever);
  EXPECT_EQ(kNever, MonotonicTime::max());
}

TEST(TimePoint, ReadingsOfDifferentClocksDoNotMix) {
  static_assert(!std::is_convertible_v<WallTime, MonotonicTime>);
  static_assert(!std::is_convertible_v<MonotonicTime, WallTime>);
  static_assert(!std::is_convertible_v<std::int64_t, Duration>);
  static_assert(!std::is_constructible_v<MonotonicTime, std::int64_t>);
}

}  // namespace
}  // namespace drydock
