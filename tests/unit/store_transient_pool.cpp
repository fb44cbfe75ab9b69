// What the transient pool does to a message: in memory of the process until the commit, in the page
// cache from then on, durable after a flush; and what its buffers do to those who need one. Times
// are worked out by hand from the intervals of the configuration.
#include "engine/store/transient_store_pool.hpp"

#include <gtest/gtest.h>

#include "tests/support/store_world.hpp"

namespace drydock::test {
namespace {

constexpr std::int64_t kRecord = record_of(10);

StoreConfiguration pooled_store(FlushDiskType flush = FlushDiskType::async_flush) {
  StoreConfiguration configuration = small_store(flush);
  configuration.transient_store_pool_enable = true;
  return configuration;
}

IncomingMessage not_waiting() {
  IncomingMessage made = message_of(10);
  made.wait_store_ok = false;
  return made;
}

// Where good records end in the bytes of the log's first file.
std::int64_t records_end(std::span<const std::byte> bytes) {
  std::int64_t end = 0;
  RecordView view;
  for (;;) {
    const auto rest = bytes.subspan(static_cast<std::size_t>(end));
    const RecordCheck check =
        check_record(rest, static_cast<std::int64_t>(rest.size()), ContentCheck::body_crc, view);
    if (!check.good()) return end;
    end += check.size;
  }
}
std::int64_t in_page_cache(StoreWorld& world) {
  return records_end(world.files.at(log_file(0)).cached);
}
std::int64_t durable(StoreWorld& world) { return records_end(world.files.at(log_file(0)).durable); }

class AsyncPool : public ::testing::Test {
 protected:
  explicit AsyncPool(StoreConfiguration store = pooled_store()) : world(std::move(store)) {}
  StoreWorld world;
};

// The put wakes the service, which finds less than 4 pages; it looks again 200 ms later.
TEST_F(AsyncPool, AMessageIsInNoFileUntilTheCommit) {
  StoreProcess broker(world);
  world.run_for(Duration::ms(1050));
  const PendingPut put = broker.put(message_of(10));
  world.run_for(Duration());
  EXPECT_EQ(put->status(), PutStatus::put_ok);
  world.run_for(Duration::ms(200) - Duration::ns(1));
  EXPECT_EQ(in_page_cache(world), 0);
  EXPECT_EQ(broker.end(), 0);
  EXPECT_TRUE(broker.store().commit_log().has_uncommitted());
  world.run_for(Duration::ns(1));
  EXPECT_EQ(in_page_cache(world), kRecord);
  EXPECT_EQ(broker.end(), kRecord);
  EXPECT_EQ(durable(world), 0);
  EXPECT_EQ(world.count(EventName::store_committed), 2u);  // One told the start.
  world.run_for(Duration::s(11));                          // The thorough flush.
  EXPECT_EQ(durable(world), kRecord);
}

TEST_F(AsyncPool, ReadersDispatchAndSlavesSeeWhatIsCommitted) {
  StoreProcess broker(world);
  world.run_for(Duration::s(1));
  const PendingPut put = broker.put(message_of(10));
  world.run_for(Duration::ms(150));
  EXPECT_TRUE(put->done());
  EXPECT_EQ(broker.queue(), nullptr);
  EXPECT_EQ(broker.store().log_end(), PhysicalOffset());
  EXPECT_EQ(broker.store().dispatch_behind(), 0);
  world.run_for(Duration::ms(60));
  EXPECT_EQ(broker.store().log_end(), PhysicalOffset(kRecord));
  EXPECT_EQ(broker.get(0).records.size(), 1u);
}

TEST_F(AsyncPool, AKillTakesWhatIsNotCommitted) {
  StoreProcess broker(world);
  world.run_for(Duration::s(1));
  ASSERT_EQ(broker.put_now(message_of(10)).status, PutStatus::put_ok);  // Committed meanwhile.
  const PendingPut put = broker.put(message_of(10));
  world.run_for(Duration());
  EXPECT_EQ(put->status(), PutStatus::put_ok);
  broker.kill();
  StoreProcess next(world);
  EXPECT_EQ(next.end(), kRecord);
}

TEST(StorePoolOff, AKillTakesNothing) {
  StoreWorld world(small_store(FlushDiskType::async_flush));
  StoreProcess broker(world);
  world.run_for(Duration::s(1));
  const PendingPut put = broker.put(message_of(10));
  world.run_for(Duration());
  EXPECT_EQ(put->status(), PutStatus::put_ok);
  broker.kill();
  StoreProcess next(world);
  EXPECT_EQ(next.end(), kRecord);
}

TEST_F(AsyncPool, APowerLossTakesWhatIsCommittedAndNotFlushedToo) {
  StoreProcess broker(world);
  world.run_for(Duration::ms(600));  // The first flush, which is thorough, is over.
  ASSERT_EQ(broker.put_now(message_of(10)).status, PutStatus::put_ok);
  EXPECT_EQ(in_page_cache(world), kRecord);
  world.power_cycle();
  StoreProcess next(world);
  EXPECT_EQ(next.end(), 0);
}

TEST_F(AsyncPool, AnOrderlyStopCommitsAndFlushesWhatIsLeft) {
  StoreProcess broker(world);
  world.run_for(Duration::s(1));
  broker.put(message_of(10));
  world.run_for(Duration());
  broker.stop();
  EXPECT_EQ(durable(world), kRecord);
  EXPECT_FALSE(world.files.exists("/store/abort"));
}

// An append does not touch the file, so nothing there can hold the put lock.
TEST_F(AsyncPool, APutDoesNotWaitForAMappedFileThatBlocks) {
  StoreProcess broker(world);
  world.run_for(Duration::s(1));
  world.files.block_stores = true;
  world.files.store_time = Duration::s(30);
  world.files.write_time = Duration::s(30);
  const PendingPut put = broker.put(message_of(10));
  world.run_for(Duration());
  EXPECT_EQ(put->status(), PutStatus::put_ok);
  world.run_for(Duration::s(2));
  EXPECT_FALSE(broker.store().os_page_cache_busy());
  EXPECT_EQ(broker.end(), 0);
}

TEST_F(AsyncPool, ACommitThatFailsIsTriedAgainWithAllThatHasCome) {
  StoreProcess broker(world);
  world.run_for(Duration::s(1));
  world.files.write_failures = 2;
  ASSERT_EQ(broker.put_now(message_of(10)).status, PutStatus::put_ok);
  ASSERT_EQ(broker.put_now(message_of(10)).status, PutStatus::put_ok);
  EXPECT_EQ(in_page_cache(world), 2 * kRecord);
  EXPECT_EQ(world.files.write_failures, 0);
}

// Each commit that fails has the bytes that the one before it had, and no others.
TEST_F(AsyncPool, CommitsThatFailCopyNothingAgain) {
  StoreProcess broker(world);
  world.run_for(Duration::s(1));
  world.files.write_failures = 3;
  world.files.write_sizes.clear();
  broker.put(message_of(10));
  world.run_for(Duration::ms(300));
  EXPECT_LT(world.files.write_failures, 3);
  broker.put(message_of(10));
  world.run_for(Duration::s(2));
  EXPECT_EQ(world.files.write_failures, 0);
  // Three that failed, the one that did not, and the second message.
  EXPECT_EQ(world.files.write_sizes, std::vector<std::int64_t>(5, kRecord));
  EXPECT_EQ(in_page_cache(world), 2 * kRecord);
}

TEST_F(AsyncPool, WhatComesDuringACommitIsTheNextOnes) {
  StoreProcess broker(world);
  world.run_for(Duration::s(1));
  world.files.write_time = Duration::ms(50);
  broker.put(message_of(10));
  world.run_for(Duration::ms(210));  // In the write.
  broker.put(message_of(10));
  world.run_for(Duration::ms(45));
  EXPECT_EQ(broker.end(), kRecord);
  world.run_for(Duration::ms(300));
  EXPECT_EQ(broker.end(), 2 * kRecord);
  EXPECT_EQ(in_page_cache(world), 2 * kRecord);
}

// One buffer for the file in use, one for the file behind it that is made in advance.
TEST_F(AsyncPool, BuffersComeBackWhenAllOfAFileIsCommitted) {
  StoreProcess broker(world);
  const CommitLog& log = broker.store().commit_log();
  EXPECT_EQ(log.free_buffers(), 5);
  ASSERT_EQ(broker.put_now(message_of(3000)).status, PutStatus::put_ok);
  EXPECT_EQ(log.free_buffers(), 3);
  const PendingPut put =
      broker.put(message_of(2000));  // The third file is made; the first is full.
  world.run_for(Duration());
  EXPECT_EQ(put->status(), PutStatus::put_ok);
  world.run_for(Duration::s(1));
  EXPECT_EQ(log.free_buffers(), 3);
  EXPECT_EQ(broker.end(), kFileBytes + record_of(2000));
}

TEST_F(AsyncPool, FilesAreTheSameBytesAsWithoutThePool) {
  const auto bytes_of = [](StoreConfiguration configuration) {
    StoreWorld world(std::move(configuration));
    StoreProcess broker(world);
    for (const std::size_t body : {3000, 900, 2000, 10}) broker.put_now(message_of(body));
    return std::pair(world.files.at(log_file(0)).cached,
                     world.files.at(log_file(kFileBytes)).cached);
  };
  EXPECT_EQ(bytes_of(pooled_store()), bytes_of(small_store(FlushDiskType::async_flush)));
}

// RocketMQ makes the buffers of files that a start finds no part of this.
TEST_F(AsyncPool, AFileThatAStartFindsIsWrittenThroughItsMap) {
  {
    StoreProcess broker(world);
    ASSERT_EQ(broker.put_now(message_of(10)).status, PutStatus::put_ok);
    broker.kill();
  }
  StoreProcess next(world);
  const PendingPut put = next.put(message_of(10));
  world.run_for(Duration());
  EXPECT_TRUE(put->done());
  EXPECT_EQ(next.store().commit_log().free_buffers(), 5);
  next.kill();
  StoreProcess last(world);
  EXPECT_EQ(last.end(), 2 * kRecord);
}

// A slave takes its master's bytes as they come.
TEST(StorePoolOff, ASlaveHasNoPool) {
  StoreConfiguration configuration = pooled_store();
  configuration.replica = true;
  StoreWorld world(configuration);
  StoreProcess broker(world);
  EXPECT_FALSE(broker.store().transient_store_pool_deficient());
  EXPECT_GT(broker.store().commit_log().free_buffers(), 5);
}

class SmallPool : public AsyncPool {
 protected:
  static StoreConfiguration with(std::int32_t size) {
    StoreConfiguration configuration = pooled_store();
    configuration.transient_store_pool_size = size;
    return configuration;
  }
  SmallPool() : AsyncPool(with(2)) {}
};

// The file in use and the one behind it have both: none is free until a file is full.
TEST_F(SmallPool, OfTwoBuffersIsDeficientWithItsFirstMessage) {
  StoreProcess broker(world);
  EXPECT_FALSE(broker.store().transient_store_pool_deficient());
  broker.put_now(message_of(10));
  EXPECT_TRUE(broker.store().transient_store_pool_deficient());
}

TEST_F(SmallPool, AFileWithoutABufferIsUnseenUntilTheNextStart) {
  world.configuration.transient_store_pool_size = 1;
  StoreProcess broker(world);
  broker.put_now(message_of(3000));
  broker.put_now(message_of(2000));  // Into the second file, for which there was none.
  EXPECT_EQ(broker.end(), kFileBytes);
  EXPECT_EQ(broker.get(0).records.size(), 1u);
  broker.kill();
  StoreProcess next(world);
  EXPECT_EQ(next.end(), kFileBytes + record_of(2000));
  EXPECT_EQ(next.get(0).records.size(), 2u);
}

TEST_F(SmallPool, FailingFastMakesNoFileWithoutABuffer) {
  world.configuration.transient_store_pool_size = 1;
  world.configuration.fast_fail_if_no_buffer_in_store_pool = true;
  StoreProcess broker(world);
  ASSERT_EQ(broker.put_now(message_of(3000)).status, PutStatus::put_ok);
  EXPECT_FALSE(world.files.exists(log_file(kFileBytes)));  // Nor in advance.
  world.files.write_time = Duration::s(60);                // So that its buffer stays away.
  EXPECT_EQ(broker.put_now(message_of(2000)).status, PutStatus::create_mapped_file_failed);
}

class SyncPool : public AsyncPool {
 protected:
  SyncPool() : AsyncPool(pooled_store(FlushDiskType::sync_flush)) {}
};

// Nothing wakes the commit: its next round comes at the next multiple of 200 ms.
TEST_F(SyncPool, ASendWaitsForTheNextRoundOfTheCommit) {
  StoreProcess broker(world);
  world.run_for(Duration::ms(1050));
  const PendingPut put = broker.put(message_of(10));
  world.run_for(Duration::ms(150) - Duration::ns(1));
  EXPECT_FALSE(put->done());
  world.run_for(Duration::ms(10));
  EXPECT_EQ(put->status(), PutStatus::put_ok);
  EXPECT_GE(put->at, Duration::ms(1200));
  EXPECT_EQ(durable(world), kRecord);
}

TEST_F(SyncPool, AnAnsweredSendOutlivesAPowerLoss) {
  StoreProcess broker(world);
  world.run_for(Duration::s(1));
  ASSERT_EQ(broker.put_now(message_of(10)).status, PutStatus::put_ok);
  broker.put(message_of(10));
  world.run_for(Duration::ms(100));
  world.power_cycle();
  StoreProcess next(world);
  EXPECT_EQ(next.end(), kRecord);
}

TEST_F(SyncPool, WaitFalseIsAnsweredAtOnceAndLostWithTheProcess) {
  StoreProcess broker(world);
  world.run_for(Duration::s(1));
  const PendingPut put = broker.put(not_waiting());
  world.run_for(Duration());
  EXPECT_EQ(put->status(), PutStatus::put_ok);
  broker.kill();
  StoreProcess next(world);
  EXPECT_EQ(next.end(), 0);
}

TEST_F(SyncPool, WaitFalseIsCommittedAndFlushedAllTheSame) {
  StoreProcess broker(world);
  world.run_for(Duration::s(1));
  broker.put(not_waiting());
  world.run_for(Duration::ms(220));
  EXPECT_EQ(durable(world), kRecord);
}

TEST_F(SyncPool, ACommitThatHangsMakesSendsTimeOut) {
  StoreProcess broker(world);
  world.run_for(Duration::s(1));
  world.files.write_time = Duration::s(20);
  const PendingPut put = broker.put(message_of(10));
  world.run_for(Duration::s(5));
  EXPECT_EQ(put->status(), PutStatus::flush_disk_timeout);
  world.run_for(Duration::s(20));
  EXPECT_EQ(durable(world), kRecord);
}

}  // namespace
}  // namespace drydock::test
