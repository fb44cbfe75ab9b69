// Quantities in scenarios: what is accepted, and that everything else is not.
#include <gtest/gtest.h>

#include "scenarios/drill/units.hpp"

namespace drydock::scenarios {
namespace {

std::string refusal(const std::string& text) {
  try {
    (void)parse_seed_range(text, "--seed");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Units, DurationsTakeAnIntegerAndAUnit) {
  EXPECT_EQ(parse_duration("5 s"), Duration::s(5));
  EXPECT_EQ(parse_duration("5s"), Duration::s(5));
  EXPECT_EQ(parse_duration("0 ns"), Duration());
  EXPECT_EQ(parse_duration("1500 us"), Duration::us(1'500));
  EXPECT_EQ(parse_duration("2 min"), Duration::s(120));
  EXPECT_EQ(parse_duration("3 h"), Duration::s(10'800));
  for (const char* wrong : {"", "5", "s", "1.5 s", "-1 s", "5  s", "5 S", "5 s ", "5 sec"}) {
    EXPECT_FALSE(parse_duration(wrong)) << wrong;
  }
  for (const char* large : {"99999999999999999999 s", "9223372036854775807 s", "10001 h"}) {
    EXPECT_GT(parse_duration(large), kDurationMax) << large;
  }
}

TEST(Units, SizesAreBinaryOrDecimalByTheirName) {
  EXPECT_EQ(parse_size("1 KiB"), 1'024);
  EXPECT_EQ(parse_size("1 kB"), 1'000);
  EXPECT_EQ(parse_size("64 GiB"), 64LL << 30);
  EXPECT_GT(parse_size("9999999999 GiB"), kSizeMax);
  EXPECT_EQ(parse_size(kSizeMaxText), kSizeMax);
  for (const char* wrong : {"1", "1 K", "1 KB", "1 TiB", "1 kib"}) {
    EXPECT_FALSE(parse_size(wrong)) << wrong;
  }
}

TEST(Units, FractionsArePercent) {
  EXPECT_EQ(parse_percent("20%"), 20);
  EXPECT_EQ(parse_percent("0%"), 0);
  for (const char* wrong : {"20", "%", "101%", "0.5%", "20 %", "-1%"}) {
    EXPECT_FALSE(parse_percent(wrong)) << wrong;
  }
}

TEST(Units, RatesOfBytesAreASizePerSecond) {
  EXPECT_EQ(parse_bytes_per_second("125 MB/s"), 125'000'000);
  EXPECT_EQ(parse_bytes_per_second("1GiB/s"), 1LL << 30);
  for (const char* wrong : {"125/s", "125 MB", "125 MB /s", "/s", "1 Gbit/s"}) {
    EXPECT_FALSE(parse_bytes_per_second(wrong)) << wrong;
  }
}

TEST(Units, RatesArePerSecond) {
  EXPECT_EQ(parse_rate_per_second("100/s"), 100);
  for (const char* wrong : {"100", "100 /s", "100/min", "/s"}) {
    EXPECT_FALSE(parse_rate_per_second(wrong)) << wrong;
  }
}

TEST(Units, DurationsPrintWithTheLargestUnitThatFits) {
  EXPECT_EQ(text_of(Duration()), "0 s");
  EXPECT_EQ(text_of(Duration::ms(1'500)), "1500 ms");
  EXPECT_EQ(text_of(Duration::s(120)), "2 min");
  EXPECT_EQ(text_of(Duration::ns(7)), "7 ns");
}

TEST(Seeds, AreANumberOrARange) {
  EXPECT_EQ(parse_seed_range("7", "--seed").count(), 1u);
  EXPECT_EQ(parse_seed_range("0..99", "--seed").count(), 100u);
  EXPECT_EQ(parse_seed_range("18446744073709551615", "--seed").first, ~std::uint64_t{0});
}

TEST(Seeds, RefuseWhatIsNoRangeInOneLine) {
  EXPECT_EQ(refusal(""), "--seed: '' is no seed; write N or N..M");
  EXPECT_EQ(refusal("x"), "--seed: 'x' is no seed; write N or N..M");
  EXPECT_EQ(refusal("1..2..3"), "--seed: '1..2..3' is no seed; write N or N..M");
  EXPECT_EQ(refusal("1.."), "--seed: '1..' is no seed; write N or N..M");
  EXPECT_EQ(refusal("-1"), "--seed: '-1' is no seed; write N or N..M");
  EXPECT_EQ(refusal("9..3"), "--seed: '9..3' ends before it begins");
  EXPECT_EQ(refusal("0..1000000"), "--seed: '0..1000000' has more than 1000000 seeds");
  EXPECT_EQ(refusal("0..18446744073709551615"),
            "--seed: '0..18446744073709551615' has more than 1000000 seeds");
}

}  // namespace
}  // namespace drydock::scenarios
