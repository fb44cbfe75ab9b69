// Units of a consume queue: bytes, where they go, which of them count.
#include "engine/store/consume_queue_unit.hpp"

#include <gtest/gtest.h>

#include "engine/wire/big_endian.hpp"
#include "tests/support/bytes_text.hpp"

namespace drydock::test {
namespace {

constexpr ConsumeQueueUnit kGolden{PhysicalOffset(4660), 133, 2'598'919};

std::vector<std::byte> bytes_of(std::initializer_list<ConsumeQueueUnit> units) {
  std::vector<std::byte> bytes;
  for (const ConsumeQueueUnit& unit : units) {
    const UnitBytes one = encode_unit(unit);
    bytes.insert(bytes.end(), one.begin(), one.end());
  }
  return bytes;
}

TEST(StoreConsumeQueueUnit, TheGoldenUnit) {
  EXPECT_EQ(hex(encode_unit(kGolden)), "000000000000123400000085000000000027a807");
  EXPECT_EQ(decode_unit(encode_unit(kGolden)), kGolden);
}

TEST(StoreConsumeQueueUnit, PreBlankUnitsAreValidAndZerosAreNot) {
  EXPECT_EQ(hex(encode_pre_blank_units(2).span()),
            "00000000000000007fffffff000000000000000000000000000000007fffffff0000000000000000");
  EXPECT_TRUE(decode_unit(encode_pre_blank_units(1).span()).valid());
  EXPECT_FALSE(decode_unit(std::vector<std::byte>(20)).valid());
  EXPECT_FALSE((ConsumeQueueUnit{PhysicalOffset(-1), 5, 0}.valid()));
}

TEST(StoreConsumeQueueUnit, FileSizesAreRoundedUpToWholeUnits) {
  EXPECT_EQ(unit_file_bytes(6'000'000), 6'000'000);
  EXPECT_EQ(unit_file_bytes(1), 20);
  EXPECT_EQ(unit_file_bytes(41), 60);
}

UnitPlacement place(std::int64_t offset, std::int64_t known_to, std::int64_t end_units) {
  return place_unit(kGolden, QueueOffset(offset), known_to, UnitPosition(end_units * 20));
}

TEST(StoreConsumeQueueUnit, AUnitGoesToTheEndWhereItBelongs) {
  EXPECT_EQ(place(7, 4660, 7), UnitPlacement::write);
  EXPECT_EQ(place(0, kNoPhysical, 0), UnitPlacement::write);
}

TEST(StoreConsumeQueueUnit, ARecordThatTheQueueKnowsIsNotWrittenAgain) {
  EXPECT_EQ(place(7, 4793, 7), UnitPlacement::known);  // 4793 is its end.
  EXPECT_EQ(place(7, 4792, 7), UnitPlacement::write);
  EXPECT_EQ(place(6, 0, 7), UnitPlacement::known);  // Its place is taken.
}

TEST(StoreConsumeQueueUnit, AGapShiftsTheNumbering) {
  EXPECT_EQ(place(8, 0, 7), UnitPlacement::write_late);
}

TEST(StoreConsumeQueueUnit, Offset0IsWrittenWhereverTheQueueEnds) {
  EXPECT_EQ(place(0, 0, 7), UnitPlacement::write);
}

TEST(StoreConsumeQueueUnit, ARunEndsAtTheFirstInvalidUnitOrAtTheCut) {
  const ConsumeQueueUnit a{PhysicalOffset(0), 100, 1};
  const ConsumeQueueUnit b{PhysicalOffset(100), 100, 2};
  const auto whole = units_in_front_of(bytes_of({a, b, {}, b}), kNoEnd);
  EXPECT_EQ(whole.count, 2);
  EXPECT_EQ(whole.last, b);
  EXPECT_EQ(units_in_front_of(bytes_of({a, b}), PhysicalOffset(100)).count, 1);
  EXPECT_EQ(units_in_front_of(bytes_of({a, b}), PhysicalOffset(101)).count, 2);
  const auto none = units_in_front_of(bytes_of({{}, a}), kNoEnd);
  EXPECT_EQ(none.count, 0);
  EXPECT_FALSE(none.last.has_value());
  auto cut = bytes_of({a, b});
  cut.resize(39);
  EXPECT_EQ(units_in_front_of(cut, kNoEnd).count, 1);
}

// A record whose offset was damaged is accepted: its checksum covers the body alone.
TEST(ConsumeQueueUnits, AnOffsetThatNoQueueReachesHasNoPosition) {
  EXPECT_TRUE(has_position(QueueOffset(0)));
  EXPECT_TRUE(has_position(QueueOffset(1'000'000'000'000)));
  EXPECT_FALSE(has_position(QueueOffset(-1)));
  EXPECT_FALSE(has_position(QueueOffset(4'272'490'579'065'700'353)));
}

// Its place is what Java's product leaves: RocketMQ takes a negative one for written, and any other
// for one behind a gap (`recovery.py --seed 2770`).
TEST(ConsumeQueueUnits, AnOffsetThatNoQueueReachesIsPlacedByTheProductThatOverflowed) {
  EXPECT_EQ(place(-1, kNoPhysical, 21), UnitPlacement::known);
  EXPECT_LT(unit_position(QueueOffset(4'272'490'579'065'700'353)), UnitPosition());
  EXPECT_EQ(place(4'272'490'579'065'700'353, kNoPhysical, 21), UnitPlacement::known);
  EXPECT_EQ(unit_position(QueueOffset(2'775'906'220'320'489'493)),
            UnitPosition(177'892'185'281'135'012));
  EXPECT_EQ(place(2'775'906'220'320'489'493, kNoPhysical, 21), UnitPlacement::write_late);
}

}  // namespace
}  // namespace drydock::test
