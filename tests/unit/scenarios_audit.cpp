// The judge's own decoder reads the golden record of the storage reference, and a log with holes,
// wrong bytes and foreign records is told apart from one in order.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scenarios/audit/log_walk.hpp"
#include "scenarios/audit/record_decoder.hpp"
#include "scenarios/workload/bodies.hpp"
#include "tests/support/hand_made_log.hpp"

namespace drydock::scenarios {
namespace {

using test::Bytes;
using test::overwrite;

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

// Keys 1 to n, 100 bytes each, from physical offset 0.
struct Log {
  Bytes bytes;
  std::vector<std::size_t> starts;
  void add(std::uint64_t key, const std::string& keys) {
    starts.push_back(bytes.size());
    const Bytes record = test::encode(
        {.physical_offset = static_cast<std::int64_t>(bytes.size()), .key = key, .keys = keys});
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
  QueueNames names(store);
  walk_log_file(0, bytes, names, store);
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

// The golden record with the property CRC; storage reference, section 2.12.
TEST(Decoder, ComparesThePropertyCrcWithTheWholeRecord) {
  using enum DecodedRecord::PropertyChecksum;
  Bytes bytes = from_hex(kGolden);
  EXPECT_EQ(decode_record(bytes).property_checksum, absent);
  const Bytes tail = from_hex("5f5f435243333223013137303134393035383102");
  bytes.insert(bytes.end(), tail.begin(), tail.end());
  overwrite(bytes, 0, 153, 4);
  overwrite(bytes, 103, 48, 2);
  EXPECT_EQ(decode_record(bytes).property_checksum, right);
  for (const std::size_t at : {8u, 20u, 60u, 88u, 95u, 110u, 145u, 152u}) {
    Bytes changed = bytes;
    changed[at] ^= std::byte{1};
    EXPECT_EQ(decode_record(changed).property_checksum, wrong) << at;
  }
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

TEST(LogWalk, NotesTheQueueOfEachMessageButOfNoHalfOrRolledBackOne) {
  Bytes bytes;
  for (const std::uint32_t flag : {0x0u, 0x4u, 0x8u, 0xCu}) {
    const Bytes record = test::encode({.physical_offset = static_cast<std::int64_t>(bytes.size()),
                                       .key = 1,
                                       .keys = "1",
                                       .topic = "orders",
                                       .queue_id = 3,
                                       .queue_offset = flag,
                                       .sys_flag = flag});
    bytes.insert(bytes.end(), record.begin(), record.end());
  }
  const reports::FinalStore store = walk(bytes);
  ASSERT_EQ(store.copies.size(), 4u);
  ASSERT_EQ(store.queues.size(), 1u);
  EXPECT_EQ(reports::text_of(store.queues[0]), "orders/3");
  EXPECT_EQ(store.copies[0].queue, 0);
  EXPECT_EQ(store.copies[1].queue, -1);
  EXPECT_EQ(store.copies[2].queue, 0);
  EXPECT_EQ(store.copies[2].queue_offset, 8);
  EXPECT_EQ(store.copies[3].queue, -1);
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

// The last bytes of a record can be missing from the disk without its checksum noticing.
TEST(LogWalk, SeesPropertiesThatHoldZeroBytes) {
  Log log = log_of(2);
  std::fill(log.bytes.end() - 3, log.bytes.end(), std::byte{0});
  const reports::FinalStore store = walk(log.bytes);
  ASSERT_EQ(store.copies.size(), 2u);
  EXPECT_FALSE(store.copies[0].torn_properties);
  EXPECT_TRUE(store.copies[1].torn_properties);
}

TEST(LogWalk, ARecordWithAWrongPropertyCrcIsNotIntact) {
  for (const bool other : {false, true}) {
    Bytes bytes = test::encode({.key = 1, .keys = "1", .property_crc = true});
    if (other) overwrite(bytes, 20, 77, 8);  // Its queue offset.
    const reports::FinalStore store = walk(bytes);
    ASSERT_EQ(store.copies.size(), 1u);
    EXPECT_EQ(store.copies[0].intact, !other);
    EXPECT_EQ(store.copies[0].torn_properties, other);
  }
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
