// The property CRC in the store: every record gets it, and recovery looks at it if it is told to.
#include <gtest/gtest.h>

#include "engine/store/batch_encoder.hpp"
#include "engine/wire/message_batch.hpp"
#include "tests/support/store_world.hpp"

namespace drydock::test {
namespace {

constexpr std::int64_t kTopicAt = 88;  // Of a record: "T" and the property lie behind its body.

StoreConfiguration with_property_crc() {
  StoreConfiguration configuration = small_store();
  configuration.enabled_append_prop_crc = true;
  configuration.force_verify_prop_crc = true;
  return configuration;
}
constexpr std::int64_t crc_record_of(std::int64_t body_bytes) {
  return record_of(body_bytes) + static_cast<std::int64_t>(kPropertyCrcBytes);
}

// The properties of each message of the queue, whose records have a right property CRC.
std::vector<std::string> properties_in(StoreProcess& broker) {
  std::vector<std::string> all;
  for (const ByteChain& record : broker.get(0).records) {
    const SharedBytes bytes = record.flatten();
    const auto length = static_cast<std::int64_t>(bytes.size());
    RecordView view;
    EXPECT_TRUE(check_record(bytes.span(), length, ContentCheck::property_crc, view).good());
    all.emplace_back(as_text(view.properties));
  }
  return all;
}

IncomingMessage message_with(std::string_view properties) {
  IncomingMessage made = message("body");
  made.properties = SharedBytes::copy_of(properties);
  return made;
}

TEST(StorePropertyCrc, EveryRecordHasItAtItsOwnPlace) {
  StoreWorld world(with_property_crc());
  StoreProcess broker(world);
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(broker.put_now(message_of(1000)).status, PutStatus::put_ok);
  }
  EXPECT_EQ(broker.end(), 3 * kFileBytes + crc_record_of(1000));  // Three to a file.
  EXPECT_EQ(properties_in(broker).size(), 10u);
  broker.kill();
  StoreProcess next(world);
  EXPECT_EQ(next.end(), 3 * kFileBytes + crc_record_of(1000));
  EXPECT_EQ(next.put_now(message_of(10)).queue_offset, QueueOffset(10));
}

TEST(StorePropertyCrc, WithoutTheKeyNoRecordHasIt) {
  StoreWorld world;
  StoreProcess broker(world);
  EXPECT_EQ(broker.put_now(message_of(1000)).bytes, record_of(1000));
}

TEST(StorePropertyCrc, TheOneOfTheMessageItselfIsReplaced) {
  StoreWorld world(with_property_crc());
  StoreProcess broker(world);
  broker.put_now(
      message_with("__CRC32#\x01"
                   "0000000000\x02KEYS\x01k\x02"));
  broker.put_now(message_with("KEYS\x01k"));
  const std::vector<std::string> properties = properties_in(broker);
  ASSERT_EQ(properties.size(), 2u);
  for (const std::string& text : properties) {
    EXPECT_TRUE(text.starts_with("KEYS\x01k\x02__CRC32#\x01"));
    EXPECT_EQ(text.size(), 7 + kPropertyCrcBytes);
  }
}

TEST(StorePropertyCrc, ItCountsAmongThe32767BytesOfProperties) {
  StoreConfiguration configuration = with_property_crc();
  configuration.mapped_file_size_commit_log = 1 << 20;
  StoreWorld world(configuration);
  StoreProcess broker(world);
  const auto status = [&](std::size_t bytes, char last) {
    return broker.put_now(message_with(std::string(bytes - 1, 'p') + last)).status;
  };
  constexpr std::size_t kRoom = 32'767 - kPropertyCrcBytes;
  EXPECT_EQ(status(kRoom + 1, '\x02'), PutStatus::properties_size_exceeded);
  EXPECT_EQ(status(kRoom, 'p'), PutStatus::properties_size_exceeded);  // And an end mark.
  EXPECT_EQ(status(kRoom, '\x02'), PutStatus::put_ok);
  EXPECT_EQ(status(kRoom - 1, 'p'), PutStatus::put_ok);
}

TEST(StorePropertyCrc, ItCountsAmongTheBytesThatFitAFile) {
  StoreWorld world(with_property_crc());
  StoreProcess broker(world);
  const auto largest = static_cast<std::size_t>(kFileBytes - 8 - crc_record_of(0));
  EXPECT_EQ(broker.put_now(message_of(largest + 1)).status, PutStatus::message_illegal);
  EXPECT_EQ(broker.put_now(message_of(largest)).status, PutStatus::put_ok);
}

std::string batch_body(std::span<const std::string> properties) {
  std::string body;
  for (const std::string& own : properties) {
    append_to_batch(body, {.body = as_byte_span("body"), .properties = as_byte_span(own)});
  }
  return body;
}

TEST(StorePropertyCrc, EachMessageOfABatchHasItsOwn) {
  const std::string own[] = {"A\x01z\x02", "A\x01z", "", "__CRC32#\x01z\x02"};
  for (const std::string_view common : {"B\x01z\x02", "B\x01z", ""}) {
    const RecordContent content{.topic = as_byte_span("T"),
                                .properties = as_byte_span(common),
                                .property_crc = PropertyCrc::appended};
    EncodedBatch batch = encode_batch(content, as_byte_span(batch_body(own)), 1 << 20);
    ASSERT_EQ(batch.status, PutStatus::put_ok);
    std::span<std::byte> rest = batch.records.writable();
    for (const std::int32_t bytes : batch.record_bytes) {
      const auto record = rest.first(static_cast<std::size_t>(bytes));
      rest = rest.subspan(record.size());
      place_record(record, {QueueOffset(1), PhysicalOffset(2), 3}, PropertyCrc::appended);
      RecordView view;
      EXPECT_TRUE(check_record(record, bytes, ContentCheck::property_crc, view).good());
      EXPECT_EQ(find_property(as_text(view.properties), "B"), common.empty() ? "" : "z");
    }
    EXPECT_TRUE(rest.empty());
  }
}

TEST(StorePropertyCrc, PropertiesOfABatchThatAreTooLongWithItAreRefused) {
  const std::string own[] = {std::string(32'747, 'p')};
  RecordContent content{.topic = as_byte_span("T"), .property_crc = PropertyCrc::appended};
  const auto status = [&] {
    return encode_batch(content, as_byte_span(batch_body(own)), 1 << 20).status;
  };
  EXPECT_EQ(status(), PutStatus::properties_size_exceeded);
  content.property_crc = PropertyCrc::none;
  EXPECT_EQ(status(), PutStatus::put_ok);
}

TEST(StorePropertyCrc, RecoveryEndsTheLogAtAnyDamageAndWithoutTheKeyDoesNotSeeIt) {
  const std::int64_t places[] = {12, 20, 28, 40, 56, kTopicAt + 101, kTopicAt + 104};
  for (const std::int64_t place : places) {
    for (const bool force : {false, true}) {
      StoreWorld world(with_property_crc());
      world.configuration.force_verify_prop_crc = force;
      LogBuilder log(world.files, PropertyCrc::appended);
      log.add(100, 0);
      const std::int64_t second = log.add(100, 1);
      log.add(100, 2);
      log.damage(second + place);
      log.crashed(0);
      StoreProcess broker(world);
      EXPECT_EQ(broker.end(), force ? second : log.end()) << place;
    }
  }
}

TEST(StorePropertyCrc, WithoutTheCheckAtRecoveryNoneIsCompared) {
  StoreWorld world(with_property_crc());
  world.configuration.check_crc_on_recover = false;
  LogBuilder log(world.files, PropertyCrc::appended);
  const std::int64_t first = log.add(100);
  log.damage(first + kTopicAt);
  StoreProcess broker(world);
  EXPECT_EQ(broker.end(), log.end());
}

// Pitfall 6 of the storage reference.
TEST(StorePropertyCrc, AStoreFromBeforeTheKeyIsCutAtItsFirstRecord) {
  StoreWorld world(with_property_crc());
  LogBuilder log(world.files);
  for (int i = 0; i < 3; ++i) log.add(100, i);
  log.crashed(0);
  StoreProcess broker(world);
  EXPECT_TRUE(broker.started());
  EXPECT_EQ(broker.end(), 0);
}

TEST(StorePropertyCrc, ARecordLongerThanWhatIsReadAtATimeIsChecked) {
  constexpr std::int64_t kBody = 300'000;
  for (const bool damaged : {false, true}) {
    StoreConfiguration configuration = with_property_crc();
    configuration.mapped_file_size_commit_log = 1 << 20;
    StoreWorld world(configuration);
    {
      StoreProcess broker(world);
      broker.put_now(message_of(kBody));
      broker.kill();
    }
    if (damaged) world.files.at(log_file(0)).cached[250'000] ^= std::byte{1};
    StoreProcess next(world);
    EXPECT_EQ(next.end(), damaged ? 0 : crc_record_of(kBody));
  }
}

}  // namespace
}  // namespace drydock::test
