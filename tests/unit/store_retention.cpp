// Which files go, when, and what stays behind; and what a disk that is nearly full does to sends.
// Facts: storage reference, sections 3.4, 3.5, 5.2 and 6.6. The host's clock begins at 22:13:20 on
// 14 November 2023.
#include "engine/store/retention_service.hpp"

#include <gtest/gtest.h>

#include "tests/support/store_world.hpp"

namespace drydock::test {
namespace {

constexpr Duration kHour = Duration::s(3600);
constexpr Duration kMinute = Duration::s(60);
constexpr Duration kOneRound = Duration::s(69);
constexpr std::int64_t kGiB = std::int64_t{1} << 30;

SpaceInfo used(std::int64_t percent) {
  return {100 * kGiB, (100 - percent) * kGiB, (100 - percent) * kGiB};
}

// With one message to a file of the log and a queue's file to ten of them.
constexpr std::size_t kBody = kFileBytes / 2;

StoreConfiguration expiring(Duration reserved = kHour) {
  StoreConfiguration configuration = small_store();
  configuration.retention.file_reserved_time = reserved;
  return configuration;
}

class Broker : public StoreProcess {
 public:
  explicit Broker(StoreWorld& world) : StoreProcess(world) {}

  void put(int messages) {
    for (int i = 0; i < messages; ++i) {
      ASSERT_EQ(put_now(message_of(kBody)).status, PutStatus::put_ok);
    }
  }
  std::int64_t log_begin() { return store().commit_log().min_offset().value(); }
  std::size_t log_files() { return store().commit_log().files().files().size(); }
  QueueRange range() { return store().range("T", 0); }
};

TEST(StoreDiskSpace, UseIsRoundedUpAndLeavesOutWhatNobodyMayUse) {
  EXPECT_EQ(used_percent({100, 50, 50}), 50);
  EXPECT_EQ(used_percent({1000, 499, 499}), 51);
  EXPECT_EQ(used_percent({100, 0, 0}), 100);
  EXPECT_EQ(used_percent({100, 100, 100}), 0);
  // Of 100 blocks 60 are used; of the 40 that are free 5 are root's.
  EXPECT_EQ(used_percent({100, 40, 35}), 64);  // 60 of 95: 63.2.
  EXPECT_EQ(used_percent({}), std::nullopt);
  constexpr std::int64_t kLarge = std::int64_t{1} << 56;
  EXPECT_EQ(used_percent({kLarge, kLarge / 2, kLarge / 2}), 50);
}

TEST(StoreDiskSpace, TheLevelsOfTheReferenceDecide) {
  struct Case {
    std::optional<std::int32_t> log;
    std::optional<std::int32_t> queues;
    DiskVerdict verdict;
  };
  const Case cases[] = {
      {75, 75, {SpaceDemand::nothing, false, false}},
      {76, 75, {SpaceDemand::expired_files, false, false}},
      {75, 76, {SpaceDemand::expired_files, false, false}},
      {std::nullopt, 10, {SpaceDemand::expired_files, false, false}},
      {10, std::nullopt, {SpaceDemand::expired_files, false, false}},
      {85, 10, {SpaceDemand::expired_files, false, false}},
      {86, 10, {SpaceDemand::any_files, std::nullopt, std::nullopt}},
      {90, 10, {SpaceDemand::any_files, std::nullopt, std::nullopt}},
      {91, 10, {SpaceDemand::any_files, true, std::nullopt}},
      {91, 99, {SpaceDemand::any_files, true, std::nullopt}},
      {10, 86, {SpaceDemand::any_files, false, std::nullopt}},
      {10, 91, {SpaceDemand::any_files, false, true}},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(judge_disks(each.log, each.queues, DiskLevels()), each.verdict)
        << each.log.value_or(-1) << " " << each.queues.value_or(-1);
  }
}

TEST(StoreDiskSpace, LevelsStayWithinTheLimitsOfTheReference) {
  const DiskLevels high = DiskLevels{100, 100, 100}.within_limits();
  EXPECT_EQ(high.max_used, 95);
  EXPECT_EQ(high.clean_forcibly, 85);
  EXPECT_EQ(high.warning_level, 90);
  const DiskLevels low = DiskLevels{0, 0, 0}.within_limits();
  EXPECT_EQ(low.max_used, 10);
  EXPECT_EQ(low.clean_forcibly, 30);
  EXPECT_EQ(low.warning_level, 35);
}

TEST(StoreDiskSpace, HoursAreThoseOfUtc) {
  const auto at = [](std::int64_t s) { return hour_of_day(WallTime::at_ns(s * 1'000'000'000)); };
  EXPECT_EQ(at(0), 0);
  EXPECT_EQ(at(1'700'000'000), 22);  // 2023-11-14 22:13:20 UTC.
  EXPECT_EQ(at(4 * 3600 - 1), 3);
  EXPECT_EQ(at(4 * 3600), 4);
  EXPECT_EQ(at(-1), 23);
}

TEST(StoreRetention, FilesThatAreOldEnoughGoInTheHourOfDeleteWhenAndTheLastOneStays) {
  StoreWorld world(expiring());
  Broker broker(world);
  broker.put(5);
  // Twenty hours before 4 o'clock none is touched, however old.
  world.run_for(Duration::s(5 * 3600));
  EXPECT_EQ(broker.log_begin(), 0);
  EXPECT_EQ(broker.log_files(), 5u);
  world.run_for(kHour);
  EXPECT_EQ(broker.log_begin(), 4 * kFileBytes);
  EXPECT_EQ(broker.log_files(), 1u);
  EXPECT_FALSE(world.files.exists(log_file(3 * kFileBytes)));
  EXPECT_TRUE(world.files.exists(log_file(4 * kFileBytes)));
  EXPECT_EQ(world.count(EventName::store_file_deleted), 4u);
}

TEST(StoreRetention, AFileIsOldEnoughAfterItsLastWriteAndAYoungOneProtectsThoseBehindIt) {
  StoreWorld world(expiring());
  world.configuration.retention.delete_when = {22, 23};
  Broker broker(world);
  broker.put(4);
  world.run_for(Duration::s(3500));
  const WallTime now = world.host().clock().wall_now();
  world.files.at(log_file(kFileBytes)).modified = now;  // The second one.
  world.run_for(Duration::s(300));
  EXPECT_EQ(broker.log_begin(), kFileBytes);
  world.run_for(kHour);
  EXPECT_EQ(broker.log_begin(), kFileBytes) << "it is 0 o'clock";
}

TEST(StoreRetention, ARoundDeletesTenFilesATenthOfASecondApart) {
  StoreWorld world(expiring());
  Broker broker(world);
  broker.put(25);
  world.run_to(Duration::s(3635));
  world.files.space = used(80);
  const auto gone_at = [&](std::int64_t ms) {
    world.run_to(Duration::ms(ms));
    return broker.log_begin() / kFileBytes;
  };
  // The rounds are 60 s after the start and every 10 s from then on.
  EXPECT_EQ(gone_at(3'639'999), 0);
  EXPECT_EQ(gone_at(3'640'001), 1);
  EXPECT_EQ(gone_at(3'640'101), 2);
  EXPECT_EQ(gone_at(3'649'999), 10);
  EXPECT_EQ(gone_at(3'659'999), 20);
  EXPECT_EQ(gone_at(3'669'999), 24);
}

TEST(StoreRetention, TheFirstRoundIsAMinuteAfterTheStart) {
  StoreWorld world(expiring());
  world.files.space = used(95);
  Broker broker(world);
  broker.put(3);
  world.run_to(Duration::ms(59'999));
  EXPECT_TRUE(broker.store().writable());
  EXPECT_EQ(broker.log_files(), 3u);
  world.run_to(Duration::ms(60'001));
  EXPECT_FALSE(broker.store().writable());
  EXPECT_EQ(broker.log_files(), 2u);
  world.run_to(Duration::ms(60'101));
  EXPECT_EQ(broker.log_files(), 1u);
}

TEST(StoreRetention, ANearlyFullDiskRefusesSendsUntilThereIsRoom) {
  StoreWorld world(expiring(72 * kHour));
  Broker broker(world);
  broker.put(3);
  world.files.space = used(91);
  world.run_for(2 * kMinute);
  EXPECT_EQ(broker.put_now(message_of(10)).status, PutStatus::service_not_available);
  EXPECT_EQ(broker.log_files(), 1u) << "young files go too";
  EXPECT_EQ(broker.get(2, 1).status, GetStatus::found) << "it can be read";
  world.files.space = used(90);
  world.run_for(Duration::s(10));
  EXPECT_EQ(broker.put_now(message_of(10)).status, PutStatus::service_not_available)
      << "90 % does not clear it: only a level at or below diskSpaceCleanForciblyRatio does";
  world.files.space = used(85);
  world.run_for(Duration::s(10));
  EXPECT_EQ(broker.put_now(message_of(10)).status, PutStatus::put_ok);
  EXPECT_EQ(world.count(EventName::store_disk_full), 1u);
  EXPECT_EQ(world.count(EventName::store_disk_ok), 1u);
}

TEST(StoreRetention, ThePlantedBugKeepsTheDiskFull) {
  StoreWorld world(expiring(72 * kHour));
  world.configuration.bugs.plant(SeededBug::disk_stays_full);
  Broker broker(world);
  world.files.space = used(95);
  world.run_for(2 * kMinute);
  world.files.space = used(20);
  world.run_for(2 * kMinute);
  EXPECT_EQ(broker.put_now(message_of(10)).status, PutStatus::service_not_available);
}

TEST(StoreRetention, WithoutForcibleCleaningAYoungFileStaysHoweverFullTheDiskIs) {
  StoreWorld world(expiring(72 * kHour));
  world.configuration.retention.clean_file_forcibly_enable = false;
  Broker broker(world);
  broker.put(3);
  world.files.space = used(95);
  world.run_for(2 * kMinute);
  EXPECT_EQ(broker.log_files(), 3u);
  EXPECT_FALSE(broker.store().writable());
}

TEST(StoreRetention, BetweenTheLevelsOnlyOldFilesGoAndSendsAreTaken) {
  StoreWorld world(expiring(kHour));
  Broker broker(world);
  broker.put(3);
  world.files.space = used(76);
  world.run_for(2 * kMinute);
  EXPECT_EQ(broker.log_files(), 3u);
  broker.put(1);
  world.run_for(kHour + kMinute);  // Since the third was closed.
  EXPECT_EQ(broker.log_files(), 1u);
  EXPECT_TRUE(broker.store().writable());
}

TEST(StoreRetention, AnOperatorsWishHoldsForTwentyRounds) {
  StoreWorld world(expiring(kHour));
  Broker broker(world);
  broker.put(2);
  world.run_for(Duration::s(3411));
  broker.store().delete_expired_files();
  world.run_for(Duration::s(190));  // 19 rounds.
  EXPECT_EQ(broker.log_files(), 2u) << "not old enough yet";
  world.run_for(Duration::s(15));
  EXPECT_EQ(broker.log_files(), 1u);
  broker.put(2);
  world.run_for(2 * kHour);
  EXPECT_EQ(broker.log_files(), 3u);
}

TEST(StoreRetention, AQueueLosesTheUnitsOfWhatIsGoneAndItsReadersAreTold) {
  StoreWorld world(expiring(72 * kHour));
  world.files.space = used(86);
  world.configuration.retention.delete_file_batch_max = 12;
  Broker broker(world);
  broker.put(25);  // Queue files of 10, 10 and 5 units.
  world.run_to(kOneRound);
  EXPECT_EQ(broker.log_begin(), 12 * kFileBytes);
  EXPECT_EQ(broker.range().min, QueueOffset(12));
  EXPECT_EQ(broker.range().max, QueueOffset(25));
  EXPECT_FALSE(world.files.exists(queue_file(0)));
  EXPECT_TRUE(world.files.exists(queue_file(10)));
  const GetResult small = broker.get(3);
  EXPECT_EQ(small.status, GetStatus::offset_too_small);
  EXPECT_EQ(small.next, QueueOffset(12));
  EXPECT_EQ(broker.get(12, 1).status, GetStatus::found);
  EXPECT_EQ(broker.units().size(), 13u);
}

TEST(StoreRetention, BeforeTheQueueIsCorrectedAReaderPassesOverWhatIsGone) {
  StoreWorld world(expiring(72 * kHour));
  world.files.space = used(86);
  world.configuration.retention.delete_file_batch_max = 2;
  world.configuration.retention.delete_commit_log_files_interval = Duration::s(5);
  Broker broker(world);
  broker.put(4);
  world.run_to(Duration::ms(60'001));  // One file is gone, the second comes 5 s later.
  EXPECT_EQ(broker.log_begin(), kFileBytes);
  EXPECT_EQ(broker.range().min, QueueOffset(0));
  const GetResult behind = broker.get(0, 1);
  EXPECT_EQ(behind.status, GetStatus::found);
  EXPECT_EQ(behind.next, QueueOffset(2));
}

TEST(StoreRetention, AQueueWhoseMessagesAreAllGoneKeepsItsNumbering) {
  StoreWorld world(expiring(72 * kHour));
  Broker broker(world);
  ASSERT_EQ(broker.put_now(message_of(kBody, 7)).status, PutStatus::put_ok);
  broker.put(3);
  world.files.space = used(86);
  world.run_for(kMinute);
  const QueueRange range = broker.store().range("T", 7);
  EXPECT_EQ(range.min, QueueOffset(1));
  EXPECT_EQ(range.max, QueueOffset(1));
  EXPECT_EQ(broker.put_now(message_of(10, 7)).queue_offset, QueueOffset(1));
  world.run_for(Duration::s(1));
  EXPECT_EQ(broker.get(1, 32, 7).status, GetStatus::found);
}

// B005, B016: also a log that begins anywhere loads, and no queue has a minimum behind its end.
TEST(StoreRetention, AStoreThatHasLostItsFirstFilesStartsAgain) {
  for (const bool orderly : {true, false}) {
    StoreWorld world(expiring(72 * kHour));
    world.files.space = used(86);
    world.configuration.retention.delete_file_batch_max = 12;
    {
      Broker broker(world);
      broker.put(25);
      world.run_to(kOneRound);
      ASSERT_EQ(broker.log_begin(), 12 * kFileBytes);
      orderly ? broker.stop() : broker.kill();
    }
    world.files.space = used(10);
    Broker again(world);
    ASSERT_TRUE(again.started());
    EXPECT_EQ(again.log_begin(), 12 * kFileBytes);
    EXPECT_EQ(again.range().min, QueueOffset(12));
    EXPECT_EQ(again.range().max, QueueOffset(25));
    EXPECT_EQ(again.put_now(message_of(kBody)).queue_offset, QueueOffset(25));
    world.run_for(Duration::s(1));
    EXPECT_EQ(again.get(25).status, GetStatus::found);
  }
}

TEST(StoreRetention, IndexFilesOfWhatIsGoneGo) {
  StoreWorld world(expiring(72 * kHour));
  world.configuration.message_index_enable = true;
  world.configuration.index = {.slots = 8, .entries = 3};  // Two to a file.
  world.files.space = used(86);
  world.configuration.retention.delete_file_batch_max = 5;
  Broker broker(world);
  for (int i = 0; i < 8; ++i) {
    IncomingMessage keyed = message_of(kBody);
    keyed.properties = SharedBytes::copy_of("KEYS\x01k" + std::to_string(i) + "\x02");
    ASSERT_EQ(broker.put_now(keyed).status, PutStatus::put_ok);
  }
  ASSERT_EQ(broker.store().index().file_count(), 4u);
  world.run_to(kOneRound);
  ASSERT_EQ(broker.log_begin(), 5 * kFileBytes);
  EXPECT_EQ(broker.store().index().file_count(), 2u) << "the third has the sixth message";
}

TEST(StoreRetention, AFileInUseIsTakenFromItsReadersAndGoesWhenNobodyHasItOrAfterTwoMinutes) {
  for (const Duration sync_time : {Duration::s(130), Duration::s(1000)}) {
    StoreWorld world(expiring(72 * kHour));
    world.configuration.flush_disk_type = FlushDiskType::async_flush;
    Broker broker(world);
    world.files.sync_time = sync_time;
    broker.put(3);  // The flush works on the first file.
    const Duration stuck_since = world.now();
    world.files.sync_time = Duration();  // Of the next one.
    world.files.space = used(86);
    world.run_to(Duration::ms(60'001));
    EXPECT_EQ(broker.log_begin(), kFileBytes);
    EXPECT_EQ(broker.log_files(), 3u) << "those behind it wait";
    EXPECT_EQ(broker.get(0, 1).status, GetStatus::offset_too_small);
    EXPECT_TRUE(world.files.exists(log_file(0)));
    const Duration freed = std::min(stuck_since + sync_time, Duration::s(180));
    world.run_to(freed - Duration::s(11));
    EXPECT_TRUE(world.files.exists(log_file(0)));
    world.run_to(freed + Duration::s(11));
    EXPECT_FALSE(world.files.exists(log_file(0)));
    EXPECT_EQ(broker.log_files(), 1u);
  }
}

TEST(StoreRetention, AFlushGoesOnBehindAFileThatIsGone) {
  StoreWorld world(expiring(72 * kHour));
  world.configuration.flush_disk_type = FlushDiskType::async_flush;
  world.configuration.retention.destroy_maped_file_interval_forcibly = Duration();
  Broker broker(world);
  world.files.sync_time = Duration::s(100);
  broker.put(4);
  world.files.space = used(86);
  world.run_to(Duration::s(70));
  ASSERT_EQ(broker.log_files(), 1u);
  world.files.sync_time = Duration();
  world.files.space = used(10);
  world.run_for(Duration::s(120));
  EXPECT_EQ(broker.store().commit_log().flushed_to(), broker.store().commit_log().max_offset());
}

TEST(StoreRetention, ANameThatCannotBeRemovedIsToldAndTheNextFileGoes) {
  StoreWorld world(expiring(72 * kHour));
  Broker broker(world);
  broker.put(3);
  world.files.remove_failures = 1;
  world.files.space = used(86);
  world.run_for(kMinute);
  EXPECT_EQ(broker.log_begin(), 2 * kFileBytes);
  EXPECT_TRUE(world.files.exists(log_file(0)));
  EXPECT_FALSE(world.files.exists(log_file(kFileBytes)));
}

TEST(StoreRetention, ADiskThatDoesNotTellItsSpaceCountsAsInNeedAndNotAsFull) {
  StoreWorld world(expiring(kHour));
  Broker broker(world);
  broker.put(3);
  world.files.space_failures = 1'000'000;
  world.run_for(Duration::s(3500));
  EXPECT_EQ(broker.log_files(), 3u);
  world.run_for(Duration::s(200));
  EXPECT_EQ(broker.log_files(), 1u);
  EXPECT_TRUE(broker.store().writable());
}

TEST(StoreRetention, AQueueOnAFullDiskIsGivenUpOrNot) {
  for (const BehaviourValue value : {BehaviourValue::faithful, BehaviourValue::hardened}) {
    StoreWorld world(expiring(72 * kHour));
    world.configuration.store_path_commit_log = "/log/commitlog";
    // What is sent shortly before the broker notices is dispatched when it has.
    world.configuration.flush_disk_type = FlushDiskType::sync_flush;
    world.configuration.behaviour.set(BehaviourSwitch::queue_dropped_on_full_disk, value);
    world.files.spaces["/log"] = used(10);
    Broker broker(world);
    broker.put(2);
    world.files.space = used(91);
    world.run_to(Duration::ms(59'990));
    world.files.sync_time = Duration::ms(20);
    const PendingPut late = broker.StoreProcess::put(message_of(10));
    world.run_for(Duration::s(1));
    ASSERT_EQ(late->status(), PutStatus::put_ok);
    EXPECT_EQ(broker.put_now(message_of(10)).status, PutStatus::service_not_available);
    world.files.space = used(10);
    world.run_for(kMinute);
    const bool faithful = value == BehaviourValue::faithful;
    EXPECT_EQ(broker.range().max, QueueOffset(faithful ? 2 : 3));
    EXPECT_EQ(broker.put_now(message_of(10)).status,
              faithful ? PutStatus::service_not_available : PutStatus::put_ok);
  }
}

}  // namespace
}  // namespace drydock::test
