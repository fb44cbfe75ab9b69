// Batches in the store: records, places, checks, and what a reader and a restart find.
#include <gtest/gtest.h>

#include "engine/store/batch_encoder.hpp"
#include "engine/wire/message_batch.hpp"
#include "tests/support/store_world.hpp"

namespace drydock::test {
namespace {

constexpr std::string_view kCommon = "WAIT\x01true\x02";

struct Inner {
  std::string body;
  std::string properties;
  std::int32_t flag = 0;
};

std::string batch_body(const std::vector<Inner>& messages) {
  std::string body;
  for (const Inner& one : messages) {
    append_to_batch(body, {.flag = one.flag,
                           .body = as_byte_span(one.body),
                           .properties = as_byte_span(one.properties)});
  }
  return body;
}

IncomingMessage batch_of(const std::vector<Inner>& messages, std::int32_t queue_id = 0) {
  IncomingMessage batch = message(batch_body(messages), queue_id);
  batch.properties = SharedBytes::copy_of(kCommon);
  return batch;
}
std::vector<Inner> bodies(int count, std::size_t bytes) {
  return std::vector<Inner>(static_cast<std::size_t>(count), Inner{std::string(bytes, 'b'), {}, 0});
}

class BatchStore : public StoreProcess {
 public:
  explicit BatchStore(StoreWorld& world) : StoreProcess(world), world_(world) {}

  BatchPutResult put_batch(IncomingMessage batch) {
    auto result = std::make_shared<std::optional<BatchPutResult>>();
    process().context().scope.spawn(put_task(std::move(batch), result));
    world_.run_for(Duration::s(1));
    ENSURE(result->has_value());
    return **result;
  }

