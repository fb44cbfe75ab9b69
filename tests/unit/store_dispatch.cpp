// Dispatch: when a message becomes visible, what an idle dispatcher costs, what it passes over, and
// how it ends.
#include "engine/store/dispatch_service.hpp"

#include <gtest/gtest.h>

#include "tests/support/store_world.hpp"

namespace drydock::test {
namespace {

std::int64_t visible(StoreProcess& broker) {
  ConsumeQueue* const queue = broker.queue();
  return queue == nullptr ? 0 : queue->max_offset().value();
}

TEST(StoreDispatch, AMessageIsVisibleAtTheNextMillisecondOfTheGrid) {
  StoreWorld world(small_store(FlushDiskType::async_flush));
  StoreProcess broker(world);
  const Duration start = world.now();
  world.run_to(start + Duration::us(5300));
  broker.put(message_of(10));
  world.run_to(start + Duration::ms(6) - Duration::ns(1));
  EXPECT_EQ(visible(broker), 0);
  world.run_to(start + Duration::ms(6));
  EXPECT_EQ(visible(broker), 1);
  EXPECT_EQ(world.count(EventName::store_dispatched), 1u);
  EXPECT_EQ(broker.store().dispatch_behind(), 0);
}

TEST(StoreDispatch, WithSyncFlushAMessageIsVisibleOnlyOnceItIsFlushed) {
  StoreWorld world;
  world.files.sync_time = Duration::ms(50);
  StoreProcess broker(world);
  world.run_for(Duration::s(2));
  broker.put(message_of(10));
  world.run_for(Duration::ms(49));
  EXPECT_EQ(visible(broker), 0);
  world.run_for(Duration::ms(3));
  EXPECT_EQ(visible(broker), 1);
}

TEST(StoreDispatch, ReadUncommittedShowsItEarlier) {
  StoreWorld world;
  world.configuration.read_uncommitted = true;
  world.files.sync_time = Duration::ms(50);
  StoreProcess broker(world);
  world.run_for(Duration::s(2));
  broker.put(message_of(10));
  world.run_for(Duration::ms(2));
  EXPECT_EQ(visible(broker), 1);
}

TEST(StoreDispatch, FollowsTheLogIntoTheNextFile) {
  StoreWorld world;
  StoreProcess broker(world);
  for (int i = 0; i < 5; ++i) broker.put_now(message_of(1500));
  ASSERT_EQ(broker.units().size(), 5u);
  EXPECT_EQ(broker.units()[2].physical, PhysicalOffset(kFileBytes));
  EXPECT_EQ(broker.store().dispatch().position().value(), broker.end());
}

TEST(StoreDispatch, TheCheckpointTellsWhatWasDispatched) {
  StoreWorld world;
  StoreProcess broker(world);
  world.run_for(Duration::ms(1500));
  const PutResult put = broker.put_now(message_of(10));
  EXPECT_EQ(broker.store().checkpoint().fields().logics_ms, put.store_ms);
  EXPECT_EQ(read_big_endian<std::int64_t>(world.files.at("/store/checkpoint").durable.data() + 8),
            put.store_ms);
}

// Damages the record at `at` in the page cache while the broker runs.
void damage(StoreWorld& world, std::int64_t at, std::int32_t wrong) {
  write_big_endian(world.files.at(log_file(0)).cached.data() + at, wrong);
}

class UnreadableRecord : public ::testing::Test {
 protected:
  UnreadableRecord() : world(small_store(FlushDiskType::async_flush)), broker(world) {
    broker.put_now(message_of(10));
    at = broker.end();
    // All three within one millisecond, so that dispatch finds them together.
    for (int i = 0; i < 3; ++i) broker.put(message_of(10));
    world.run_for(Duration());
  }
  StoreWorld world;
  StoreProcess broker;
  std::int64_t at = 0;
};

// Pitfall 27: the intact messages behind the damage never reach a queue.
TEST_F(UnreadableRecord, MakesDispatchSkipTheRestOfWhatIsThere) {
  damage(world, at + 4, 0);
  world.run_for(Duration::s(1));
  EXPECT_EQ(visible(broker), 1);
  EXPECT_EQ(world.count(EventName::store_dispatch_skipped), 1u);
  EXPECT_EQ(broker.store().dispatch_behind(), 0);
  EXPECT_EQ(broker.put_now(message_of(10)).queue_offset, QueueOffset(4));
  EXPECT_EQ(visible(broker), 2);  // Number 4 became number 1.
  EXPECT_EQ(world.count(EventName::store_queue_gap), 1u);
}

TEST_F(UnreadableRecord, WithAWrongTotalIsSkippedAlone) {
  damage(world, at, static_cast<std::int32_t>(2 * record_of(10)));
  world.run_for(Duration::s(1));
  EXPECT_EQ(visible(broker), 2);  // Its total is believed: the one behind it goes with it.
  EXPECT_EQ(world.count(EventName::store_dispatch_skipped), 1u);
}

TEST(StoreDispatch, AnOrderlyStopDispatchesWhatIsLeft) {
  StoreWorld world(small_store(FlushDiskType::async_flush));
  StoreProcess broker(world);
  world.run_for(Duration::ms(10));
  broker.put(message_of(10));
  broker.stop();
  EXPECT_FALSE(world.files.exists("/store/abort"));
  StoreProcess next(world);
  EXPECT_EQ(next.units().size(), 1u);
}

TEST(StoreDispatch, AStopWithABacklogGivesUpAfter5SecondsAndKeepsTheAbortFile) {
  StoreWorld world;
  world.files.failing_path = "consumequeue";
  world.files.map_failures = 30;
  StoreProcess broker(world);
  broker.put_now(message_of(10));
  broker.process().terminate();
  world.run_for(Duration::ms(4900));
  EXPECT_TRUE(world.files.at("/store/lock").locked);
  world.run_for(Duration::ms(200));
  EXPECT_EQ(broker.process().end(), sim::ProcessEnd::exited);
  EXPECT_TRUE(world.files.exists("/store/abort"));
}

// Before and behind the write of a unit, a kill loses nothing: recovery dispatches again.
TEST(StoreDispatch, AKillAroundTheWriteOfAUnitIsMadeUpForByRecovery) {
  for (const CrashPoint point :
       {CrashPoint::store_before_dispatch, CrashPoint::store_after_dispatch}) {
    StoreWorld world;
    StoreProcess broker(world);
    broker.put_now(message_of(10));
    broker.process().chaos().arm(point, 1, [&broker] { broker.process().kill(); });
    broker.put(message_of(10));
    world.run_for(Duration::s(1));
    ASSERT_EQ(broker.process().end(), sim::ProcessEnd::killed) << name_of(point);
    StoreProcess next(world);
    EXPECT_EQ(next.units().size(), 2u) << name_of(point);
  }
}

// The points of the flush of the queues, of the checkpoint and of an orderly stop.
TEST(StoreDispatch, AKillAtAnyLaterPointLosesNothingEither) {
  for (const CrashPoint point :
       {CrashPoint::store_before_queue_flush, CrashPoint::store_after_queue_flush,
        CrashPoint::store_before_checkpoint_write, CrashPoint::store_after_abort_removed}) {
    StoreWorld world;
    StoreProcess broker(world);
    for (int i = 0; i < 3; ++i) broker.put(message_of(10));
    world.run_for(Duration::ms(10));
    broker.process().chaos().arm(point, 1, [&broker] { broker.process().kill(); });
    broker.stop();
    ASSERT_EQ(broker.process().end(), sim::ProcessEnd::killed) << name_of(point);
    StoreProcess next(world);
    EXPECT_EQ(next.units().size(), 3u) << name_of(point);
    EXPECT_EQ(next.end(), 3 * record_of(10)) << name_of(point);
  }
}

}  // namespace
}  // namespace drydock::test
