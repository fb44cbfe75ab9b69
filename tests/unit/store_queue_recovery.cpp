// What recovery makes of the consume queues: queues ahead of the log and behind it, after an
// orderly stop and after a crash, missing ones, and the crash points around the cuts. Records are
// those of message_of(100), files of a queue hold 10 units.
#include <gtest/gtest.h>

#include "engine/store/recovery.hpp"
#include "tests/support/store_world.hpp"

namespace drydock::test {
namespace {

constexpr std::int64_t kBodyAt = 88;  // Offset of the body inside a record.
constexpr std::int64_t kRecord = record_of(100);

constexpr int kRecordsPerFile = 21;

std::int64_t place_of(std::int64_t number) {
  return number / kRecordsPerFile * kFileBytes + number % kRecordsPerFile * kRecord;
}

// A log of `count` records of queue 0 with units for the first `units` of them.
void build(LogBuilder& log, int count, int units) {
  for (int i = 0; i < count; ++i) {
    if (i > 0 && i % kRecordsPerFile == 0) log.blank();
    const std::int64_t at = log.add(100, i);
    if (i < units) log.add_unit(at, i, kRecord);
  }
}

// Each of the first `count` records has exactly its unit, and nothing else has one.
void expect_units(StoreProcess& broker, std::int64_t count) {
  const auto units = broker.units();
  ASSERT_EQ(static_cast<std::int64_t>(units.size()), count);
  for (std::int64_t i = 0; i < count; ++i) {
    EXPECT_EQ(units[static_cast<std::size_t>(i)].physical.value(), place_of(i)) << i;
    EXPECT_EQ(units[static_cast<std::size_t>(i)].bytes, kRecord) << i;
  }
}

TEST(StoreQueueRecovery, DecidesWhatIsDispatchedAgain) {
  const Behaviour faithful;
  const Behaviour hardened = *Behaviour::preset("hardened");
  const auto again = [](StopKind stop, std::int64_t physical, const Behaviour& behaviour) {
    return dispatches_again(stop, PhysicalOffset(physical), 100, behaviour);
  };
  EXPECT_TRUE(again(StopKind::crash, 0, faithful));
  EXPECT_FALSE(again(StopKind::orderly, 99, hardened));
  EXPECT_FALSE(again(StopKind::orderly, 100, faithful));  // Starts exactly at the queues' end.
  EXPECT_TRUE(again(StopKind::orderly, 100, hardened));
  EXPECT_TRUE(again(StopKind::orderly, 101, faithful));
  EXPECT_TRUE(dispatches_again(StopKind::orderly, PhysicalOffset(0), kNoPhysical, faithful));
}

TEST(StoreQueueRecovery, AfterACrashQueuesBehindTheLogCatchUp) {
  StoreWorld world;
  LogBuilder log(world.files);
  build(log, 25, 13);
  log.crashed(0);
  StoreProcess broker(world);
  expect_units(broker, 25);
  EXPECT_EQ(world.count(EventName::store_dispatched), 12u);  // Those that have a unit have one.
  EXPECT_EQ(broker.put_now(message_of(100)).queue_offset, QueueOffset(25));
}

TEST(StoreQueueRecovery, QueuesAheadOfTheLogAreCut) {
  // An orderly start begins at the second file, in which the queues end.
  for (const auto& [crash, torn] : {std::pair{true, 12}, {false, 22}}) {
    StoreWorld world;
    LogBuilder log(world.files);
    build(log, 25, 25);
    log.damage(place_of(torn) + kBodyAt);
    if (crash) log.crashed(0);
    StoreProcess broker(world);
    EXPECT_EQ(broker.end(), place_of(torn));
    expect_units(broker, torn);
    EXPECT_TRUE(world.files.exists(queue_file(10)));
    EXPECT_EQ(world.files.exists(queue_file(20)),
              torn > 20);  // Else all of it lies behind the cut.
    EXPECT_EQ(broker.put_now(message_of(100)).queue_offset, QueueOffset(torn));
    expect_units(broker, torn + 1);
  }
}

TEST(StoreQueueRecovery, AQueueWhoseUnitsAllPointBehindTheCutHasNoFileLeft) {
  StoreWorld world;
  LogBuilder log(world.files);
  build(log, 3, 3);
  log.damage(kBodyAt);
  log.crashed(0);
  StoreProcess broker(world);
  EXPECT_EQ(broker.end(), 0);
  EXPECT_FALSE(world.files.exists(queue_file(0)));
  EXPECT_EQ(broker.put_now(message_of(100)).queue_offset, QueueOffset(0));
  EXPECT_EQ(broker.units().size(), 1u);
}

// Measured with RocketMQ 5.3.3 (tests/interop/recovery.py --seed 918): its cut looks at the first
// unit of a file for the place of its record only.
TEST(StoreQueueRecovery, ACutLeavesOneUnitOfZerosInAFileThatWasNeverFlushed) {
  StoreWorld world;
  LogBuilder log(world.files);
  build(log, 25, 25);
  world.files.put("/store/consumequeue/T/7/" + queue_file_name(UnitPosition(0)),
                  Bytes(kUnitsPerFile * kUnitBytes));
  log.damage(place_of(22) + kBodyAt);
  StoreProcess broker(world);
  EXPECT_EQ(broker.end(), place_of(22));
  EXPECT_EQ(broker.units(7), std::vector<ConsumeQueueUnit>(1));
}

TEST(StoreQueueRecovery, ATornUnitEndsTheQueueAndTheLogMakesUpForIt) {
  StoreWorld world;
  LogBuilder log(world.files);
  build(log, 5, 5);
  for (Bytes* const copy :
       {&world.files.at(queue_file(0)).cached, &world.files.at(queue_file(0)).durable}) {
    std::ranges::fill(copy->begin() + 2 * kUnitBytes, copy->begin() + 3 * kUnitBytes, std::byte{0});
  }
  log.crashed(0);
  StoreProcess broker(world);
  expect_units(broker, 5);
}

// 5.3.2 and later; and what they leave out: the record that starts where the queues end. The
// numbering shifts by it.
TEST(StoreQueueRecovery, AfterAnOrderlyStopOneRecordOfAQueueBehindTheLogIsSkipped) {
  for (const bool hardened : {false, true}) {
    StoreWorld world;
    world.configuration.behaviour = *Behaviour::preset(hardened ? "hardened" : "rocketmq-5.3.3");
    LogBuilder log(world.files);
    build(log, 5, 3);
    StoreProcess broker(world);
    EXPECT_EQ(broker.end(), 5 * kRecord);
    const auto units = broker.units();
    ASSERT_EQ(units.size(), hardened ? 5u : 4u);
    EXPECT_EQ(units[3].physical.value(), hardened ? 3 * kRecord : 4 * kRecord);
    EXPECT_EQ(world.count(EventName::store_queue_gap), hardened ? 0u : 1u);
  }
}

TEST(StoreQueueRecovery, AfterAnOrderlyStopAMissingDirectoryIsBuiltFromTheWholeLog) {
  StoreWorld world;
  LogBuilder log(world.files);
  build(log, 25, 0);
  StoreProcess broker(world);
  expect_units(broker, 25);
}

// Four files of 21 records each; only the last three files of a queue are read, and an orderly
// start begins at the file in which the queues end.
TEST(StoreQueueRecovery, AnOrderlyStartBeginsWhereTheQueuesEnd) {
  StoreWorld world;
  LogBuilder log(world.files);
  build(log, 4 * kRecordsPerFile, 4 * kRecordsPerFile);
  log.blank();
  log.preallocate();
  log.damage(kBodyAt);  // Nobody reads the first file again.
  StoreProcess broker(world);
  EXPECT_EQ(broker.end(), 4 * kFileBytes);
  EXPECT_EQ(broker.units().size(), 84u);
  EXPECT_EQ(broker.put_now(message_of(100)).queue_offset, QueueOffset(84));
}

// After a crash the start file is a matter of time stamps, so a queue that lost its directory
// begins with the first record of that file; what lies in front of it is in the log and in no
// queue.
TEST(StoreQueueRecovery, AfterACrashAMissingDirectoryBeginsAtTheStartFile) {
  StoreWorld world;
  LogBuilder log(world.files);
  log.add(3000, 0, 10'000);
  log.blank();
  log.add(3000, 1, 20'000);
  log.blank();
  log.add(100, 2, 90'000);
  log.crashed(23'000);
  StoreProcess broker(world);
  EXPECT_EQ(broker.end(), log.end());
  EXPECT_EQ(broker.queue()->max_offset(), QueueOffset(3));
  EXPECT_EQ(broker.get(0).status, GetStatus::offset_too_small);
  EXPECT_EQ(broker.get(1).records.size(), 2u);
}

TEST(StoreQueueRecovery, WithoutALogTheQueuesAreRemoved) {
  StoreWorld world;
  LogBuilder log(world.files);
  build(log, 25, 25);
  world.files.nodes.erase(log_file(0));
  world.files.nodes.erase(log_file(kFileBytes));
  StoreProcess broker(world);
  EXPECT_TRUE(broker.started());
  EXPECT_FALSE(world.files.exists(queue_file(0)));
  EXPECT_EQ(broker.put_now(message_of(100)).queue_offset, QueueOffset(0));
}

// Retention has removed the first file of the log.
TEST(StoreQueueRecovery, TheMinimumOffsetRisesToTheFirstRecordThatIsLeft) {
  StoreWorld world;
  LogBuilder log(world.files);
  log.add_unit(log.add(1500, 0), 0, record_of(1500));
  log.add_unit(log.add(1500, 1), 1, record_of(1500));
  log.blank();
  log.add_unit(log.add(1500, 2), 2, record_of(1500));
  world.files.nodes.erase(log_file(0));
  StoreProcess broker(world);
  EXPECT_EQ(broker.queue()->min_offset(), QueueOffset(2));
  EXPECT_EQ(broker.queue()->max_offset(), QueueOffset(3));
  EXPECT_EQ(broker.get(1).status, GetStatus::offset_too_small);
  EXPECT_EQ(broker.get(2).status, GetStatus::found);
}

TEST(StoreQueueRecovery, AQueueWithExpiredUnitsOnlyKeepsItsNumbering) {
  StoreWorld world;
  LogBuilder log(world.files);
  log.add_unit(log.add(3000, 0), 0, record_of(3000));
  log.blank();
  log.preallocate();
  world.files.nodes.erase(log_file(0));
  StoreProcess broker(world);
  EXPECT_EQ(broker.queue()->min_offset(), QueueOffset(1));
  EXPECT_EQ(broker.get(0).status, GetStatus::offset_too_small);
  EXPECT_EQ(broker.put_now(message_of(100)).queue_offset, QueueOffset(1));
  EXPECT_EQ(broker.get(1).status, GetStatus::found);
}

// A crash between the cuts leaves queues that end with the log and a log that is cut again.
TEST(StoreQueueRecovery, ACrashBetweenTheCutsIsMadeUpForByTheNextRecovery) {
  StoreWorld world;
  LogBuilder log(world.files);
  build(log, 25, 25);
  log.damage(12 * kRecord + kBodyAt);
  log.crashed(0);
  sim::SimProcess& dies = world.host().spawn("dies");
  dies.attach(std::make_unique<NoNetwork>(), world.files.attach());
  dies.chaos().arm(CrashPoint::store_recovery_between_truncations, 1, [&dies] { dies.kill(); });
  const StoreConfiguration configuration = world.configuration;
  dies.start([configuration](Context& context) -> Task<void> {
    MessageStore store(context, configuration, Endpoint());
    Result<void> loaded = co_await store.load();
    ENSURE(loaded.has_value());
  });
  world.run_for(Duration::s(1));
  ASSERT_EQ(dies.end(), sim::ProcessEnd::killed);
  EXPECT_FALSE(world.files.exists(queue_file(20)));
  StoreProcess broker(world);
  EXPECT_EQ(broker.end(), 12 * kRecord);
  expect_units(broker, 12);
}

// The hazard of pitfall 14: logicsMsgTimestamp tells of dispatch, not of flushes. If the log has
// rolled and more than 3 s have passed since, a power loss takes units of an earlier file that no
// recovery dispatches again.
TEST(StoreQueueRecovery, UnitsOfAnEarlierLogFileThatWereNotFlushedAreLostByAPowerLoss) {
  StoreWorld world;
  StoreProcess broker(world);
  world.run_for(Duration::ms(1500));  // The first thorough flush of the queues is over.
  ASSERT_EQ(broker.put_now(message_of(3000)).status, PutStatus::put_ok);
  ASSERT_EQ(broker.put_now(message_of(3000)).status, PutStatus::put_ok);  // The second file.
  world.run_for(Duration::s(5));
  ASSERT_EQ(broker.put_now(message_of(100)).status, PutStatus::put_ok);
  world.run_for(Duration::s(2));
  ASSERT_EQ(broker.units().size(), 3u);
  world.power_cycle();
  StoreProcess next(world);
  EXPECT_EQ(next.end(), kFileBytes + record_of(3000) + record_of(100));  // The log is whole.
  // Number 0 is in no queue, and the others have taken its place.
  ASSERT_EQ(next.units().size(), 2u);
  EXPECT_EQ(next.units()[0].physical.value(), kFileBytes);
  EXPECT_EQ(world.count(EventName::store_queue_gap), 2u);
  EXPECT_EQ(next.put_now(message_of(100)).queue_offset,
            QueueOffset(2));  // Given for a second time.
}

}  // namespace
}  // namespace drydock::test
