// The store as a whole: what a put writes, how files roll, what is refused, and what a kill, a stop
// and a power loss leave.
#include "engine/store/message_store.hpp"

#include <gtest/gtest.h>

#include "tests/support/store_world.hpp"

namespace drydock::test {
namespace {

TEST(StoreMessageStore, APutWritesTheRecordAsTheCodecDoes) {
  StoreWorld world;
  StoreProcess broker(world);
  IncomingMessage what = message("Hello", 3);
  what.properties = SharedBytes::copy_of("KEYS\x01k1\x02");
  what.flag = 5;
  what.born_ms = 77;
  what.reconsume_times = 2;
  const PutResult put = broker.put_now(what);
  ASSERT_EQ(put.status, PutStatus::put_ok);
  EXPECT_EQ(put.offset, PhysicalOffset(0));
  EXPECT_EQ(put.queue_offset, QueueOffset(0));
  const RecordContent content{.queue_id = 3,
                              .flag = 5,
                              .born_ms = 77,
                              .born_host = what.born_host,
                              .store_host = {0x0a000001, 10'911},
                              .reconsume_times = 2,
                              .body = as_byte_span("Hello"),
                              .topic = as_byte_span("T"),
                              .properties = what.properties.span()};
  SharedBytes expected = encode_record(content);
  place_record(expected.writable(), RecordPlace{QueueOffset(0), PhysicalOffset(0), put.store_ms});
  const Bytes& file = world.files.at(log_file(0)).cached;
  EXPECT_EQ(hex(std::span(file).first(expected.size())), hex(expected.span()));
}

TEST(StoreMessageStore, EachQueueCountsItsOwnMessages) {
  StoreWorld world;
  StoreProcess broker(world);
  EXPECT_EQ(broker.put_now(message_of(1, 0)).queue_offset, QueueOffset(0));
  EXPECT_EQ(broker.put_now(message_of(1, 0)).queue_offset, QueueOffset(1));
  EXPECT_EQ(broker.put_now(message_of(1, 5)).queue_offset, QueueOffset(0));
  IncomingMessage other = message_of(1, 0);
  other.topic = SharedBytes::copy_of("other");
  EXPECT_EQ(broker.put_now(other).queue_offset, QueueOffset(0));
  EXPECT_EQ(broker.put_now(message_of(1, 0)).queue_offset, QueueOffset(2));
}

// A message leaves at least 8 bytes free: exactly 8 fit, 7 do not.
TEST(StoreRoll, ABlankRecordClosesAFileThatHasNotEightBytesMoreThanTheMessage) {
  for (const std::int64_t free_behind : {8, 7}) {
    StoreWorld world;
    StoreProcess broker(world);
    broker.put_now(message_of(1000));
    const std::int64_t at = record_of(1000);
    const auto body = static_cast<std::size_t>(kFileBytes - at - free_behind - record_of(0));
    const PutResult put = broker.put_now(message_of(body));
    ASSERT_EQ(put.status, PutStatus::put_ok);
    EXPECT_EQ(put.offset.value(), free_behind == 8 ? at : kFileBytes);
    if (free_behind == 8) continue;
    const auto blank =
        std::span(world.files.at(log_file(0)).cached).subspan(static_cast<std::size_t>(at), 8);
    EXPECT_EQ(hex(blank), hex(encode_blank(static_cast<std::int32_t>(kFileBytes - at))));
  }
}

TEST(StoreRoll, TheFileAfterTheNextOneIsMadeInAdvance) {
  StoreWorld world;
  StoreProcess broker(world);
  EXPECT_FALSE(world.files.exists(log_file(0)));
  broker.put_now(message_of(10));
  EXPECT_TRUE(world.files.exists(log_file(0)));
  EXPECT_TRUE(world.files.exists(log_file(kFileBytes)));
  EXPECT_FALSE(world.files.exists(log_file(2 * kFileBytes)));
  broker.put_now(message_of(3900));
  EXPECT_TRUE(world.files.exists(log_file(2 * kFileBytes)));
  EXPECT_EQ(world.count(EventName::store_file_created), 3u);
}

TEST(StoreRoll, AFileThatCannotBeMadeRefusesTheSendAndIsTriedAgain) {
  StoreWorld world;
  StoreProcess broker(world);
  world.files.map_failures = 3;
  const PendingPut first = broker.put(message_of(10));
  world.run_for(Duration::ms(10));
  EXPECT_EQ(first->status(), PutStatus::put_ok);  // It waited while the thread tried again.
  EXPECT_EQ(first->result->offset, PhysicalOffset(0));
}

TEST(StoreRoll, ACrashBetweenBlankAndRollLosesNothing) {
  StoreWorld world;
  StoreProcess broker(world);
  broker.put_now(message_of(3000));
  broker.process().chaos().arm(CrashPoint::store_between_blank_and_roll, 1,
                               [&broker] { broker.process().kill(); });
  const PendingPut lost = broker.put(message_of(2000));
  world.run_for(Duration::s(1));
  EXPECT_FALSE(lost->done());
  StoreProcess next(world);
  EXPECT_EQ(next.end(), kFileBytes);  // The next file had been made in advance.
  EXPECT_EQ(next.put_now(message_of(2000)).offset.value(), kFileBytes);
}

TEST(StoreRefusals, WhatIsTooLongOrEmptyIsIllegal) {
  StoreWorld world;
  world.configuration.max_message_size = 1000;
  StoreProcess broker(world);
  EXPECT_EQ(broker.put_now(message_of(1001)).status, PutStatus::message_illegal);
  EXPECT_EQ(broker.put_now(message_of(0)).status, PutStatus::message_illegal);
  IncomingMessage no_topic = message_of(10);
  no_topic.topic = {};
  EXPECT_EQ(broker.put_now(no_topic).status, PutStatus::message_illegal);
  IncomingMessage long_topic = message_of(10);
  long_topic.topic = SharedBytes::copy_of(std::string(128, 't'));
  EXPECT_EQ(broker.put_now(long_topic).status, PutStatus::message_illegal);
  IncomingMessage properties = message_of(10);
  properties.properties = SharedBytes::copy_of(std::string(32'768, 'p'));
  EXPECT_EQ(broker.put_now(properties).status, PutStatus::properties_size_exceeded);
  EXPECT_EQ(broker.put_now(message_of(1000)).status, PutStatus::put_ok);
  EXPECT_EQ(broker.end(), record_of(1000));  // Refused messages leave no trace.
}

// Where RocketMQ would answer with success and store nothing.
TEST(StoreRefusals, AMessageThatFitsNoFileIsIllegal) {
  StoreWorld world;
  StoreProcess broker(world);
  const std::int64_t largest = kFileBytes - 8 - record_of(0);
  EXPECT_EQ(broker.put_now(message_of(static_cast<std::size_t>(largest) + 1)).status,
            PutStatus::message_illegal);
  EXPECT_EQ(broker.put_now(message_of(static_cast<std::size_t>(largest))).status,
            PutStatus::put_ok);
}

TEST(StoreRefusals, APutLockThatIsHeldForMoreThanASecondMeansBusy) {
  StoreWorld world;
  StoreProcess broker(world);
  broker.put_now(message_of(10));
  world.files.block_stores = true;
  world.files.store_time = Duration::s(3);
  const PendingPut stuck = broker.put(message_of(10));
  world.run_for(Duration::ms(1000));
  EXPECT_FALSE(broker.store().os_page_cache_busy());
  world.run_for(Duration::ns(1));
  EXPECT_TRUE(broker.store().os_page_cache_busy());
  EXPECT_EQ(broker.put_now(message_of(10)).status, PutStatus::os_page_cache_busy);
  world.run_for(Duration::s(2));
  EXPECT_EQ(stuck->status(), PutStatus::put_ok);
  EXPECT_FALSE(broker.store().os_page_cache_busy());
}

TEST(StoreLife, TheSlowPathOfAStoreWritesTheSameBytes) {
  StoreWorld world;
  world.files.block_stores = true;
  StoreProcess broker(world);
  for (int i = 0; i < 5; ++i) ASSERT_EQ(broker.put_now(message_of(1500)).status, PutStatus::put_ok);
  EXPECT_EQ(broker.end(), 2 * kFileBytes + record_of(1500));
  broker.kill();
  StoreProcess next(world);
  EXPECT_EQ(next.end(), 2 * kFileBytes + record_of(1500));
}

TEST(StoreLife, AnOrderlyStopFlushesAndLeavesNoAbortFile) {
  StoreWorld world(small_store(FlushDiskType::async_flush));
  StoreProcess broker(world);
  EXPECT_TRUE(world.files.exists("/store/abort"));
  EXPECT_EQ(as_text(world.files.at("/store/lock").cached), "lock");
  world.run_for(Duration::s(1));
  broker.put(message_of(10));
  world.run_for(Duration::ms(1));
  broker.stop();
  EXPECT_EQ(broker.process().end(), sim::ProcessEnd::exited);
  EXPECT_FALSE(world.files.exists("/store/abort"));
  EXPECT_FALSE(world.files.at("/store/lock").locked);
  world.power_cycle();
  StoreProcess next(world);
  EXPECT_EQ(next.end(), record_of(10));
}

TEST(StoreLife, AKillLosesNothingThatWasAppended) {
  StoreWorld world(small_store(FlushDiskType::async_flush));
  StoreProcess broker(world);
  for (int i = 0; i < 20; ++i) broker.put_now(message_of(500));
  const std::int64_t end = broker.end();
  broker.kill();
  EXPECT_TRUE(world.files.exists("/store/abort"));
  StoreProcess next(world);
  EXPECT_EQ(next.end(), end);
  EXPECT_EQ(next.put_now(message_of(500)).queue_offset, QueueOffset(20));
}

TEST(StoreLife, APowerLossKeepsWhatWasSyncedAndCutsTheRest) {
  StoreWorld world(small_store(FlushDiskType::async_flush));
  StoreProcess broker(world);
  world.run_for(Duration::ms(100));
  broker.put(message_of(500));
  world.run_for(Duration::ms(500));  // The first round is thorough.
  broker.put(message_of(500));
  world.run_for(Duration::ms(1));
  EXPECT_EQ(broker.end(), 2 * record_of(500));
  world.power_cycle();
  StoreProcess next(world);
  EXPECT_EQ(next.end(), record_of(500));
}

TEST(StoreLife, WithSyncFlushAPowerLossKeepsEveryAnsweredMessage) {
  StoreWorld world;
  world.files.sync_time = Duration::ms(2);
  StoreProcess broker(world);
  std::vector<PendingPut> puts;
  for (int i = 0; i < 50; ++i) {
    puts.push_back(broker.put(message_of(300)));
    world.run_for(Duration::us(700));
  }
  std::int64_t acknowledged_end = 0;
  for (const PendingPut& put : puts) {
    if (put->status() != PutStatus::put_ok) continue;
    acknowledged_end = std::max(acknowledged_end, put->result->offset.value() + put->result->bytes);
  }
  ASSERT_GT(acknowledged_end, 0);
  ASSERT_LT(acknowledged_end, broker.end());  // Some are not answered yet.
  world.power_cycle();
  StoreProcess next(world);
  EXPECT_GE(next.end(), acknowledged_end);
}

// Every crash point of a put, first by a kill, then by a power loss.
TEST(StoreLife, ACrashAtAnyPointOfAPutLeavesTheAnsweredMessages) {
  for (const CrashPoint point : {CrashPoint::store_before_append, CrashPoint::store_after_append,
                                 CrashPoint::store_before_flush, CrashPoint::store_after_flush}) {
    for (const bool power : {false, true}) {
      StoreWorld world;
      StoreProcess broker(world);
      broker.put_now(message_of(100));
      broker.process().chaos().arm(point, 1, [&] {
        if (power) {
          world.host().lose_power();
        } else {
          broker.process().kill();
        }
      });
      const PendingPut put = broker.put(message_of(100));
      world.run_for(Duration::s(1));
      ASSERT_FALSE(put->done()) << name_of(point);
      if (power) {
        world.files.lose_power();
        world.host().restore_power();
        world.run_for(Duration());
      }
      StoreProcess next(world);
      const bool stored = next.end() == 2 * record_of(100);
      const bool in_cache = point != CrashPoint::store_before_append;
      const bool durable = point == CrashPoint::store_after_flush;
      EXPECT_EQ(stored, power ? durable : in_cache) << name_of(point);
      EXPECT_GE(next.end(), record_of(100));
    }
  }
}

}  // namespace
}  // namespace drydock::test
