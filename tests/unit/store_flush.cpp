// When a message is durable and when its sender hears of it: group commit, periodic flush, failed
// syncs. Times are worked out by hand from the intervals of the configuration.
#include "engine/store/flush_service.hpp"

#include <gtest/gtest.h>

#include "tests/support/store_world.hpp"

namespace drydock::test {
namespace {

std::vector<PendingPut> put_many(StoreProcess& broker, int count) {
  std::vector<PendingPut> puts;
  for (int i = 0; i < count; ++i) puts.push_back(broker.put(message_of(10)));
  return puts;
}
int done(const std::vector<PendingPut>& puts) {
  return static_cast<int>(std::ranges::count_if(puts, [](const PendingPut& p) {
    return p->done() && p->result->status == PutStatus::put_ok;
  }));
}

// Bytes of the log's first file that a power loss would leave.
std::int64_t durable_records(StoreWorld& world) {
  std::int64_t count = 0;
  std::span<const std::byte> rest(world.files.at(log_file(0)).durable);
  RecordView view;
  for (;;) {
    const RecordCheck check =
        check_record(rest, static_cast<std::int64_t>(rest.size()), ContentCheck::body_crc, view);
    if (!check.good()) return count;
    rest = rest.subspan(static_cast<std::size_t>(check.size));
    ++count;
  }
}

TEST(StoreGroupCommit, ASendIsAnsweredWhenTheSyncHasReturnedAndNotBefore) {
  StoreWorld world;
  world.files.sync_time = Duration::ms(3);
  StoreProcess broker(world);
  world.run_for(Duration::s(1));
  const Duration start = world.now();
  const PendingPut put = broker.put(message_of(10));
  world.run_for(Duration::ms(3) - Duration::ns(1));
  EXPECT_FALSE(put->done());
  EXPECT_EQ(durable_records(world), 0);
  world.run_for(Duration::ns(1));
  EXPECT_EQ(put->status(), PutStatus::put_ok);
  EXPECT_EQ(put->at, start + Duration::ms(3));  // Nobody waits for the 10 ms of the loop.
  EXPECT_EQ(durable_records(world), 1);
}

TEST(StoreGroupCommit, SendsOfOneMomentShareOneSyncAndLaterOnesTheNext) {
  StoreWorld world;
  world.files.sync_time = Duration::ms(3);
  StoreProcess broker(world);
  world.run_for(Duration::s(1));
  ASSERT_EQ(broker.put_now(message_of(10)).status, PutStatus::put_ok);  // Now there is a file.
  const std::uint64_t before = world.count(EventName::store_flushed);
  const auto first = put_many(broker, 10);
  world.run_for(Duration::ms(1));
  const auto second = put_many(broker, 10);  // While the first sync is under way.
  world.run_for(Duration::ms(2));
  EXPECT_EQ(done(first), 10);
  EXPECT_EQ(done(second), 0);
  world.run_for(Duration::ms(3));
  EXPECT_EQ(done(second), 10);
  EXPECT_EQ(world.count(EventName::store_flushed) - before, 2u);
}

TEST(StoreGroupCommit, WaitFalseIsAnsweredAtOnceAndSyncedAllTheSame) {
  StoreWorld world;
  world.files.sync_time = Duration::ms(3);
  StoreProcess broker(world);
  world.run_for(Duration::s(1));
  IncomingMessage fast = message_of(10);
  fast.wait_store_ok = false;
  const PendingPut put = broker.put(std::move(fast));
  world.run_for(Duration());
  EXPECT_EQ(put->status(), PutStatus::put_ok);
  EXPECT_EQ(durable_records(world), 0);
  world.run_for(Duration::ms(10));
  EXPECT_EQ(durable_records(world), 1);
}

TEST(StoreGroupCommit, ASyncThatHangsMakesSendsTimeOutAfter5Seconds) {
  StoreWorld world;
  StoreProcess broker(world);
  world.run_for(Duration::s(1));
  world.files.sync_time = Duration::s(20);
  const Duration start = world.now();
  const PendingPut put = broker.put(message_of(10));
  world.run_for(Duration::s(5));
  EXPECT_EQ(put->status(), PutStatus::flush_disk_timeout);
  EXPECT_EQ(put->at, start + Duration::s(5));
  EXPECT_TRUE(counts_as_sent(*put->status()));  // It is in the log and has its id.
  world.run_for(Duration::s(30));
  EXPECT_EQ(durable_records(world), 1);
}

TEST(StoreGroupCommit, AMessageAtTheStartOfANewFileNeedsTwoFlushes) {
  StoreWorld world;
  StoreProcess broker(world);
  ASSERT_EQ(broker.put_now(message_of(3000)).status, PutStatus::put_ok);
  const int before = world.files.syncs;
  ASSERT_EQ(broker.put_now(message_of(2000)).offset.value(), kFileBytes);
  EXPECT_GE(world.files.syncs - before, 2);
  EXPECT_EQ(broker.store().commit_log().flushed_to().value(), broker.end());
}

TEST(StoreGroupCommit, AFailedSyncIsOnlyLoggedByTheFaithfulStore) {
  StoreWorld world;
  StoreProcess broker(world);
  world.run_for(Duration::s(1));
  world.files.sync_failures = 1;
  EXPECT_EQ(broker.put_now(message_of(10)).status, PutStatus::put_ok);
  EXPECT_EQ(world.count(EventName::store_flush_failed), 1u);
  EXPECT_EQ(broker.store().commit_log().flushed_to().value(), broker.end());
  EXPECT_EQ(durable_records(world), 0);
  world.power_cycle();
  StoreProcess next(world);
  EXPECT_EQ(next.end(), 0);  // An acknowledged message is lost.
}

TEST(StoreGroupCommit, AFailedSyncStopsTheHardenedStore) {
  StoreWorld world;
  world.configuration.behaviour = *Behaviour::preset("hardened");
  StoreProcess broker(world);
  world.run_for(Duration::s(1));
  world.files.sync_failures = 1;
  EXPECT_EQ(broker.put_now(message_of(10)).status, PutStatus::flush_disk_timeout);
  EXPECT_EQ(broker.store().commit_log().flushed_to(), PhysicalOffset(0));
  EXPECT_FALSE(broker.store().writable());
  EXPECT_EQ(broker.put_now(message_of(10)).status, PutStatus::service_not_available);
  broker.stop();
  EXPECT_TRUE(world.files.exists("/store/abort"));  // The next start is an abnormal one.
}

class AsyncFlush : public ::testing::Test {
 protected:
  AsyncFlush() : world(small_store(FlushDiskType::async_flush)) {}
  StoreWorld world;
};

TEST_F(AsyncFlush, SendsAreAnsweredBeforeAnySync) {
  StoreProcess broker(world);
  world.run_for(Duration::ms(1));
  const int before = world.files.syncs;
  const PendingPut put = broker.put(message_of(10));
  world.run_for(Duration());
  EXPECT_EQ(put->status(), PutStatus::put_ok);
  EXPECT_EQ(world.files.syncs, before);
}

// The first round, 500 ms after the start, is thorough; then less than 4 pages wait for the next
// thorough one, 10 s later.
TEST_F(AsyncFlush, FewBytesWaitForTheThoroughRound) {
  StoreProcess broker(world);
  world.run_for(Duration::ms(100));
  broker.put(message_of(10));
  world.run_for(Duration::ms(399));
  EXPECT_EQ(durable_records(world), 0);
  world.run_for(Duration::ms(1));
  EXPECT_EQ(durable_records(world), 1);
  broker.put(message_of(10));
  world.run_for(Duration::ms(9999));
  EXPECT_EQ(durable_records(world), 1);
  world.run_for(Duration::ms(1));
  EXPECT_EQ(durable_records(world), 2);
}

TEST_F(AsyncFlush, FourPagesAreFlushedInTheNextRound) {
  world.configuration.mapped_file_size_commit_log = 1 << 20;
  StoreProcess broker(world);
  world.run_for(Duration::ms(600));
  broker.put(message_of(5 * 4096));
  world.run_for(Duration::ms(399));
  EXPECT_EQ(broker.store().commit_log().flushed_to(), PhysicalOffset(0));
  world.run_for(Duration::ms(1));
  EXPECT_EQ(broker.store().commit_log().flushed_to().value(), broker.end());
}

TEST_F(AsyncFlush, TheConfiguredIntervalAndPagesAreHonoured) {
  world.configuration.flush_interval_commit_log = Duration::ms(70);
  world.configuration.flush_commit_log_least_pages = 0;
  StoreProcess broker(world);
  world.run_for(Duration::ms(100));
  broker.put(message_of(10));
  world.run_for(Duration::ms(39));
  EXPECT_EQ(durable_records(world), 0);
  world.run_for(Duration::ms(1));
  EXPECT_EQ(durable_records(world), 1);
}

TEST_F(AsyncFlush, APutWakesTheUntimedServiceOnlyIfConfigured) {
  for (const bool wake : {false, true}) {
    StoreWorld other(small_store(FlushDiskType::async_flush));
    other.configuration.flush_commit_log_timed = false;
    other.configuration.wake_flush_when_put_message = wake;
    other.configuration.flush_commit_log_least_pages = 0;
    StoreProcess broker(other);
    other.run_for(Duration::ms(600));
    broker.put(message_of(10));
    other.run_for(Duration::ms(1));
    EXPECT_EQ(durable_records(other), wake ? 1 : 0);
    other.run_for(Duration::ms(500));
    EXPECT_EQ(durable_records(other), 1);
  }
}

TEST_F(AsyncFlush, ABuggifySiteFlushesEarly) {
  StoreProcess broker(world);
  world.run_for(Duration::ms(600));
  broker.process().chaos().enable(BuggifySite::store_flush_every_append, 1, 1);
  broker.put(message_of(10));
  world.run_for(Duration());
  EXPECT_EQ(durable_records(world), 1);
}

// All that a store has to look after by the clock is the disk, which others fill, too.
TEST(StoreIdle, AnIdleStoreCostsAnEventForEachLookAtTheDisk) {
  for (const FlushDiskType type : {FlushDiskType::sync_flush, FlushDiskType::async_flush}) {
    StoreWorld world(small_store(type));
    StoreProcess broker(world);
    broker.put_now(message_of(10));
    world.run_for(Duration::s(70));  // A unit alone waits for the thorough flush of the queues.
    const std::uint64_t before = world.kernel.events();
    world.run_for(Duration::s(3600));
    EXPECT_EQ(world.kernel.events(), before + 3600 / 10);
  }
}

// The same instants with and without a long idle time in front.
TEST(StoreIdle, AfterIdleTimeTheServiceActsAtTheInstantsOfItsOldGrid) {
  StoreWorld world(small_store(FlushDiskType::async_flush));
  world.configuration.flush_commit_log_least_pages = 0;
  StoreProcess broker(world);
  const Duration start = world.now();
  world.run_to(start + Duration::s(3600) + Duration::ms(1));
  broker.put(message_of(10));
  world.run_to(start + Duration::s(3600) + Duration::ms(499));
  EXPECT_EQ(durable_records(world), 0);
  world.run_to(start + Duration::s(3600) + Duration::ms(500));
  EXPECT_EQ(durable_records(world), 1);
}

TEST(StoreCheckpoint, IsWrittenWithinASecondAndHoldsTheLastFlushedStoreTime) {
  StoreWorld world;
  StoreProcess broker(world);
  world.run_for(Duration::ms(1500));
  const std::int64_t now_ms = world.host().clock().wall_now().count_ms();
  broker.put(message_of(10));
  world.run_for(Duration::ms(499));
  const auto field = [&world] {
    return read_big_endian<std::int64_t>(world.files.at("/store/checkpoint").durable.data());
  };
  EXPECT_EQ(field(), 0);
  world.run_for(Duration::ms(1));
  EXPECT_EQ(field(), now_ms);
  EXPECT_EQ(world.files.at("/store/checkpoint").durable.size(), 4096u);
}

TEST(StoreCheckpoint, FieldsLieAtTheirOffsets) {
  const CheckpointFields fields{1, 2, 3, 4, 5};
  const auto bytes = encode_checkpoint(fields);
  EXPECT_EQ(hex(bytes),
            "00000000000000010000000000000002000000000000000300000000000000040000000000000005");
  EXPECT_EQ(decode_checkpoint(bytes), fields);
}

}  // namespace
}  // namespace drydock::test
