// What dispatch is told of a record, and what it makes of one that it can't read.
#include "engine/store/dispatch_step.hpp"

#include <gtest/gtest.h>

#include "engine/wire/big_endian.hpp"

namespace drydock::test {
namespace {

RecordView view() {
  RecordView record;
  record.queue_id = 3;
  record.queue_offset = 7;
  record.physical_offset = 4660;
  record.store_ms = 1000;
  record.topic = as_byte_span("TopicTest");
  record.properties = as_byte_span("TAGS\x01TagA\x02");
  return record;
}

TEST(StoreDispatchStep, ARequestHasTheUnitOfItsRecord) {
  const RecordView record = view();
  const DispatchRequest request = dispatch_request_of(record, 133);
  EXPECT_TRUE(request.has_unit);
  EXPECT_EQ(request.topic, "TopicTest");
  EXPECT_EQ(request.queue_id, 3);
  EXPECT_EQ(request.queue_offset, QueueOffset(7));
  EXPECT_EQ(request.unit, (ConsumeQueueUnit{PhysicalOffset(4660), 133, 2'598'919}));
  EXPECT_EQ(request.store_ms, 1000);
}

TEST(StoreDispatchStep, TheTagsCodeIsTheSignedHashOfTheTag) {
  for (const auto& [properties, code] :
       {std::pair<std::string_view, std::int64_t>{"KEYS\x01k1\x02TAGS\x01TagA\x02", 2'598'919},
        {"TAGS\x01polygenelubricants\x02", -2'147'483'648},
        {"KEYS\x01k1\x02", 0}}) {
    RecordView record = view();
    record.properties = as_byte_span(properties);
    EXPECT_EQ(dispatch_request_of(record, 133).unit.tags_code, code) << properties;
  }
}

TEST(StoreDispatchStep, ARequestHasTheKeysOfItsRecordUnlessItRollsBack) {
  RecordView record = view();
  record.properties = as_byte_span("KEYS\x01k1 k2\x02UNIQ_KEY\x01U\x02");
  for (const auto& [flags, indexed] :
       {std::pair{0x0, true}, {0x4, true}, {0x8, true}, {0xC, false}}) {
    record.sys_flag = flags;
    const DispatchRequest request = dispatch_request_of(record, 133);
    EXPECT_EQ(request.unique_key, "U");
    EXPECT_EQ(request.keys, "k1 k2");
    EXPECT_EQ(request.is_indexed, indexed) << flags;
  }
}

TEST(StoreDispatchStep, HalfAndRolledBackTransactionsHaveNoUnit) {
  for (const auto& [flags, has] : {std::pair{0x0, true}, {0x4, false}, {0x8, true}, {0xC, false}}) {
    RecordView record = view();
    record.sys_flag = flags;
    EXPECT_EQ(dispatch_request_of(record, 133).has_unit, has) << flags;
  }
}

TEST(StoreDispatchStep, FieldsThatNoBrokerWritesHaveNoUnit) {
  for (const std::string_view topic : {"", ".", "..", "a/b", "a,b"}) {
    RecordView record = view();
    record.topic = as_byte_span(topic);
    EXPECT_FALSE(dispatch_request_of(record, 133).has_unit) << topic;
  }
  RecordView record = view();
  record.queue_id = -1;
  EXPECT_FALSE(dispatch_request_of(record, 133).has_unit);
  record = view();
  record.queue_offset = -1;
  EXPECT_FALSE(dispatch_request_of(record, 133).has_unit);
}

TEST(StoreDispatchStep, StepsFollowTheCheckAndTheLimit) {
  const RecordCheck good{.size = 100, .success = true};
  const RecordCheck blank{.size = 0, .success = true};
  const RecordCheck mismatch{.size = 50, .success = false};
  const RecordCheck unreadable{.size = -1, .success = false};
  const PhysicalOffset at(1000);
  const auto step = [at](const RecordCheck& check, std::int64_t limit) {
    return dispatch_step(check, at, PhysicalOffset(limit), LogKind::own);
  };
  EXPECT_EQ(step(good, 1100), DispatchStep::dispatch);
  EXPECT_EQ(step(good, 1099), DispatchStep::wait);
  EXPECT_EQ(step(blank, 1001), DispatchStep::next_file);
  EXPECT_EQ(step(mismatch, 1050), DispatchStep::skip_record);
  EXPECT_EQ(step(mismatch, 1049), DispatchStep::wait);
  EXPECT_EQ(step(unreadable, 1001), DispatchStep::skip_rest);
  // A slave may have half of a record.
  EXPECT_EQ(dispatch_step(unreadable, at, PhysicalOffset(1001), LogKind::replica),
            DispatchStep::wait);
}

}  // namespace
}  // namespace drydock::test
