// The judge's own decoder reads the golden record of the storage reference, and a log with holes,
// wrong bytes and foreign records is told apart from one in order.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scenarios/audit/log_walk.hpp"
#include "scenarios/audit/record_decoder.hpp"
#include "scenarios/workload/bodies.hpp"

namespace drydock::scenarios {
namespace {

using Bytes = std::vector<std::byte>;

// Storage reference, section 2.12.
const char* const kGolden =
    "00000085daa320a777d1898200000003000000000000000000000007000000000000123400000000"
    "0000018bcfe568007f0000010000c3500000018bcfe5687b7f00000100002a9f0000000000000000"
    "000000000000000548656c6c6f09546f70696354657374001c4b455953016b310254414753015461"
    "674102574149540174727565"
    "02";

Bytes from_hex(const std::string& hex) {
  Bytes bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

void put(Bytes& bytes, std::uint64_t value, int width) {
  for (int i = width - 1; i >= 0; --i) {
    bytes.push_back(static_cast<std::byte>((value >> (8 * i)) & 0xff));
  }
}

void overwrite(Bytes& bytes, std::size_t at, std::uint64_t value, int width) {
  Bytes field;
  put(field, value, width);
  std::copy(field.begin(), field.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
}

// CRC-32, bit by bit: a third implementation, so that neither of the others checks itself.
std::uint32_t crc31(std::span<const std::byte> body) {
  std::uint32_t crc = 0xffffffff;
  for (const std::byte byte : body) {
    crc ^= static_cast<std::uint32_t>(byte);
    for (int i = 0; i < 8; ++i) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320 : 0);
  }
  return ~crc & 0x7fffffff;
}

// A version 1 record with the body of `key` under `keys`.
Bytes record_of(std::int64_t offset, std::uint64_t key, const std::string& keys, std::size_t size) {
  const SharedBytes body = body_of(key, size);
  const std::string properties = std::string("KEYS\x01") + keys + "\x02";
  Bytes bytes;
  put(bytes, 91 + size + properties.size(), 4);
  put(bytes, 0xdaa320a7, 4);
  put(bytes, crc31(body.span()), 4);
  bytes.resize(28);
  put(bytes, static_cast<std::uint64_t>(offset), 8);
  bytes.resize(84);
  put(bytes, size, 4);
  bytes.insert(bytes.end(), body.span().begin(), body.span().end());
  put(bytes, 0, 1);
  put(bytes, properties.size(), 2);
  for (const char c : properties) bytes.push_back(static_cast<std::byte>(c));
  return bytes;
}

// Keys 1 to n, 100 bytes each, from physical offset 0.
struct Log {
  Bytes bytes;
  std::vector<std::size_t> starts;
  void add(std::uint64_t key, const std::string& keys) {
    starts.push_back(bytes.size());
    const Bytes record = record_of(static_cast<std::int64_t>(bytes.size()), key, keys, 100);
    bytes.insert(bytes.end(), record.begin(), record.end());
  }
};
Log log_of(std::uint64_t n) {
  Log log;
  for (std::uint64_t key = 1; key <= n; ++key) log.add(key, std::to_string(key));
  return log;
}

reports::FinalStore walk(const Bytes& bytes) {
  reports::FinalStore store;
  walk_log_file(0, bytes, store);
  return store;
}

TEST(Decoder, ReadsTheGoldenRecord) {
  const Bytes bytes = from_hex(kGolden);
  const DecodedRecord record = decode_record(bytes);
  ASSERT_EQ(record.kind, DecodedRecord::Kind::message) << record.why;
  EXPECT_EQ(record.total_bytes, 133);
  EXPECT_EQ(record.physical_offset, 4660);
  EXPECT_EQ(record.queue_id, 3);
  EXPECT_EQ(record.queue_offset, 7);
  EXPECT_EQ(record.store_ms, 1'700'000'000'123);
  EXPECT_EQ(record.topic, "TopicTest");
  EXPECT_EQ(property(record.properties, "KEYS"), "k1");
  EXPECT_EQ(property(record.properties, "WAIT"), "true");
  EXPECT_EQ(property(record.properties, "NONE"), "");
  EXPECT_TRUE(record.body_checksum_right);
}

TEST(Decoder, SeesAChangedBody) {
  Bytes bytes = from_hex(kGolden);
  bytes[88] ^= std::byte{1};
  EXPECT_FALSE(decode_record(bytes).body_checksum_right);
}

TEST(Decoder, ReadsABlankAndRefusesOneThatIsTooLong) {
  Bytes bytes = from_hex("00000064cbd43194");
  EXPECT_EQ(decode_record(bytes).kind, DecodedRecord::Kind::damaged);
  bytes.resize(100);
  const DecodedRecord blank = decode_record(bytes);
  EXPECT_EQ(blank.kind, DecodedRecord::Kind::blank);
  EXPECT_EQ(blank.total_bytes, 100);
}

TEST(Decoder, NeverReadsBeyondItsBytes) {
  const Bytes golden = from_hex(kGolden);
  for (std::size_t length = 0; length < golden.size(); ++length) {
    const Bytes cut(golden.begin(), golden.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_EQ(decode_record(cut).kind, DecodedRecord::Kind::damaged) << length;
  }
  for (std::size_t at = 0; at < golden.size(); ++at) {
    Bytes changed = golden;
    changed[at] ^= std::byte{0xff};
    (void)decode_record(changed);  // Under the sanitizers: whatever it says, it stays inside.
  }
}

TEST(LogWalk, FindsEveryMessageIntact) {
  const reports::FinalStore store = walk(log_of(5).bytes);
  ASSERT_EQ(store.copies.size(), 5u);
  EXPECT_TRUE(store.damaged.empty());
  for (std::uint64_t i = 0; i < 5; ++i) {
    EXPECT_EQ(store.copies[i].key, i + 1);
    EXPECT_TRUE(store.copies[i].intact);
    EXPECT_EQ(store.copies[i].body_bytes, 100);
  }
}

TEST(LogWalk, AHoleEndsTheFileAsDamage) {
  Log log = log_of(5);
  std::fill(log.bytes.begin() + static_cast<std::ptrdiff_t>(log.starts[2]),
            log.bytes.begin() + static_cast<std::ptrdiff_t>(log.starts[3]), std::byte{0});
  const reports::FinalStore store = walk(log.bytes);
  EXPECT_EQ(store.copies.size(), 2u);
  ASSERT_EQ(store.damaged.size(), 1u);
  EXPECT_EQ(store.damaged[0].physical_offset, static_cast<std::int64_t>(log.starts[2]));
  EXPECT_EQ(store.damaged[0].why, "no record begins here");
}

TEST(LogWalk, TellsWrongBytesForeignKeysAndStrayRecords) {
  Log log = log_of(2);
  log.bytes[log.starts[1] + 90] ^= std::byte{1};  // In the body of key 2.
  log.add(7, "8");                                // The body of 7 under key 8.
  log.add(9, "order-9");                          // No key of ours.
  const reports::FinalStore store = walk(log.bytes);
  ASSERT_EQ(store.copies.size(), 4u);
  EXPECT_TRUE(store.copies[0].intact);
  EXPECT_FALSE(store.copies[1].intact);
  EXPECT_TRUE(store.copies[1].key_known);
  EXPECT_FALSE(store.copies[2].intact);
  EXPECT_FALSE(store.copies[3].key_known);

  Log stray = log_of(1);
  overwrite(stray.bytes, 28, 4096, 8);
  EXPECT_EQ(walk(stray.bytes).damaged[0].why, "the record says that it is at 4096");
}

TEST(Bodies, DifferByKeyAndAreCheckedToTheLastByte) {
  for (const std::size_t size : {1u, 7u, 8u, 9u, 1024u}) {
    const SharedBytes body = body_of(5, size);
    ASSERT_EQ(body.size(), size);
    EXPECT_TRUE(is_body_of(5, body.span()));
    EXPECT_FALSE(is_body_of(6, body.span()));
    Bytes changed(body.span().begin(), body.span().end());
    changed.back() ^= std::byte{1};
    EXPECT_FALSE(is_body_of(5, changed));
  }
}

}  // namespace
}  // namespace drydock::scenarios
