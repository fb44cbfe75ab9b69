// Records of the CommitLog against the golden vectors of the storage reference (2.12), and the
// check of 5.4 case by case.
#include "engine/wire/message_record.hpp"

#include <gtest/gtest.h>

#include <string>

#include "engine/wire/compression.hpp"
#include "tests/support/bytes_text.hpp"

namespace drydock::test {
namespace {

using Bytes = std::vector<std::byte>;

constexpr std::string_view kGolden =
    "00000085daa320a777d18982000000030000000000000000000000070000000000001234000000000000018bcfe568"
    "007f0000010000c3500000018bcfe5687b7f00000100002a9f0000000000000000000000000000000548656c6c6f09"
    "546f70696354657374001c4b455953016b31025441475301546167410257414954017472756502";

constexpr std::string_view kProperties = "KEYS\x01k1\x02TAGS\x01TagA\x02WAIT\x01true\x02";

RecordContent example() {
  return {.queue_id = 3,
          .born_ms = 1'700'000'000'000,
          .born_host = {0x7f000001, 50'000},
          .store_host = {0x7f000001, 10'911},
          .body = as_byte_span("Hello"),
          .topic = as_byte_span("TopicTest"),
          .properties = as_byte_span(kProperties)};
}
constexpr RecordPlace kPlace{QueueOffset(7), PhysicalOffset(4660), 1'700'000'000'123};

Bytes golden() { return unhex(kGolden); }

RecordCheck check(const Bytes& bytes, ContentCheck content_check = ContentCheck::body_crc) {
  RecordView view;
  return check_record(bytes, static_cast<std::int64_t>(bytes.size()), content_check, view);
}

// What RocketMQ's check returns, and why.
void expect_check(const Bytes& bytes, std::int32_t size, bool success, RecordFault fault,
                  ContentCheck content_check = ContentCheck::body_crc) {
  const RecordCheck result = check(bytes, content_check);
  EXPECT_EQ(result.size, size);
  EXPECT_EQ(result.success, success);
  EXPECT_EQ(result.fault, fault);
}

// The golden record with one field overwritten.
template <std::integral T>
Bytes with(std::size_t at, T value) {
  Bytes bytes = golden();
  write_big_endian(bytes.data() + at, value);
  return bytes;
}

TEST(StoreMessageRecord, TheGoldenRecordIsWrittenByteByByte) {
  SharedBytes record = encode_record(example());
  place_record(record.writable(), kPlace);
  EXPECT_EQ(hex(record.span()), kGolden);
}

TEST(StoreMessageRecord, TheCrcLosesItsTopBit) {
  EXPECT_EQ(body_crc(as_byte_span("Hello")), 0x77D18982u);
  EXPECT_EQ(body_crc(as_byte_span("Hello")), 2'010'220'930u);
}

TEST(StoreMessageRecord, TheGoldenBlankOf100Bytes) {
  EXPECT_EQ(hex(encode_blank(100)), "00000064cbd43194");
}

TEST(StoreMessageRecord, AGoodRecordIsReadBack) {
  const Bytes bytes = golden();
  RecordView view;
  const RecordCheck result =
      check_record(bytes, static_cast<std::int64_t>(bytes.size()), ContentCheck::body_crc, view);
  EXPECT_TRUE(result.good());
  EXPECT_EQ(result.size, 133);
  EXPECT_EQ(view.queue_id, 3);
  EXPECT_EQ(view.queue_offset, 7);
  EXPECT_EQ(view.physical_offset, 4660);
  EXPECT_EQ(view.store_ms, 1'700'000'000'123);
  EXPECT_EQ(as_text(view.body), "Hello");
  EXPECT_EQ(as_text(view.topic), "TopicTest");
  EXPECT_EQ(as_text(view.properties), kProperties);
}

TEST(StoreMessageRecord, BytesBehindARecordDoNotMatter) {
  Bytes bytes = golden();
  bytes.resize(500, std::byte{0xff});
  expect_check(bytes, 133, true, RecordFault::none);
}

TEST(StoreMessageRecord, AtMostFourBytesAreNoRecord) {
  for (std::size_t size = 0; size <= 4; ++size) {
    Bytes bytes = golden();
    bytes.resize(size);
    expect_check(bytes, -1, false, RecordFault::buffer_too_short);
  }
}

TEST(StoreMessageRecord, ARecordThatClaimsMoreThanThereIsIsRefused) {
  for (std::size_t size = 5; size < 133; ++size) {
    Bytes bytes = golden();
    bytes.resize(size);
    expect_check(bytes, -1, false, RecordFault::buffer_too_short);
  }
}

TEST(StoreMessageRecord, ZerosHaveNoMagic) {
  expect_check(Bytes(200), -1, false, RecordFault::unknown_magic);
}

TEST(StoreMessageRecord, ABlankRecordIsSuccessOfSizeZero) {
  Bytes bytes(100, std::byte{0xee});  // Only 8 bytes are written, the rest is garbage.
  const auto blank = encode_blank(100);
  std::copy(blank.begin(), blank.end(), bytes.begin());
  expect_check(bytes, 0, true, RecordFault::none);
  EXPECT_TRUE(check(bytes).blank());
}

TEST(StoreMessageRecord, ABlankThatClaimsMoreThanThereIsIsRefused) {
  Bytes bytes = unhex("00000064cbd43194");
  expect_check(bytes, -1, false, RecordFault::buffer_too_short);
}

TEST(StoreMessageRecord, DamageInTheBodyIsSeenByItsCrcOnly) {
  const Bytes damaged = with(88, std::uint8_t{'J'});  // "Jello"
  expect_check(damaged, -1, false, RecordFault::body_crc);
  expect_check(damaged, 133, true, RecordFault::none, ContentCheck::lengths_only);
}

TEST(StoreMessageRecord, DamageInHeaderTopicAndPropertiesIsNotSeen) {
  expect_check(with(12, std::int32_t{99}), 133, true, RecordFault::none);       // queue id
  expect_check(with(28, std::int64_t{1} << 60), 133, true, RecordFault::none);  // its own place
  expect_check(with(94, std::uint8_t{'X'}), 133, true, RecordFault::none);      // topic
  expect_check(with(132, std::uint8_t{0}), 133, true, RecordFault::none);       // properties
}

TEST(StoreMessageRecord, AnEmptyBodyIsNotChecked) {
  RecordContent content = example();
  content.body = {};
  SharedBytes record = encode_record(content);
  place_record(record.writable(), kPlace);
  Bytes bytes(record.span().begin(), record.span().end());
  write_big_endian(bytes.data() + 8, std::int32_t{12345});
  expect_check(bytes, 128, true, RecordFault::none);
}

TEST(StoreMessageRecord, LengthsThatDoNotAddUpKeepTheirSize) {
  Bytes longer = with(0, std::int32_t{140});
  longer.resize(140);
  expect_check(longer, 140, false, RecordFault::length_mismatch);
  expect_check(with(0, std::int32_t{100}), 100, false, RecordFault::length_mismatch);
  expect_check(with(103, std::int16_t{20}), 133, false, RecordFault::length_mismatch);
}

TEST(StoreMessageRecord, LengthsThatLeadBeyondTheBufferAreUnreadable) {
  expect_check(with(84, std::int32_t{1000}), -1, false, RecordFault::unreadable);  // body
  expect_check(with(93, std::int8_t{127}), -1, false, RecordFault::unreadable);    // topic
  expect_check(with(93, std::int8_t{-1}), -1, false, RecordFault::unreadable);
  expect_check(with(103, std::int16_t{300}), -1, false, RecordFault::unreadable);  // properties
}

TEST(StoreMessageRecord, NegativeBodyAndPropertiesLengthsCountAsNone) {
  expect_check(with(103, std::int16_t{-1}), 133, false, RecordFault::length_mismatch);
}

TEST(StoreMessageRecord, VersionTwoHasAWideTopicLength) {
  // The golden record with another magic and one more byte in front of the topic's length.
  Bytes bytes = golden();
  write_big_endian(bytes.data() + 4, kMagicV2);
  bytes.insert(bytes.begin() + 93, std::byte{0});
  write_big_endian(bytes.data(), std::int32_t{134});
  expect_check(bytes, 134, true, RecordFault::none);
}

TEST(StoreMessageRecord, Ipv6HostsAreTwelveBytesLonger) {
  Bytes bytes = golden();
  bytes.insert(bytes.begin() + 64, 12, std::byte{0});  // Store host.
  bytes.insert(bytes.begin() + 48, 12, std::byte{0});  // Born host.
  write_big_endian(bytes.data(), std::int32_t{133 + 24});
  write_big_endian(bytes.data() + 36, std::int32_t{0x30});
  RecordView view;
  const RecordCheck result =
      check_record(bytes, static_cast<std::int64_t>(bytes.size()), ContentCheck::body_crc, view);
  EXPECT_TRUE(result.good());
  EXPECT_EQ(view.store_ms, 1'700'000'000'123);
  EXPECT_EQ(first_store_timestamp(bytes), 1'700'000'000'123);
}

TEST(StoreMessageRecord, AWindowThatIsTooSmallAsksForMoreUntilItIsNot) {
  const Bytes bytes = golden();
  std::size_t window = 0;
  int rounds = 0;
  RecordCheck result;
  do {
    RecordView view;
    result = check_record(std::span(bytes).first(window), 133, ContentCheck::body_crc, view);
    if (result.fault != RecordFault::need_more) break;
    ASSERT_GT(result.needed_bytes, static_cast<std::int64_t>(window));
    window = static_cast<std::size_t>(result.needed_bytes);
    ++rounds;
  } while (rounds < 200);
  EXPECT_TRUE(result.good());
  EXPECT_EQ(window, bytes.size());
}

TEST(StoreMessageRecord, AbnormalRecoveryLooksAtTheFirstRecordsTime) {
  EXPECT_EQ(first_store_timestamp(golden()), 1'700'000'000'123);
  EXPECT_EQ(first_store_timestamp(with(56, std::int64_t{0})), std::nullopt);
  EXPECT_EQ(first_store_timestamp(with(4, kMagicBlank)), std::nullopt);
  EXPECT_EQ(first_store_timestamp(Bytes(200)), std::nullopt);
  EXPECT_EQ(first_store_timestamp(Bytes(50)), std::nullopt);
}

}  // namespace
}  // namespace drydock::test
