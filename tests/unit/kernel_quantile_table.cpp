// Tables of quantiles: integers in, integers out.
#include "sim/kernel/quantile_table.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace drydock::sim {
namespace {

TEST(QuantileTable, IsLinearBetweenPointsAndConstantOutside) {
  const QuantileTable table{{100'000, 1'000}, {500'000, 5'000}, {900'000, 50'000}};
  EXPECT_EQ(table.at(0), Duration::ns(1'000));
  EXPECT_EQ(table.at(100'000), Duration::ns(1'000));
  EXPECT_EQ(table.at(300'000), Duration::ns(3'000));
  EXPECT_EQ(table.at(500'000), Duration::ns(5'000));
  EXPECT_EQ(table.at(500'001), Duration::ns(5'000));  // Rounded down.
  EXPECT_EQ(table.at(700'000), Duration::ns(27'500));
  EXPECT_EQ(table.at(999'999), Duration::ns(50'000));
  EXPECT_EQ(table.points().size(), 3u);
}

TEST(QuantileTable, OnePointIsAConstant) {
  RandomStream stream(1, "q");
  RandomStream same(1, "q");
  EXPECT_EQ(QuantileTable().draw(stream), Duration());
  EXPECT_EQ(QuantileTable::constant(Duration::us(7)).draw(stream), Duration::us(7));
  // A constant draws too.
  same.next();
  same.next();
  EXPECT_EQ(stream.next(), same.next());
}

TEST(QuantileTable, DrawsFollowTheTable) {
  const QuantileTable table{{0, 0}, {900'000, 900}, {1'000'000, 100'000}};
  RandomStream stream(1, "q");
  int slow = 0;
  for (int i = 0; i < 10'000; ++i) {
    const Duration drawn = table.draw(stream);
    EXPECT_GE(drawn, Duration());
    EXPECT_LT(drawn, Duration::ns(100'000));
    if (drawn > Duration::ns(900)) ++slow;
  }
  EXPECT_NEAR(slow, 1'000, 150);
}

TEST(QuantileTable, LargeTimesDoNotOverflow) {
  const QuantileTable table{{0, 0}, {1'000'000, Duration::s(9'000'000'000).count_ns()}};
  EXPECT_EQ(table.at(500'000), Duration::s(4'500'000'000));
}

TEST(QuantileTableDeathTest, RefusesWhatIsNoDistribution) {
  EXPECT_DEATH((QuantileTable(std::vector<QuantilePoint>{})), "ENSURE failed");
  EXPECT_DEATH((QuantileTable{{5, 1}, {5, 2}}), "ENSURE failed");
  EXPECT_DEATH((QuantileTable{{5, 2}, {6, 1}}), "ENSURE failed");
  EXPECT_DEATH((QuantileTable{{1'000'001, 2}}), "ENSURE failed");
}

}  // namespace
}  // namespace drydock::sim
