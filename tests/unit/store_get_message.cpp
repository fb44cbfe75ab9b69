// Looking messages up: each status of the reference (3.5), limits of one pull, tags, and that the
// bytes are those of the log.
#include "engine/store/message_reader.hpp"

#include <gtest/gtest.h>

#include "engine/wire/java_string.hpp"
#include "tests/support/store_world.hpp"

namespace drydock::test {
namespace {

PullBatch batch_of(int count, std::int64_t bytes, const PullLimits& limits = {}) {
  PullBatch batch(limits);
  for (int i = 0; i < count; ++i) batch.add(bytes);
  return batch;
}

TEST(StorePullBatch, TheFirstMessageAlwaysFits) {
  EXPECT_TRUE(batch_of(0, 0).takes(4'000'000, true));
  EXPECT_TRUE(batch_of(0, 0).takes(4'000'000, false));
}

TEST(StorePullBatch, InMemory32MessagesOr256KiB) {
  const PullLimits asks_more{.count_max = 100};
  EXPECT_TRUE(batch_of(31, 10, asks_more).takes(10, true));
  EXPECT_FALSE(batch_of(32, 10, asks_more).takes(10, true));
  EXPECT_TRUE(batch_of(1, 262'134).takes(10, true));
  EXPECT_FALSE(batch_of(1, 262'135).takes(10, true));
}

TEST(StorePullBatch, OnDisk8MessagesOr64KiB) {
  EXPECT_TRUE(batch_of(7, 10).takes(10, false));
  EXPECT_FALSE(batch_of(8, 10).takes(10, false));
  EXPECT_TRUE(batch_of(1, 65'526).takes(10, false));
  EXPECT_FALSE(batch_of(1, 65'527).takes(10, false));
}

TEST(StorePullBatch, NeverMoreThanTheClientAskedFor) {
  const PullLimits two{.count_max = 2};
  EXPECT_TRUE(batch_of(1, 10, two).takes(10, true));
  EXPECT_FALSE(batch_of(2, 10, two).takes(10, true));
}

TEST(StorePullBatch, TheRangeOfTheQueueAnswersFirst) {
  const auto answer = [](std::int64_t min, std::int64_t max, std::int64_t offset) {
    return range_answer(QueueOffset(min), QueueOffset(max), QueueOffset(offset));
  };
  EXPECT_EQ(answer(0, 0, 5)->status, GetStatus::no_message_in_queue);
  EXPECT_EQ(answer(0, 0, 5)->next, QueueOffset(0));
  EXPECT_EQ(answer(3, 9, 2)->status, GetStatus::offset_too_small);
  EXPECT_EQ(answer(3, 9, 2)->next, QueueOffset(3));
  EXPECT_EQ(answer(3, 9, 9)->status, GetStatus::offset_overflow_one);
  EXPECT_EQ(answer(3, 9, 9)->next, QueueOffset(9));
  EXPECT_EQ(answer(3, 9, 10)->status, GetStatus::offset_overflow_badly);
  EXPECT_EQ(answer(3, 9, 10)->next, QueueOffset(9));
  EXPECT_FALSE(answer(3, 9, 3).has_value());
  EXPECT_FALSE(answer(3, 9, 8).has_value());
}

TEST(StorePullBatch, NamesAreRocketMqs) {
  EXPECT_EQ(name_of(GetStatus::found), "FOUND");
  EXPECT_EQ(name_of(GetStatus::no_matched_message), "NO_MATCHED_MESSAGE");
  EXPECT_EQ(name_of(GetStatus::offset_overflow_one), "OFFSET_OVERFLOW_ONE");
  EXPECT_EQ(name_of(GetStatus::no_message_in_queue), "NO_MESSAGE_IN_QUEUE");
}

// Twenty messages, two to a log file; the queue has two files.
class GetMessage : public ::testing::Test {
 protected:
  GetMessage() : broker(world) {
    for (int i = 0; i < 20; ++i) {
      IncomingMessage what = message_of(1500);
      const std::string_view tag = i % 2 == 0 ? "TAGS\x01even\x02" : "TAGS\x01odd\x02";
      what.properties = SharedBytes::copy_of(tag);
      puts.push_back(broker.put_now(what));
    }
  }
  GetResult get_tagged(std::int64_t offset, std::string_view tag) {
    const std::int32_t code = java_string_hash(tag);
    GetRequest request{.topic = "T", .offset = QueueOffset(offset)};
    request.tag_codes = std::span(&code, 1);
    return broker.get(request);
  }
  // The bytes of a record as the log has them.
  std::string stored(const PutResult& put) {
    const std::int64_t at = put.offset.value() % kFileBytes;
    const Bytes& file = world.files.at(log_file(put.offset.value() - at)).cached;
    return hex(
        std::span(file).subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(put.bytes)));
  }
  StoreWorld world;
  StoreProcess broker;
  std::vector<PutResult> puts;
};

TEST_F(GetMessage, GivesTheRecordsAsTheyAreStored) {
  const GetResult result = broker.get(3, 2);
  EXPECT_EQ(result.status, GetStatus::found);
  EXPECT_EQ(result.next, QueueOffset(5));
  EXPECT_EQ(result.min, QueueOffset(0));
  EXPECT_EQ(result.max, QueueOffset(20));
  ASSERT_EQ(result.records.size(), 2u);
  EXPECT_EQ(hex(result.records[0].flatten().span()), stored(puts[3]));
  EXPECT_EQ(hex(result.records[1].flatten().span()), stored(puts[4]));
  EXPECT_EQ(result.bytes, puts[3].bytes + puts[4].bytes);
}

TEST_F(GetMessage, AnswersFromOneFileOfTheQueueAtATime) {
  const GetResult result = broker.get(7);
  EXPECT_EQ(result.records.size(), 3u);
  EXPECT_EQ(result.next, QueueOffset(10));
  EXPECT_EQ(broker.get(10).records.size(), 10u);
}

TEST_F(GetMessage, OutsideTheRangeSaysWhereToGoOn) {
  EXPECT_EQ(broker.get(20).status, GetStatus::offset_overflow_one);
  EXPECT_EQ(broker.get(21).status, GetStatus::offset_overflow_badly);
  EXPECT_EQ(broker.get(21).next, QueueOffset(20));
  EXPECT_EQ(broker.get(0, 32, 1).status, GetStatus::no_message_in_queue);
  EXPECT_EQ(broker.get(-1).status, GetStatus::offset_too_small);
}

TEST_F(GetMessage, TagsAreComparedByTheirHash) {
  const GetResult odd = get_tagged(0, "odd");
  EXPECT_EQ(odd.status, GetStatus::found);
  EXPECT_EQ(odd.records.size(), 5u);
  EXPECT_EQ(odd.next, QueueOffset(10));
  const GetResult none = get_tagged(0, "neither");
  EXPECT_EQ(none.status, GetStatus::no_matched_message);
  EXPECT_TRUE(none.records.empty());
  EXPECT_EQ(none.next, QueueOffset(10));
}

TEST_F(GetMessage, ASparseFilterLooksAtSoManyUnitsOnly) {
  broker.kill();
  world.configuration.max_filter_message_size = 3 * kUnitBytes;
  StoreProcess next(world);
  GetRequest request{.topic = "T", .count_max = 2};
  const std::int32_t code = 1;
  request.tag_codes = std::span(&code, 1);
  const GetResult result = next.get(request);
  EXPECT_EQ(result.status, GetStatus::no_matched_message);
  EXPECT_EQ(result.next, QueueOffset(3));
}

TEST_F(GetMessage, ADamagedUnitPointsNowhereAndIsTakenToBeOnDisk) {
  Bytes& queue = world.files.at(queue_file(0)).cached;
  queue[9 * kUnitBytes] = std::byte{0x80};  // Close to the smallest number that there is.
  const GetResult result = broker.get(9);
  EXPECT_TRUE(result.records.empty());
  EXPECT_TRUE(result.suggest_slave);
}

TEST_F(GetMessage, AnyOfManyTagsIsFound) {
  std::vector<std::int32_t> codes;
  for (std::int32_t code = -5'000; code < 5'000; ++code) codes.push_back(code * 7);
  EXPECT_TRUE(wants(codes, -35'000));
  EXPECT_TRUE(wants(codes, 0));
  EXPECT_TRUE(wants(codes, 34'993));
  EXPECT_FALSE(wants(codes, 1));
  EXPECT_TRUE(wants({}, 1));
}

// The log's first files are gone, the queue does not know yet.
TEST_F(GetMessage, ARecordThatIsGoneLeadsToTheNextFileOfTheLog) {
  broker.kill();
  world.files.nodes.erase(log_file(kFileBytes));
  StoreProcess next(world);
  const GetResult behind = next.get(1);
  EXPECT_EQ(behind.status, GetStatus::found);
  ASSERT_GE(behind.records.size(), 2u);
  EXPECT_EQ(hex(behind.records[1].flatten().span()), stored(puts[4]));
  EXPECT_EQ(next.get(2, 1).status, GetStatus::found);
}

TEST_F(GetMessage, AnOffsetWithoutAFileLeadsToTheNextFileOfTheQueue) {
  broker.kill();
  world.files.nodes.erase(queue_file(0));
  StoreProcess next(world);
  ASSERT_EQ(next.queue()->min_offset(), QueueOffset(10));
  EXPECT_EQ(next.get(5).status, GetStatus::offset_too_small);
}

TEST_F(GetMessage, FarBehindTheEndTheSlaveIsSuggested) {
  EXPECT_FALSE(broker.get(0).suggest_slave);
  broker.kill();
  world.configuration.total_memory_bytes = 100 * kFileBytes;
  world.configuration.access_message_in_memory_max_ratio = 3;
  StoreProcess next(world);
  EXPECT_TRUE(next.get(0).suggest_slave);
  EXPECT_EQ(next.get(0).records.size(), 8u);  // The limit for records on disk.
  EXPECT_FALSE(next.get(19).suggest_slave);
}

TEST_F(GetMessage, AStoppedStoreAnswersNothing) {
  broker.stop();
  StoreWorld other;
  other.files.put(log_file(0), Bytes(1));
  StoreProcess refused(other);
  ASSERT_FALSE(refused.started());
  EXPECT_EQ(refused.get(0).status, GetStatus::unavailable);
}

}  // namespace
}  // namespace drydock::test
