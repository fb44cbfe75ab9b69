// Where the log ends after a stop or a crash: logs as brokers leave them behind, and the end that
// recovery finds. Files have 4096 bytes; records are those of message_of(n): n + 92 bytes.
#include "engine/store/recovery.hpp"

#include <gtest/gtest.h>

#include "tests/support/store_world.hpp"

namespace drydock::test {
namespace {

constexpr std::int64_t kBodyAt = 88;  // Offset of the body inside a record.

TEST(StoreRecovery, TheTimestampIsTheOlderOfTheCheckpointsLess3Seconds) {
  const auto of = [](std::int64_t physical_ms, std::int64_t logics_ms) {
    return recovery_timestamp({.physical_ms = physical_ms, .logics_ms = logics_ms},
                              IndexNeeds::nothing);
  };
  EXPECT_EQ(of(10'000, 10'000), 7000);
  EXPECT_EQ(of(10'000, 8000), 5000);
  EXPECT_EQ(of(8000, 10'000), 5000);
  EXPECT_EQ(of(2999, 2999), 0);
  EXPECT_EQ(of(10'000, 0), 0);
}

TEST(StoreRecovery, AnIndexThatNeedsEveryMessageMayTakeTheTimestampBack) {
  const auto of = [](std::int64_t index_ms, IndexNeeds needs) {
    return recovery_timestamp({.physical_ms = 10'000, .logics_ms = 10'000, .index_ms = index_ms},
                              needs);
  };
  EXPECT_EQ(of(5000, IndexNeeds::every_message), 5000);
  EXPECT_EQ(of(9000, IndexNeeds::every_message), 7000);
  EXPECT_EQ(of(0, IndexNeeds::every_message), 0);
  EXPECT_EQ(of(5000, IndexNeeds::nothing), 7000);
}

TEST(StoreRecovery, AnOrderlyStartBeginsAtTheNewestFileThatTheQueuesKnow) {
  const PhysicalOffset starts[] = {PhysicalOffset(0), PhysicalOffset(100), PhysicalOffset(200)};
  EXPECT_EQ(normal_start_file(starts, -1), 0u);
  EXPECT_EQ(normal_start_file(starts, 99), 0u);
  EXPECT_EQ(normal_start_file(starts, 100), 1u);
  EXPECT_EQ(normal_start_file(starts, 5000), 2u);
}

TEST(StoreRecovery, StepsFollowTheCheck) {
  const RecordCheck good{.size = 10, .success = true};
  const RecordCheck blank{.size = 0, .success = true};
  const RecordCheck bad{.size = -1, .success = false};
  const RecordCheck mismatch{.size = 50, .success = false};
  EXPECT_EQ(recovery_step(good, false), RecoveryStep::accept);
  EXPECT_EQ(recovery_step(blank, true), RecoveryStep::next_file);
  EXPECT_EQ(recovery_step(blank, false), RecoveryStep::stop);
  EXPECT_EQ(recovery_step(bad, true), RecoveryStep::stop);
  EXPECT_EQ(recovery_step(mismatch, true), RecoveryStep::stop);
}

TEST(StoreRecovery, AnEmptyDirectoryIsAnEmptyLog) {
  StoreWorld world;
  StoreProcess broker(world);
  ASSERT_TRUE(broker.started());
  EXPECT_EQ(broker.end(), 0);
  EXPECT_EQ(broker.store().commit_log().flushed_to(), PhysicalOffset(0));
}

TEST(StoreRecovery, GoodRecordsAreAcceptedUpToTheZeros) {
  StoreWorld world;
  LogBuilder log(world.files);
  for (int i = 0; i < 3; ++i) log.add(100, i);
  StoreProcess broker(world);
  ASSERT_TRUE(broker.started());
  EXPECT_EQ(broker.end(), 3 * record_of(100));
  EXPECT_EQ(broker.store().commit_log().flushed_to().value(), broker.end());
}

TEST(StoreRecovery, TheFirstBadRecordEndsTheLogHoweverGoodTheRestIs) {
  StoreWorld world;
  LogBuilder log(world.files);
  log.add(100);
  const std::int64_t torn = log.add(100);
  log.add(100);
  log.blank();
  log.add(100);
  log.damage(torn + kBodyAt + 7);
  log.crashed(0);
  StoreProcess broker(world);
  ASSERT_TRUE(broker.started());
  EXPECT_EQ(broker.end(), torn);
  EXPECT_FALSE(world.files.exists(log_file(kFileBytes)));  // A file that starts behind the cut.
}

TEST(StoreRecovery, AHoleOfZerosEndsTheLog) {
  StoreWorld world;
  LogBuilder log(world.files);
  log.add(1500);
  const std::int64_t hole = log.add(1000);
  log.add(500);
  const Bytes zeros(static_cast<std::size_t>(record_of(1000)));
  log.write(hole, zeros);
  log.crashed(0);
  StoreProcess broker(world);
  EXPECT_EQ(broker.end(), hole);
}

TEST(StoreRecovery, WithoutTheCrcCheckADamagedBodyIsAccepted) {
  StoreWorld world;
  world.configuration.check_crc_on_recover = false;
  LogBuilder log(world.files);
  const std::int64_t damaged = log.add(100);
  log.damage(damaged + kBodyAt);
  StoreProcess broker(world);
  EXPECT_EQ(broker.end(), record_of(100));
}

TEST(StoreRecovery, ABlankLeadsToTheNextFile) {
  StoreWorld world;
  LogBuilder log(world.files);
  log.add(3000);
  log.blank();
  const std::int64_t second = log.add(200);
  StoreProcess broker(world);
  EXPECT_EQ(second, kFileBytes);
  EXPECT_EQ(broker.end(), kFileBytes + record_of(200));
}

TEST(StoreRecovery, ABlankWithoutANextFileIsOutsideAndWillBeOverwritten) {
  StoreWorld world;
  LogBuilder log(world.files);
  const std::int64_t before = log.add(3000) + record_of(3000);
  log.blank();
  StoreProcess broker(world);
  EXPECT_EQ(broker.end(), before);
  const PutResult put = broker.put_now(message_of(50));
  EXPECT_EQ(put.status, PutStatus::put_ok);
  EXPECT_EQ(put.offset.value(), before);
}

TEST(StoreRecovery, APreallocatedFileIsDroppedUnlessTheLogEndsAtItsStart) {
  {
    StoreWorld world;
    LogBuilder log(world.files);
    log.add(100);
    world.files.put(log_file(kFileBytes), Bytes(kFileBytes));
    log.crashed(0);
    StoreProcess broker(world);
    EXPECT_EQ(broker.end(), record_of(100));
    EXPECT_FALSE(world.files.exists(log_file(kFileBytes)));
  }
  StoreWorld world;
  LogBuilder log(world.files);
  log.add(3000);
  log.blank();
  log.preallocate();
  log.crashed(0);
  StoreProcess broker(world);
  EXPECT_EQ(broker.end(), kFileBytes);
  EXPECT_TRUE(world.files.exists(log_file(kFileBytes)));
}

// Pitfall 9 of the reference: the cut moves positions only, and no record is compared with its
// place. What was cut off comes back if the log then happens to end where an old record begins.
TEST(StoreRecovery, OldRecordsBehindACutAreAcceptedAgain) {
  StoreWorld world;
  LogBuilder log(world.files);
  log.add(100, 0);
  const std::int64_t torn = log.add(100, 1);
  log.add(100, 2);
  log.damage(torn + kBodyAt);
  log.crashed(0);
  StoreProcess broker(world);
  ASSERT_EQ(broker.end(), torn);
  ASSERT_EQ(broker.put_now(message_of(100)).offset.value(), torn);  // As long as the torn one.
  broker.kill();
  StoreProcess next(world);
  EXPECT_EQ(next.end(), 3 * record_of(100));
}

// Three files; the first record of the second one is older than the checkpoint less 3 s.
class ThreeFiles : public ::testing::Test {
 protected:
  ThreeFiles() : log(world.files) {
    damaged = log.add(1000, 0, 10'000);
    log.add(1000, 1, 20'000);
    log.blank();
    log.add(1000, 2, 30'000);
    log.blank();
    log.add(1000, 3, 40'000);
    log.damage(damaged + kBodyAt);
  }
  StoreWorld world;
  LogBuilder log;
  std::int64_t damaged = 0;
};

TEST_F(ThreeFiles, AfterACrashOldFilesAreTrusted) {
  log.crashed(33'000);
  StoreProcess broker(world);
  EXPECT_EQ(broker.end(), log.end());
  EXPECT_EQ(world.count(EventName::store_recovery_started), 1u);
}

TEST_F(ThreeFiles, ACheckpointThatIsTooOldLeadsBackToTheFirstFile) {
  log.crashed(32'999);
  StoreProcess broker(world);
  EXPECT_EQ(broker.end(), damaged);
}

TEST_F(ThreeFiles, AnOrderlyStartWithoutQueuesReadsEverything) {
  StoreProcess broker(world);
  EXPECT_EQ(broker.end(), damaged);
}

// The queue's directory is missing: it begins with the first record that recovery looked at.
TEST_F(ThreeFiles, TheNextIndexComesFromTheQueue) {
  log.crashed(33'000);
  StoreProcess broker(world);
  EXPECT_EQ(broker.put_now(message_of(10)).queue_offset, QueueOffset(4));
  EXPECT_EQ(broker.put_now(message_of(10, 1)).queue_offset, QueueOffset(0));
}

TEST(StoreRecovery, CrashPointsSurroundTheCut) {
  for (const CrashPoint point :
       {CrashPoint::store_recovery_before_truncate, CrashPoint::store_recovery_after_truncate}) {
    StoreWorld world;
    LogBuilder log(world.files);
    log.add(100);
    world.files.put(log_file(kFileBytes), Bytes(kFileBytes));
    log.crashed(0);
    StoreProcess broker(world);
    broker.kill();
    world.files.put(log_file(kFileBytes), Bytes(kFileBytes));
    sim::SimProcess& dies = world.host().spawn("dies");
    dies.attach(std::make_unique<NoNetwork>(), world.files.attach());
    dies.chaos().arm(point, 1, [&dies] { dies.kill(); });
    const StoreConfiguration configuration = world.configuration;
    dies.start([configuration](Context& context) -> Task<void> {
      MessageStore store(context, configuration, Endpoint());
      Result<void> loaded = co_await store.load();
      ENSURE(loaded.has_value());
    });
    world.run_for(Duration::s(1));
    EXPECT_EQ(dies.end(), sim::ProcessEnd::killed);
    EXPECT_EQ(world.files.exists(log_file(kFileBytes)),
              point == CrashPoint::store_recovery_before_truncate);
    StoreProcess last(world);
    EXPECT_EQ(last.end(), record_of(100));
  }
}

TEST(StoreLoad, AnEmptyLastFileIsRemoved) {
  StoreWorld world;
  LogBuilder log(world.files);
  log.add(100);
  world.files.put(log_file(kFileBytes), {});
  StoreProcess broker(world);
  EXPECT_TRUE(broker.started());
  EXPECT_FALSE(world.files.exists(log_file(kFileBytes)));
}

TEST(StoreLoad, AFileOfAnyOtherWrongSizeRefusesTheStart) {
  for (const std::int64_t size : {std::int64_t{1}, kFileBytes - 1, kFileBytes + 1}) {
    StoreWorld world;
    world.files.put(log_file(0), Bytes(static_cast<std::size_t>(size)));
    StoreProcess broker(world);
    EXPECT_EQ(broker.error(), ErrorCode::invalid_argument) << size;
  }
  StoreWorld world;
  world.files.put(log_file(0), {});  // Empty, but not the last one.
  world.files.put(log_file(kFileBytes), Bytes(kFileBytes));
  StoreProcess broker(world);
  EXPECT_EQ(broker.error(), ErrorCode::invalid_argument);
}

TEST(StoreLoad, ANameThatIsNoNumberRefusesTheStart) {
  StoreWorld world;
  world.files.put(std::string(kCommitLog) + "0000.bak", Bytes(kFileBytes));
  StoreProcess broker(world);
  EXPECT_EQ(broker.error(), ErrorCode::invalid_argument);
}

TEST(StoreLoad, NamesAreTwentyDigits) {
  EXPECT_EQ(queue_file_name(PhysicalOffset(0)), "00000000000000000000");
  EXPECT_EQ(queue_file_name(PhysicalOffset(1'073'741'824)), "00000000001073741824");
  EXPECT_EQ(parse_queue_file_name("00000000001073741824"), 1'073'741'824);
  EXPECT_EQ(parse_queue_file_name("00000000001073741824x"), std::nullopt);
  EXPECT_EQ(parse_queue_file_name(""), std::nullopt);
}

// The order at start (pitfall 11): a second broker cuts the log before the lock refuses it.
TEST(StoreLoad, ASecondBrokerOnTheDirectoryIsRefusedAfterItHasRecovered) {
  StoreWorld world;
  StoreProcess first(world);
  ASSERT_TRUE(first.started());
  const auto recoveries = world.count(EventName::store_recovery_finished);
  ASSERT_EQ(first.put_now(message_of(100)).status, PutStatus::put_ok);
  StoreProcess second(world);
  EXPECT_EQ(second.error(), ErrorCode::busy);
  EXPECT_EQ(world.count(EventName::store_recovery_finished), recoveries + 1);
}

}  // namespace
}  // namespace drydock::test
