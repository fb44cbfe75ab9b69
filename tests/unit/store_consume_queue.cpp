// Consume queues in their files: names, bytes, rolling, the filler of a queue that begins in the
// middle, flushes, and what happens when a file can't be made or written. Files hold 10 units.
#include "engine/store/consume_queue.hpp"

#include <gtest/gtest.h>

#include "tests/support/store_world.hpp"

namespace drydock::test {
namespace {

constexpr std::string_view kQueues = "consumequeue";

std::string unit_hex(std::int64_t physical, std::int64_t bytes, std::int64_t tags_code = 0) {
  return hex(encode_unit({PhysicalOffset(physical), static_cast<std::int32_t>(bytes), tags_code}));
}
// The first `count` units of a file, as they would survive a power loss or as they are read.
std::string front(const Bytes& file, std::size_t count) {
  return hex(std::span(file).first(count * kUnitBytes));
}

TEST(StoreConsumeQueue, EachMessageHasOneUnitInTheFilesOfItsQueue) {
  StoreWorld world;
  StoreProcess broker(world);
  IncomingMessage tagged = message_of(10, 3);
  tagged.properties = SharedBytes::copy_of("TAGS\x01TagA\x02");
  const PutResult first = broker.put_now(tagged);
  const PutResult second = broker.put_now(message_of(20, 3));
  const Bytes& file = world.files.at("/store/consumequeue/T/3/00000000000000000000").cached;
  EXPECT_EQ(file.size(), 200u);
  EXPECT_EQ(front(file, 3), unit_hex(0, first.bytes, 2'598'919) +
                                unit_hex(first.bytes, second.bytes) + std::string(40, '0'));
  EXPECT_EQ(broker.queue(3)->max_offset(), QueueOffset(2));
  EXPECT_EQ(broker.queue(0), nullptr);
}

TEST(StoreConsumeQueue, AFullFileIsFollowedByTheNextOne) {
  StoreWorld world;
  StoreProcess broker(world);
  for (int i = 0; i < 11; ++i) broker.put_now(message_of(10));
  EXPECT_TRUE(world.files.exists("/store/consumequeue/T/0/00000000000000000000"));
  EXPECT_TRUE(world.files.exists("/store/consumequeue/T/0/00000000000000000200"));
  EXPECT_EQ(world.count(EventName::store_queue_file_created), 2u);
  EXPECT_EQ(broker.units().size(), 11u);
  EXPECT_EQ(broker.units().back().physical, PhysicalOffset(10 * record_of(10)));
}

TEST(StoreConsumeQueue, TheSlowPathOfAStoreWritesTheSameUnits) {
  StoreWorld world;
  world.files.block_stores = true;
  StoreProcess broker(world);
  for (int i = 0; i < 12; ++i) broker.put_now(message_of(10));
  EXPECT_EQ(broker.units().size(), 12u);
}

// Queue offset 23 of a queue that has no file: units 20 to 22 of its first file are filler.
TEST(StoreConsumeQueue, AQueueThatBeginsInTheMiddleIsFilledUpInFront) {
  StoreWorld world;
  LogBuilder log(world.files);
  log.add(10, 23);
  log.crashed(0);
  StoreProcess broker(world);
  const Bytes& file = world.files.at(queue_file(20)).cached;
  EXPECT_EQ(front(file, 4), hex(encode_pre_blank_units(3).span()) + unit_hex(0, record_of(10)));
  EXPECT_EQ(broker.queue()->max_offset(), QueueOffset(24));
  EXPECT_EQ(broker.queue()->min_offset(), QueueOffset(23));
  EXPECT_EQ(broker.put_now(message_of(10)).queue_offset, QueueOffset(24));
  broker.kill();
  // Pitfall 15: a restart takes the filler for messages.
  StoreProcess next(world);
  EXPECT_EQ(next.queue()->min_offset(), QueueOffset(20));
  EXPECT_EQ(next.queue()->max_offset(), QueueOffset(25));
}

TEST(StoreConsumeQueue, TwoDirtyPagesAreFlushedWithinASecondFewerWithinAMinute) {
  StoreWorld world(small_store(FlushDiskType::async_flush));
  world.configuration.mapped_file_size_consume_queue = 20'000;
  world.configuration.mapped_file_size_commit_log = 1 << 20;
  StoreProcess broker(world);
  world.run_for(Duration::ms(1500));  // The first round, after one second, is thorough.
  const Duration start = world.now();
  broker.put(message_of(10));
  world.run_to(start + Duration::ms(1));
  const auto durable = [&world] { return front(world.files.at(queue_file(0)).durable, 1); };
  world.run_to(start + Duration::s(59));
  EXPECT_EQ(durable(), std::string(40, '0'));
  world.run_to(start + Duration::ms(59'500));  // 61 s after the start of the service.
  EXPECT_EQ(durable(), unit_hex(0, record_of(10)));
  for (int i = 0; i < 410; ++i) broker.put(message_of(10));
  world.run_for(Duration::s(1));
  EXPECT_EQ(broker.queue()->has_unflushed(), false);
}

TEST(StoreConsumeQueue, AnOrderlyStopFlushesTheUnits) {
  StoreWorld world(small_store(FlushDiskType::async_flush));
  StoreProcess broker(world);
  world.run_for(Duration::ms(1500));
  broker.put(message_of(10));
  broker.stop();
  world.power_cycle();
  EXPECT_EQ(front(world.files.at(queue_file(0)).durable, 1), unit_hex(0, record_of(10)));
}

TEST(StoreConsumeQueue, AFailedFlushIsOnlyLoggedByTheFaithfulStoreAndStopsTheHardenedOne) {
  for (const bool hardened : {false, true}) {
    StoreWorld world(small_store(FlushDiskType::async_flush));
    world.configuration.behaviour = *Behaviour::preset(hardened ? "hardened" : "rocketmq-5.3.3");
    world.files.failing_path = kQueues;
    world.files.sync_failures = 1;
    StoreProcess broker(world);
    broker.put(message_of(10));
    world.run_for(Duration::ms(1100));
    EXPECT_EQ(world.count(EventName::store_queue_flush_failed), 1u);
    EXPECT_EQ(broker.queue()->has_unflushed(), hardened);
    EXPECT_EQ(broker.store().writable(), !hardened);
    broker.stop();
    EXPECT_EQ(world.files.exists("/store/abort"), hardened);
  }
}

TEST(StoreConsumeQueue, AFileThatCanNotBeMadeIsTriedAgainEachSecond) {
  StoreWorld world;
  world.files.failing_path = kQueues;
  world.files.map_failures = 3;
  StoreProcess broker(world);
  EXPECT_EQ(broker.put_now(message_of(10)).status, PutStatus::put_ok);
  EXPECT_TRUE(broker.units().empty());
  world.run_for(Duration::ms(2100));
  EXPECT_EQ(broker.units().size(), 1u);
  EXPECT_TRUE(broker.store().writable());
}

TEST(StoreConsumeQueue, After30AttemptsTheUnitIsGivenUpAndTheStoreTakesNoMessage) {
  StoreWorld world;
  world.files.failing_path = kQueues;
  world.files.map_failures = 30;
  StoreProcess broker(world);
  EXPECT_EQ(broker.put_now(message_of(10)).status, PutStatus::put_ok);
  world.run_for(Duration::ms(27'900));
  EXPECT_TRUE(broker.store().writable());
  world.run_for(Duration::ms(200));
  EXPECT_FALSE(broker.store().writable());
  EXPECT_EQ(world.count(EventName::store_queue_write_failed), 1u);
  EXPECT_EQ(broker.put_now(message_of(10)).status, PutStatus::service_not_available);
  broker.stop();
  EXPECT_TRUE(world.files.exists("/store/abort"));
  // The start that follows is an abnormal one and makes up for it.
  StoreProcess next(world);
  EXPECT_EQ(next.units().size(), 1u);
}

TEST(StoreConsumeQueue, AFailedWriteLeavesAHoleInTheFaithfulQueueAndIsTriedAgainByTheHardened) {
  for (const bool hardened : {false, true}) {
    StoreWorld world;
    world.configuration.behaviour = *Behaviour::preset(hardened ? "hardened" : "rocketmq-5.3.3");
    StoreProcess broker(world);
    broker.put_now(message_of(10));
    world.files.failing_path = kQueues;
    world.files.store_failures = 1;
    broker.put_now(message_of(10));
    broker.put_now(message_of(10));
    world.run_for(Duration::s(2));
    ASSERT_EQ(broker.units().size(), 3u);
    EXPECT_EQ(broker.units()[1].valid(), hardened);
    EXPECT_TRUE(broker.units()[2].valid());
    // A message of which consumers never hear, although it was answered with success.
    EXPECT_EQ(broker.get(1).status, hardened ? GetStatus::found : GetStatus::message_was_removing);
  }
}

TEST(StoreConsumeQueue, AFileOfTheWrongSizeRefusesTheStart) {
  StoreWorld world;
  world.files.put(queue_file(0), Bytes(180));
  StoreProcess broker(world);
  EXPECT_EQ(broker.error(), ErrorCode::invalid_argument);
}

TEST(StoreConsumeQueue, OnlyDirectoriesNamedByNumbersAreQueues) {
  StoreWorld world;
  world.files.put("/store/consumequeue/stray", Bytes(3));
  world.files.put("/store/consumequeue/T/stray/file", Bytes(3));
  world.files.put("/store/consumequeue/T/note", Bytes(3));
  StoreProcess broker(world);
  EXPECT_TRUE(broker.started());
}

}  // namespace
}  // namespace drydock::test