 private:
  Task<void> put_task(IncomingMessage batch,
                      std::shared_ptr<std::optional<BatchPutResult>> result) {
    Worker& worker = process().context().workers.add("SendMessageThread_9");
    BatchPutResult stored = co_await store().append_batch(worker, std::move(batch));
    if (stored.put.status == PutStatus::put_ok) {
      const PutStatus safe = co_await store().await_flush(stored.put, true);
      stored.put.status = safe;
    }
    result->emplace(std::move(stored));
  }
  StoreWorld& world_;
};

std::vector<RecordView> views_of(const GetResult& got, std::vector<SharedBytes>& keep) {
  std::vector<RecordView> views;
  for (const ByteChain& record : got.records) {
    keep.push_back(record.flatten());
    RecordView view;
    const auto length = static_cast<std::int64_t>(keep.back().size());
    EXPECT_TRUE(check_record(keep.back().span(), length, ContentCheck::body_crc, view).good());
    views.push_back(view);
  }
  return views;
}

TEST(StoreBatch, EachMessageIsARecordWithItsOwnPlaceAndTheCommonProperties) {
  StoreWorld world;
  BatchStore broker(world);
  broker.put_now(message("in front"));
  const BatchPutResult stored = broker.put_batch(
      batch_of({{"one", "KEYS\x01k1\x02", 5}, {"two", "KEYS\x01k2", 6}, {"", "", 0}}));
  ASSERT_EQ(stored.put.status, PutStatus::put_ok);
  EXPECT_EQ(stored.put.queue_offset, QueueOffset(1));
  ASSERT_EQ(stored.record_bytes.size(), 3u);
  std::vector<SharedBytes> keep;
  const std::vector<RecordView> views = views_of(broker.get(1), keep);
  ASSERT_EQ(views.size(), 3u);
  EXPECT_EQ(as_text(views[0].body), "one");
  EXPECT_EQ(as_text(views[0].properties), "KEYS\x01k1\x02WAIT\x01true\x02");
  EXPECT_EQ(as_text(views[1].properties), "KEYS\x01k2\x02WAIT\x01true\x02");
  EXPECT_EQ(as_text(views[2].properties), kCommon);
  std::int64_t at = stored.put.offset.value();
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(views[i].physical_offset, at);
    EXPECT_EQ(views[i].queue_offset, static_cast<std::int64_t>(i) + 1);
    EXPECT_EQ(views[i].store_ms, stored.put.store_ms);
    at += stored.record_bytes[i];
  }
  EXPECT_EQ(at, broker.end());
}

TEST(StoreBatch, TheNextMessageGetsTheOffsetBehindTheBatchAndOtherQueuesDoNotMove) {
  StoreWorld world;
  BatchStore broker(world);
  EXPECT_EQ(broker.put_batch(batch_of(bodies(4, 10))).put.status, PutStatus::put_ok);
  EXPECT_EQ(broker.put_batch(batch_of(bodies(2, 10), 1)).put.queue_offset, QueueOffset(0));
  EXPECT_EQ(broker.put_now(message("next")).queue_offset, QueueOffset(4));
  EXPECT_EQ(broker.units(0).size(), 5u);
  EXPECT_EQ(broker.units(1).size(), 2u);
}

TEST(StoreBatch, ABatchThatDoesNotFitGoesToTheNextFileAsAWhole) {
  StoreWorld world;
  BatchStore broker(world);
  broker.put_now(message_of(2000));
  const BatchPutResult stored = broker.put_batch(batch_of(bodies(3, 700)));
  EXPECT_EQ(stored.put.status, PutStatus::put_ok);
  EXPECT_EQ(stored.put.offset, PhysicalOffset(kFileBytes));
  EXPECT_EQ(broker.units().size(), 4u);
}

TEST(StoreBatch, ABatchLongerThanAFileIsRefused) {
  StoreWorld world;
  BatchStore broker(world);
  EXPECT_EQ(broker.put_batch(batch_of(bodies(5, 1000))).put.status, PutStatus::message_illegal);
  EXPECT_EQ(broker.end(), 0);
}

TEST(StoreBatch, WhatIsNoBatchIsRefused) {
  StoreWorld world;
  world.configuration.max_message_size = 100;
  BatchStore broker(world);
  const auto status = [&](IncomingMessage batch) {
    return broker.put_batch(std::move(batch)).put.status;
  };
  EXPECT_EQ(status(message("")), PutStatus::message_illegal);
  EXPECT_EQ(status(message("no batch")), PutStatus::unknown_error);
  EXPECT_EQ(status(batch_of(bodies(1, 90))), PutStatus::unknown_error);  // More than 100 bytes.
  IncomingMessage half = batch_of(bodies(1, 10));
  half.sys_flag = sys_flag::kTransactionPrepared;
  EXPECT_EQ(status(std::move(half)), PutStatus::message_illegal);
  IncomingMessage late = batch_of(bodies(1, 10));
  late.properties = SharedBytes::copy_of(
      "DELAY\x01"
      "3\x02");
  EXPECT_EQ(status(std::move(late)), PutStatus::message_illegal);
  EXPECT_EQ(broker.end(), 0);
}

TEST(StoreBatch, PropertiesThatAreTooLongTogetherAreRefused) {
  const std::string own(20'000, 'o');
  const std::string common(20'000, 'c');
  const RecordContent content{.topic = as_byte_span("T"), .properties = as_byte_span(common)};
  const std::string body = batch_body({{"b", own, 0}});
  EXPECT_EQ(encode_batch(content, as_byte_span(body), 1 << 20).status,
            PutStatus::properties_size_exceeded);
}

TEST(StoreBatch, ACrashInBetweenIsRecoveredMessageByMessage) {
  StoreWorld world;
  std::int64_t end = 0;
  {
    BatchStore broker(world);
    EXPECT_EQ(broker.put_batch(batch_of(bodies(3, 100))).put.status, PutStatus::put_ok);
    end = broker.end();
    broker.kill();
  }
  BatchStore next(world);
  EXPECT_EQ(next.end(), end);
  EXPECT_EQ(next.units().size(), 3u);
  EXPECT_EQ(next.put_now(message("more")).queue_offset, QueueOffset(3));
}

TEST(StoreBatch, EveryMessageIsFiledInTheIndex) {
  StoreWorld world;
  world.configuration.message_index_enable = true;
  world.configuration.index = {.slots = 8, .entries = 100};
  BatchStore broker(world);
  broker.put_batch(batch_of({{"one", "KEYS\x01k1\x02", 0}, {"two", "KEYS\x01k2\x02", 0}}));
  const std::vector<std::string> paths = world.files.paths();
  const auto index = std::ranges::find_if(
      paths, [](const auto& path) { return path.starts_with("/store/index"); });
  ASSERT_NE(index, paths.end());
  EXPECT_EQ(decode_index_header(world.files.at(*index).cached).count, 3);
}

}  // namespace
}  // namespace drydock::test
