// Profile files: what they say, and what is refused, in one line with file, path and what is
// expected.
#include "sim/profiles/profile_reader.hpp"

#include <gtest/gtest.h>

#include "sim/profiles/builtin_profiles.hpp"
#include "sim/profiles/profile_writer.hpp"
#include "sim/profiles/quantity.hpp"
#include "tests/support/disk_profiles.hpp"

namespace drydock::test {
namespace {

using sim::Evidence;
using sim::ProfileKey;
using sim::ProfileUnit;
using sim::ProfileValue;

// The refusal of local-nvme with one thing changed.
std::string refusal(std::string_view from, std::string_view to) {
  const auto profile =
      sim::read_profile("my.json", with(embedded_text("local-nvme.json"), from, to));
  EXPECT_FALSE(profile.has_value()) << to;
  return profile.has_value() ? "" : profile.error();
}

TEST(ProfileReader, KeepsValuesWithHowTheyAreKnown) {
  const sim::Profile* const profile = sim::builtin_profile("cloud-essd-pl1");
  ASSERT_NE(profile, nullptr);
  EXPECT_EQ(profile->name, "cloud-essd-pl1");
  const ProfileValue& read = profile->get(ProfileKey::read_latency);
  ASSERT_EQ(read.points.size(), 4u);
  EXPECT_EQ(read.points[3].per_million, 999'000);
  EXPECT_EQ(read.points[3].ns, 3'000'000);
  EXPECT_EQ(read.points[3].stamp.evidence, Evidence::assumed);
  EXPECT_EQ(profile->get(ProfileKey::write_latency).points[1].stamp.evidence, Evidence::source);
  EXPECT_EQ(profile->get(ProfileKey::placement).word, "remote");
  EXPECT_EQ((*profile)[ProfileKey::io_timeout]->word, "never");
  EXPECT_EQ((*profile)[ProfileKey::queue_requests]->high, 1'023);
  EXPECT_FALSE((*profile)[ProfileKey::gc_pause].has_value());
}

TEST(ProfileReader, LimitsGrowWithTheDiskUpToTheirMost) {
  const sim::Profile* const profile = sim::builtin_profile("cloud-essd-pl1");
  ASSERT_NE(profile, nullptr);
  const ProfileValue& iops = profile->get(ProfileKey::max_read_iops);
  constexpr std::int64_t kGibibyte = 1 << 30;
  EXPECT_EQ(iops.at(64 * kGibibyte), 5'000);
  EXPECT_EQ(iops.at(65 * kGibibyte - 1), 5'000);  // Whole GiB.
  EXPECT_EQ(iops.at(2'000 * kGibibyte), 50'000);
  EXPECT_EQ(iops.at(std::int64_t{1} << 62), 50'000);
  EXPECT_EQ(profile->get(ProfileKey::read_bandwidth).at(3 * kGibibyte), 121'500'000);
}

// Byte for byte: the committed files look as the writer writes them.
TEST(ProfileWriter, WritesWhatTheReaderReads) {
  ASSERT_EQ(sim::builtin_profile_names().size(), 4u);
  for (const std::string& name : sim::builtin_profile_names()) {
    const sim::Profile* const profile = sim::builtin_profile(name);
    ASSERT_NE(profile, nullptr) << name;
    EXPECT_EQ(profile->name, name);
    EXPECT_EQ(sim::write_profile(*profile), embedded_text(name + ".json"));
  }
  EXPECT_EQ(sim::builtin_profile("floppy"), nullptr);
}

TEST(ProfileReader, RefusesABandwidthOfZero) {
  EXPECT_EQ(refusal("\"3200 MB/s\"", "\"0 MB/s\""),
            "my.json: /disk/read_bandwidth/value: '0 MB/s' is outside 1 B/s to 1000 GB/s");
  EXPECT_EQ(refusal("\"700000/s\"", "\"0/s\""),
            "my.json: /disk/max_read_iops/value: '0/s' is outside 1/s to 1000000000000/s");
}

TEST(ProfileReader, RefusesANegativeLatency) {
  EXPECT_EQ(refusal("\"80 us\"", "\"-80 us\""),
            "my.json: /disk/read_latency/1/time: '-80 us' is negative; write an integer and one of "
            "ns us ms s, as 80 us");
}

TEST(ProfileReader, RefusesQuantilesOutOfOrder) {
  EXPECT_EQ(refusal("\"99%\"", "\"50%\""),
            "my.json: /disk/read_latency/2/at: quantiles are out of order: must be more than 50%");
  EXPECT_EQ(
      refusal("\"150 us\"", "\"79 us\""),
      "my.json: /disk/read_latency/2/time: is less than at a lower quantile: must be at least "
      "80 us");
}

TEST(ProfileReader, RefusesQuantilesBeyondZeroAndOne) {
  EXPECT_EQ(refusal("\"99.9%\"", "\"100.1%\""),
            "my.json: /disk/read_latency/3/at: '100.1%' is outside 0% to 100%");
  EXPECT_EQ(refusal("\"0%\"", "\"-1%\""),
            "my.json: /disk/read_latency/0/at: '-1%' is negative; write a number with up to 4 "
            "decimals and %, as 99.9%");
}

TEST(ProfileReader, RefusesUnknownKeysWithTheNearestOne) {
  EXPECT_TRUE(refusal("\"read_bandwidth\"", "\"read_bandwith\"")
                  .starts_with("my.json: /disk/read_bandwith: is not known; did you mean "
                               "'read_bandwidth'? known here: read_latency, "));
  EXPECT_TRUE(refusal("\"title\"", "\"titel\"").starts_with("my.json: /titel: is not known"));
  EXPECT_TRUE(
      refusal("\"at\"", "\"quantile\"").starts_with("my.json: /disk/read_latency/0/quantile"));
}

TEST(ProfileReader, RefusesMissingAndWrongUnits) {
  EXPECT_EQ(refusal("\"80 us\"", "80"),
            "my.json: /disk/read_latency/1/time: 80 has no unit; write an integer and one of ns us "
            "ms s, as 80 us");
  EXPECT_EQ(refusal("\"3200 MB/s\"", "\"3200\""),
            "my.json: /disk/read_bandwidth/value: '3200' has no unit; write an integer and one of "
            "B/s KiB/s MiB/s GiB/s kB/s MB/s GB/s, as 125 MB/s");
  EXPECT_EQ(refusal("\"700000/s\"", "\"700000 MB/s\""),
            "my.json: /disk/max_read_iops/value: '700000 MB/s' has another unit; write an integer "
            "and /s, as 5000/s");
  EXPECT_TRUE(refusal("\"80 us\"", "\"fast\"").contains("'fast' is none; write"));
}

TEST(ProfileReader, RefusesWhatDoesNotGoTogether) {
  EXPECT_EQ(refusal("\"logical_block\": {\"value\": \"512 B\"",
                    "\"logical_block\": {\"value\": \"4 KiB\""),
            "my.json: /disk/atomic_write/value: is less than a logical block");
  // Without shared_limits, as this profile is, the pipes of reads and writes have limits of their
  // own.
  const std::string slice = "\"quota_slice\": {\"value\": \"100 ms\", \"assumed\": \"x\"}, ";
  EXPECT_EQ(refusal("\"logical_block\"", slice + "\"logical_block\""),
            "my.json: /disk/quota_slice: is of a quota that reads and writes share: shared_limits "
            "must be true");
  EXPECT_EQ(
      refusal("{\"from\": \"2 ms\", \"to\": \"8 ms\"", "{\"from\": \"2 ms\", \"to\": \"600 s\""),
      "my.json: /disk/gc_pause: must be less than gc_period");
}

TEST(ProfileReader, RefusesDisksSmallerThanTheModelsMinimum) {
  EXPECT_EQ(refusal("\"1 MiB\"", "\"64 KiB\""),
            "my.json: /disk/smallest_disk/value: '64 KiB' is outside 1 MiB to 1048576 GiB");
}

TEST(ProfileReader, RefusesValuesThatSayNotHowTheyAreKnown) {
  EXPECT_TRUE(refusal("{\"value\": 64, \"assumed\": \"", "{\"value\": 64, \"guessed\": \"")
                  .starts_with("my.json: /disk/read_servers/guessed: is not known"));
  EXPECT_EQ(refusal("{\"value\": \"4x\", \"assumed\": ",
                    "{\"value\": \"4x\", \"assumed\": \"a\", "
                    "\"source\": "),
            "my.json: /disk/read_factor_at_full_write: has two of measured, source, assumed; one "
            "says how it is known");
  EXPECT_EQ(
      refusal("{\"value\": 64, \"assumed\": \"Linux I/O model, section 9: a default without "
              "data\"}",
              "{\"value\": 64}"),
      "my.json: /disk/read_servers: says not how it is known: one of measured, source, assumed "
      "is missing");
}

TEST(ProfileReader, RefusesWhatIsMissingOrOfTheWrongKind) {
  EXPECT_EQ(refusal("\"placement\": {\"value\": \"local\"", "\"placement\": {\"value\": \"there\""),
            "my.json: /disk/placement/value: must be one of local, remote");
  EXPECT_EQ(refusal("{\"value\": 64,", "{\"value\": \"64\","),
            "my.json: /disk/read_servers/value: must be an integer from 1 to 65536");
  EXPECT_EQ(refusal("\"512 B\"", "\"1 KiB\""),
            "my.json: /disk/logical_block/value: must be 512 B or 4 KiB");
  EXPECT_EQ(refusal("\"profile\": \"local-nvme\"", "\"profile\": \"my disk\""),
            "my.json: /profile: must be a name of letters, digits, - and _");
  EXPECT_EQ(
      refusal("{\"from\": \"2 ms\", \"to\": \"8 ms\"", "{\"from\": \"2 ms\", \"to\": \"1 ms\""),
      "my.json: /disk/gc_pause/to: '1 ms' is outside 2 ms to 3600 s");
  EXPECT_EQ(sim::read_profile("a.json", "{}").error(), "a.json: 'profile' is missing");
  EXPECT_TRUE(refusal("\"title\"", "\"ti\\ntle\"").starts_with("my.json: /ti?tle: is not known"));
  EXPECT_EQ(
      sim::read_profile("a.json", "{\"profile\": \"a\", \"title\": \"b\", \"disk\": {}}").error(),
      "a.json: /disk: 'read_latency' is missing");
  EXPECT_EQ(sim::read_profile("a.json", "[]").error(), "a.json: must be an object");
  EXPECT_TRUE(sim::read_profile("a.json", "{").error().starts_with("a.json:1:2: no JSON: "));
  EXPECT_EQ(sim::read_profile("a.json", "{\"title\": \"a\", \"title\": \"b\"}").error(),
            "a.json: 'title' occurs twice in one object");
}

TEST(ProfileQuantity, TextsAreReadAsTheyWereWritten) {
  struct Case {
    ProfileUnit unit;
    std::int64_t value;
    const char* text;
  };
  for (const Case& one :
       {Case{ProfileUnit::time, 1'500'000, "1500 us"}, Case{ProfileUnit::time, 0, "0 ns"},
        Case{ProfileUnit::size, 0, "0 B"}, Case{ProfileUnit::size, 256 << 20, "256 MiB"},
        Case{ProfileUnit::byte_rate, 3'200'000'000, "3200 MB/s"},
        Case{ProfileUnit::rate, 5'000, "5000/s"}, Case{ProfileUnit::ratio, 34'552, "34.552x"},
        Case{ProfileUnit::ratio, 4'000, "4x"}, Case{ProfileUnit::fraction, 999'500, "99.95%"},
        Case{ProfileUnit::fraction, 1, "0.0001%"}}) {
    EXPECT_EQ(sim::text_of(one.unit, one.value), one.text);
    EXPECT_EQ(sim::parse_quantity(one.unit, one.text).value_or(-1), one.value) << one.text;
  }
  EXPECT_FALSE(sim::parse_quantity(ProfileUnit::fraction, "99.99999%").has_value());
  EXPECT_FALSE(sim::parse_quantity(ProfileUnit::time, "9223372036854775807 s").has_value());
  EXPECT_FALSE(sim::parse_quantity(ProfileUnit::time, "99999999999999999999 s").has_value());
  EXPECT_FALSE(sim::parse_quantity(ProfileUnit::time, "1.5 s").has_value());
}

}  // namespace
}  // namespace drydock::test
