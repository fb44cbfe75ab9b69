// The CRC of a whole record as its last property, against the golden vector of the storage
// reference (2.12) and its rules (2.3).
#include "engine/wire/property_crc.hpp"

#include <gtest/gtest.h>

#include <string>

#include "engine/wire/message_properties.hpp"
#include "engine/wire/message_record.hpp"
#include "tests/support/bytes_text.hpp"

namespace drydock::test {
namespace {

using Bytes = std::vector<std::byte>;

constexpr std::string_view kProperties = "KEYS\x01k1\x02TAGS\x01TagA\x02WAIT\x01true\x02";
constexpr RecordPlace kPlace{QueueOffset(7), PhysicalOffset(4660), 1'700'000'000'123};
// The place of the last bytes of the golden record: digits, and what is in front of them.
constexpr std::size_t kPropertyAt = 133;
constexpr std::size_t kDigitsAt = kPropertyAt + 9;

Bytes record_with(std::string_view properties, std::string_view body = "Hello") {
  const RecordContent content{.queue_id = 3,
                              .born_ms = 1'700'000'000'000,
                              .born_host = {0x7f000001, 50'000},
                              .store_host = {0x7f000001, 10'911},
                              .body = as_byte_span(body),
                              .topic = as_byte_span("TopicTest"),
                              .properties = as_byte_span(properties),
                              .property_crc = PropertyCrc::appended};
  SharedBytes record = encode_record(content);
  place_record(record.writable(), kPlace, PropertyCrc::appended);
  return {record.span().begin(), record.span().end()};
}

RecordCheck check(const Bytes& bytes, ContentCheck content_check) {
  RecordView view;
  return check_record(bytes, static_cast<std::int64_t>(bytes.size()), content_check, view);
}
void expect_refused(const Bytes& bytes, RecordFault fault) {
  const RecordCheck result = check(bytes, ContentCheck::property_crc);
  EXPECT_EQ(result.size, -1);
  EXPECT_FALSE(result.success);
  EXPECT_EQ(name_of(result.fault), name_of(fault));
}
std::string_view properties_of(const Bytes& bytes) {
  RecordView view;
  const auto length = static_cast<std::int64_t>(bytes.size());
  EXPECT_TRUE(check_record(bytes, length, ContentCheck::property_crc, view).good());
  return as_text(view.properties);
}

TEST(PropertyCrc, TheGoldenRecordEndsWithIt) {
  const Bytes bytes = record_with(kProperties);
  ASSERT_EQ(bytes.size(), 153u);
  EXPECT_EQ(hex(std::span(bytes).first(4)), "00000099");
  EXPECT_EQ(hex(std::span(bytes).subspan(103, 2)), "0030");
  EXPECT_EQ(hex(std::span(bytes).last(20)), "5f5f435243333223013137303134393035383102");
  EXPECT_EQ(check(bytes, ContentCheck::property_crc).size, 153);
  EXPECT_EQ(check(bytes, ContentCheck::body_crc).size, 153);
}

TEST(PropertyCrc, ItCoversThePlaceOfTheRecord) {
  const Bytes bytes = record_with(kProperties);
  for (const std::size_t field : {20u, 28u, 56u}) {  // Queue and physical offset, store time.
    Bytes other = bytes;
    other[field + 7] ^= std::byte{1};
    expect_refused(other, RecordFault::property_crc);
    EXPECT_TRUE(check(other, ContentCheck::body_crc).good());
  }
}

TEST(PropertyCrc, OneWrongBitAnywhereIsSeen) {
  const Bytes bytes = record_with(kProperties);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      Bytes damaged = bytes;
      damaged[at] ^= static_cast<std::byte>(1 << bit);
      EXPECT_FALSE(check(damaged, ContentCheck::property_crc).good()) << at << " " << bit;
    }
  }
}

// What a power loss leaves of a record whose last page was never written.
TEST(PropertyCrc, ARecordThatEndsInZerosIsSeenAndTheBodysCrcDoesNotSeeIt) {
  const Bytes bytes = record_with(kProperties);
  for (std::size_t kept = 105; kept < bytes.size(); ++kept) {
    Bytes torn = bytes;
    std::fill(torn.begin() + static_cast<std::ptrdiff_t>(kept), torn.end(), std::byte());
    EXPECT_FALSE(check(torn, ContentCheck::property_crc).good()) << kept;
    EXPECT_TRUE(check(torn, ContentCheck::body_crc).good());
  }
}

TEST(PropertyCrc, ARecordWithoutItIsRefusedWhereItIsWanted) {
  const RecordContent content{.body = as_byte_span("b"), .topic = as_byte_span("T")};
  SharedBytes record = encode_record(content);
  place_record(record.writable(), kPlace);
  const Bytes bytes(record.span().begin(), record.span().end());
  expect_refused(bytes, RecordFault::no_property_crc);
}

TEST(PropertyCrc, TheBodysOwnCrcIsNotComparedBesidesIt) {
  Bytes bytes = record_with(kProperties);
  bytes[8] ^= std::byte{1};
  set_property_crc(bytes);
  EXPECT_TRUE(check(bytes, ContentCheck::property_crc).good());
  EXPECT_EQ(check(bytes, ContentCheck::body_crc).fault, RecordFault::body_crc);
}

TEST(PropertyCrc, AnEmptyBodyIsCoveredLikeAnyOther) {
  Bytes bytes = record_with(kProperties, "");
  EXPECT_TRUE(check(bytes, ContentCheck::property_crc).good());
  bytes[8] ^= std::byte{1};
  EXPECT_TRUE(check(bytes, ContentCheck::body_crc).good());
  expect_refused(bytes, RecordFault::property_crc);
}

TEST(PropertyCrc, LengthsThatDoNotAddUpAreRefusedWithoutASize) {
  Bytes bytes = record_with(kProperties);
  bytes[3] = std::byte{150};
  expect_refused(bytes, RecordFault::length_mismatch);
}

TEST(PropertyCrc, OtherPropertiesGetAnEndInFrontOfIt) {
  EXPECT_TRUE(properties_of(record_with("A\x01"
                                        "b"))
                  .starts_with("A\x01"
                               "b\x02__CRC32#\x01"));
  EXPECT_TRUE(properties_of(record_with("A\x01"
                                        "b\x02"))
                  .starts_with("A\x01"
                               "b\x02__CRC32#\x01"));
  EXPECT_TRUE(properties_of(record_with("")).starts_with("__CRC32#\x01"));
  EXPECT_EQ(record_with("A\x01"
                        "b")
                .size(),
            record_with("A\x01"
                        "b\x02")
                .size());
}

// A property of that name in front, such as a batch can bring, is not the last one.
TEST(PropertyCrc, TheLastOneCounts) {
  EXPECT_FALSE(properties_of(record_with("__CRC32#\x01"
                                         "0000000000\x02"))
                   .empty());
  Bytes bytes = record_with(kProperties);
  bytes[kPropertyAt - 1] = std::byte{'x'};  // "WAIT" ends in it now: there is none left.
  expect_refused(bytes, RecordFault::no_property_crc);
}

// RocketMQ reads the digits in 32 bits, which wrap, and takes a negative number for none.
TEST(PropertyCrc, OtherDigitsThanTenAreReadAsRocketMqReadsThem) {
  const std::uint32_t right = 1'850'941'071;
  Bytes bytes = record_with(kProperties);
  const auto set = [&](std::string_view digits) {
    std::ranges::copy(as_byte_span(digits), bytes.begin() + kDigitsAt);
  };
  set("1701490581");
  EXPECT_EQ(check(bytes, ContentCheck::property_crc).size, 153);
  // A character below '0' as the highest digit makes it negative.
  set("170149058/");
  expect_refused(bytes, RecordFault::no_property_crc);
  // The same modulo 2^32: 6145908367.
  ASSERT_EQ(static_cast<std::uint32_t>(std::uint64_t{6'145'908'367}), right);
  set("7638095416");
  EXPECT_EQ(check(bytes, ContentCheck::property_crc).size, 153);
  set("7638095417");
  EXPECT_FALSE(check(bytes, ContentCheck::property_crc).good());
}

TEST(PropertyCrc, AWindowThatIsTooSmallAsksForMoreUntilItIsNot) {
  const Bytes bytes = record_with(kProperties);
  std::size_t window = 0;
  RecordCheck result;
  for (int rounds = 0; rounds < 200; ++rounds) {
    RecordView view;
    result = check_record(std::span(bytes).first(window), 153, ContentCheck::property_crc, view);
    if (result.fault != RecordFault::need_more) break;
    ASSERT_GT(result.needed_bytes, static_cast<std::int64_t>(window));
    window = static_cast<std::size_t>(result.needed_bytes);
  }
  EXPECT_TRUE(result.good());
  EXPECT_EQ(window, bytes.size());
}

TEST(WithoutProperty, OnlyThatPropertyGoesAndTheRestStaysAsItIs) {
  const auto without = [](std::string_view text) {
    return std::string(as_text(without_property(SharedBytes::copy_of(text), "N").span()));
  };
  EXPECT_EQ(without("A\x01"
                    "1\x02N\x01"
                    "2\x02"
                    "B\x01"
                    "3"),
            "A\x01"
            "1\x02"
            "B\x01"
            "3");
  EXPECT_EQ(without("N\x01"
                    "2"),
            "");
  EXPECT_EQ(without("N\x01"
                    "2\x02N\x01"
                    "3\x02"
                    "B\x01"
                    "3\x02"),
            "B\x01"
            "3\x02");
  EXPECT_EQ(without("A\x01"
                    "1\x02N\x01\x02"),
            "A\x01"
            "1\x02");
  // No property of that name.
  for (const std::string_view kept : {"AN\x01"
                                      "1\x02",
                                      "NA\x01"
                                      "1\x02",
                                      "A\x01N\x01"
                                      "1\x02",
                                      "N\x02", "N", "\x02\x02N=\x02", ""}) {
    EXPECT_EQ(without(kept), kept);
  }
}

}  // namespace
}  // namespace drydock::test
