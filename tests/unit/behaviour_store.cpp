// Both sides of the behaviour switches of recovery, checkpoint and index, each by itself. What the
// host loses with its power is what was not synced.
#include <gtest/gtest.h>

#include "tests/support/store_world.hpp"

namespace drydock::test {
namespace {

constexpr std::int64_t kBody = 900;  // Four records to a file of the log.

StoreConfiguration store_with(BehaviourSwitch which, bool hardened, FlushDiskType flush) {
  StoreConfiguration configuration = small_store(flush);
  configuration.behaviour.set(which,
                              hardened ? BehaviourValue::hardened : BehaviourValue::faithful);
  return configuration;
}

// A kill leaves a record in the page cache, recovery accepts it, and then the power fails.
TEST(StoreBehaviour, WhatRecoveryAcceptsIsDurableOrNot) {
  for (const bool hardened : {false, true}) {
    StoreWorld world(store_with(BehaviourSwitch::recovery_counts_tail_as_flushed, hardened,
                                FlushDiskType::sync_flush));
    {
      StoreProcess first(world);
      world.files.sync_time = Duration::s(1);
      first.put(message_of(kBody));
      world.run_for(Duration::ms(1));
      first.kill();
    }
    world.files.sync_time = Duration();
    StoreProcess second(world);
    EXPECT_EQ(second.units().size(), 1u);
    EXPECT_EQ(second.get(0).status, GetStatus::found);  // Consumers see it.
    world.power_cycle();
    StoreProcess third(world);
    EXPECT_EQ(third.units().size(), hardened ? 1u : 0u);
  }
}

// Nobody waits for a flush, and the log goes on in a second file while the first one is synced.
TEST(StoreBehaviour, AnOrderlyStopSyncsOneFileOfTheLogOrAll) {
  for (const bool hardened : {false, true}) {
    StoreWorld world(store_with(BehaviourSwitch::recovery_counts_tail_as_flushed, hardened,
                                FlushDiskType::sync_flush));
    {
      StoreProcess first(world);
      world.files.sync_time = Duration::ms(100);
      for (int i = 0; i < 6; ++i) {
        IncomingMessage message = message_of(kBody);
        message.wait_store_ok = false;
        first.put(std::move(message));
      }
      world.run_for(Duration::ms(1));
      first.stop();
      ASSERT_FALSE(world.files.exists("/store/abort"));
    }
    world.files.sync_time = Duration();
    StoreProcess second(world);
    EXPECT_EQ(second.units().size(), 6u);
    EXPECT_EQ(second.get(5).status, GetStatus::found);  // Consumers see it.
    world.power_cycle();
    StoreProcess third(world);
    EXPECT_EQ(third.units().size(), hardened ? 6u : 4u);
  }
}

// Queue 1 has a file, and its units and their records are gone with the power.
TEST(StoreBehaviour, AFileOfAQueueThatWasNeverFlushedKeepsAUnitOrNot) {
  for (const bool hardened : {false, true}) {
    StoreWorld world(store_with(BehaviourSwitch::queue_keeps_unit_of_zeros, hardened,
                                FlushDiskType::async_flush));
    LogBuilder log(world.files);
    log.add(kBody);
    log.add_unit(0, 0, log.end());
    log.crashed(0);
    world.files.put(queue_file(0, 1), Bytes(kUnitsPerFile * kUnitBytes));
    StoreProcess broker(world);
    ASSERT_EQ(broker.units().size(), 1u);
    const PutResult put = broker.put_now(message_of(kBody, 1));
    ASSERT_EQ(put.status, PutStatus::put_ok);
    EXPECT_EQ(put.queue_offset.value(), hardened ? 0 : 1);
  }
}

// Queue offset 23 of a queue that has no file: units 20 to 22 of its first file are filler.
TEST(StoreBehaviour, FillerCountsAsMessagesOrNot) {
  for (const bool hardened : {false, true}) {
    StoreWorld world(
        store_with(BehaviourSwitch::queue_counts_filler, hardened, FlushDiskType::sync_flush));
    LogBuilder log(world.files);
    log.add(kBody, 23);
    log.add(kBody, 24);
    log.crashed(0);
    StoreProcess(world).kill();
    StoreProcess again(world);
    EXPECT_EQ(again.queue()->min_offset().value(), hardened ? 23 : 20);
    EXPECT_EQ(again.queue()->max_offset(), QueueOffset(25));
    // What a consumer gets that begins at the front.
    EXPECT_EQ(again.get(again.queue()->min_offset().value()).records.size(), hardened ? 2u : 0u);
  }
}

TEST(StoreBehaviour, FillerThatIsAllThatACrashLeftCountsAsDispatchedOrNot) {
  for (const bool hardened : {false, true}) {
    StoreWorld world(
        store_with(BehaviourSwitch::queue_counts_filler, hardened, FlushDiskType::sync_flush));
    LogBuilder log(world.files);
    log.add(kBody, 23);
    log.crashed(0);
    const Bytes filler = [] {
      const SharedBytes units = encode_pre_blank_units(3);
      Bytes bytes(units.span().begin(), units.span().end());
      bytes.resize(kUnitsPerFile * kUnitBytes);
      return bytes;
    }();
    world.files.put(queue_file(20), filler);
    StoreProcess broker(world);
    EXPECT_EQ(broker.queue()->max_offset().value(), hardened ? 24 : 23);
    EXPECT_EQ(broker.get(23).status == GetStatus::found, hardened);
  }
}

// B005. Of 25 records, each in a file of its own, the first 12 are deleted; of the units a crash
// has left that of the record 10, whose file of the log is gone.
TEST(StoreBehaviour, AQueueThatIsShorterThanWhatIsDeletedShiftsItsNumbersOrNot) {
  for (const bool hardened : {false, true}) {
    StoreWorld world(
        store_with(BehaviourSwitch::queue_gap_shifts_numbers, hardened, FlushDiskType::sync_flush));
    LogBuilder log(world.files);
    for (std::int64_t i = 0; i < 25; ++i) {
      log.add(kFileBytes - 200, i);
      log.blank();
    }
    log.crashed(0);
    for (std::int64_t i = 0; i < 12; ++i) world.files.nodes.erase(log_file(i * kFileBytes));
    const ConsumeQueueUnit left{PhysicalOffset(10 * kFileBytes), 100, 0};
    Bytes units(kUnitsPerFile * kUnitBytes);
    std::ranges::copy(encode_unit(left), units.begin());
    world.files.put(queue_file(10), units);
    StoreProcess broker(world);
    EXPECT_EQ(broker.queue()->max_offset().value(), hardened ? 25 : 24);
    EXPECT_EQ(broker.queue()->min_offset().value(), hardened ? 12 : 11);
    // Which record a consumer finds at the number 20.
    const GetResult got = broker.get(20);
    ASSERT_EQ(got.status, GetStatus::found);
    const SharedBytes record = got.records.front().flatten();
    RecordView view;
    ASSERT_TRUE(check_record(record.span(), kFileBytes, ContentCheck::body_crc, view).good());
    EXPECT_EQ(view.queue_offset, hardened ? 20 : 21);
  }
}

// The same of a queue whose older files are deleted, and whose last one a crash has left empty.
TEST(StoreBehaviour, AQueueOfWhichNothingIsLeftButItsNameBeginsAtTheNextRecordOrNot) {
  for (const bool hardened : {false, true}) {
    StoreWorld world(
        store_with(BehaviourSwitch::queue_gap_shifts_numbers, hardened, FlushDiskType::sync_flush));
    LogBuilder log(world.files);
    for (std::int64_t i = 12; i < 15; ++i) log.add(kBody, i);
    log.crashed(0);
    world.files.put(queue_file(10), Bytes(kUnitsPerFile * kUnitBytes));
    world.configuration.behaviour.set(BehaviourSwitch::queue_keeps_unit_of_zeros,
                                      BehaviourValue::hardened);
    StoreProcess broker(world);
    EXPECT_EQ(broker.queue()->max_offset().value(), hardened ? 15 : 13);
    EXPECT_EQ(broker.get(hardened ? 14 : 12).status, GetStatus::found);
  }
}

// The first of three records is lost, so the log ends in front of it; then one of its length is
// stored there.
TEST(StoreBehaviour, OldRecordsBehindTheEndComeBackOrNot) {
  for (const bool hardened : {false, true}) {
    StoreWorld world(store_with(BehaviourSwitch::recovery_leaves_old_records, hardened,
                                FlushDiskType::sync_flush));
    LogBuilder log(world.files);
    for (std::int64_t i = 0; i < 3; ++i) log.add(kBody, i);
    log.damage(0);
    log.crashed(0);
    {
      StoreProcess first(world);
      ASSERT_TRUE(first.units().empty());
      ASSERT_EQ(first.put_now(message_of(kBody)).status, PutStatus::put_ok);
      EXPECT_EQ(first.units().size(), 1u);
      first.kill();
    }
    StoreProcess second(world);
    EXPECT_EQ(second.units().size(), hardened ? 1u : 3u);
    EXPECT_EQ(second.units()[0].physical.value(), hardened ? kFileBytes : 0);
  }
}

// The record behind the end of the log is lost, its unit in queue 1 is not. Then a message of
// queue 0 is stored where it was; or, if the log goes on in a new file, elsewhere.
TEST(StoreBehaviour, OldUnitsBehindTheEndOfAQueueComeBackOrNot) {
  for (const bool hardened : {false, true}) {
    for (const bool power : {false, true}) {
      StoreWorld world(store_with(BehaviourSwitch::recovery_leaves_old_records, hardened,
                                  FlushDiskType::sync_flush));
      std::int64_t end = 0;
      {
        StoreProcess first(world);
        first.put_now(message_of(kBody, 1));
        end = first.end();
        first.put_now(message_of(kBody, 1));
        first.stop();
      }
      LogBuilder(world.files).write(end, Bytes(static_cast<std::size_t>(record_of(kBody))));
      LogBuilder(world.files).crashed(0);
      {
        StoreProcess second(world);
        ASSERT_EQ(second.units(1).size(), 1u);
        ASSERT_EQ(second.put_now(message_of(kBody, 0)).status, PutStatus::put_ok);
        power ? world.power_cycle() : second.kill();
      }
      StoreProcess third(world);
      ASSERT_EQ(third.units(0).size(), 1u);
      const std::vector<ConsumeQueueUnit> units = third.units(1);
      ASSERT_EQ(units.size(), hardened ? 1u : 2u) << power;
      EXPECT_EQ(units.back().physical == third.units(0)[0].physical, !hardened);
      EXPECT_EQ(third.put_now(message_of(kBody, 1)).queue_offset.value(), hardened ? 1 : 2);
    }
  }
}

// Units that lie behind one that is lost.
TEST(StoreBehaviour, OldUnitsBehindAHoleOfAQueueComeBackOrNot) {
  for (const bool hardened : {false, true}) {
    StoreWorld world(store_with(BehaviourSwitch::recovery_leaves_old_records, hardened,
                                FlushDiskType::sync_flush));
    LogBuilder log(world.files);
    log.add(kBody);
    log.add_unit(0, 0, log.end());
    log.add_unit(3 * kFileBytes, 2, log.end());
    log.crashed(0);
    {
      StoreProcess first(world);
      ASSERT_EQ(first.units().size(), 1u);
      first.put_now(message_of(kBody));
      first.kill();
    }
    StoreProcess second(world);
    EXPECT_EQ(second.units().size(), 2u);  // The third one lies behind the log.
    EXPECT_EQ(decode_unit(std::span(world.files.at(queue_file(0)).cached).subspan(2 * kUnitBytes))
                  .valid(),
              !hardened);
  }
}

// An orderly stop without a message between: the blank record that closed the file is the last one
// of the log again, and is not overwritten.
TEST(StoreBehaviour, OldRecordsStayBehindABlankRecordAlsoAfterAnOrderlyStop) {
  StoreWorld world(
      store_with(BehaviourSwitch::recovery_leaves_old_records, true, FlushDiskType::sync_flush));
  LogBuilder log(world.files);
  for (std::int64_t i = 0; i < 3; ++i) log.add(kBody, i);
  log.damage(0);
  log.crashed(0);
  {
    StoreProcess first(world);
    first.stop();
  }
  {
    StoreProcess second(world);
    ASSERT_EQ(second.put_now(message_of(kBody)).status, PutStatus::put_ok);
    second.kill();
  }
  StoreProcess third(world);
  ASSERT_EQ(third.units().size(), 1u);
  EXPECT_EQ(third.units()[0].physical.value(), kFileBytes);
}

// A message a second, nine in all, so that no flush covers a unit; the log is flushed each time.
TEST(StoreBehaviour, UnitsThatNoFlushCoveredAreMadeAgainOrNot) {
  for (const bool hardened : {false, true}) {
    StoreWorld world(store_with(BehaviourSwitch::checkpoint_ahead_of_queues, hardened,
                                FlushDiskType::sync_flush));
    {
      StoreProcess broker(world);
      for (int i = 0; i < 9; ++i) {
        ASSERT_EQ(broker.put_now(message_of(kBody)).status, PutStatus::put_ok);
      }
      world.power_cycle();
    }
    StoreProcess next(world);
    if (hardened) {
      EXPECT_EQ(next.units().size(), 9u);
    } else {
      EXPECT_LT(next.units().size(), 9u);
    }
  }
}

// It stays where the last thorough flush was, a minute after the first one.
TEST(StoreBehaviour, TheHardenedCheckpointMovesWithTheFlushesOfTheQueues) {
  StoreWorld world(
      store_with(BehaviourSwitch::checkpoint_ahead_of_queues, true, FlushDiskType::sync_flush));
  StoreProcess broker(world);
  std::vector<std::int64_t> stored;
  for (int i = 0; i < 70; ++i) stored.push_back(broker.put_now(message_of(kBody)).store_ms);
  const std::int64_t logics_ms = broker.store().checkpoint().fields().logics_ms;
  EXPECT_GE(logics_ms, stored[55]);
  EXPECT_LE(logics_ms, stored[65]);
}

// Nothing is dispatched in between; the flush at the stop covers nothing.
TEST(StoreBehaviour, TheHardenedCheckpointStaysOverAnOrderlyRestart) {
  StoreWorld world(
      store_with(BehaviourSwitch::checkpoint_ahead_of_queues, true, FlushDiskType::sync_flush));
  std::int64_t stored_ms = 0;
  {
    StoreProcess broker(world);
    stored_ms = broker.put_now(message_of(kBody)).store_ms;
    broker.stop();
  }
  for (int restart = 0; restart < 2; ++restart) {
    StoreProcess next(world);
    EXPECT_EQ(next.store().checkpoint().fields().logics_ms, stored_ms);
    world.run_for(Duration::s(70));
    next.stop();
    const Bytes& file = world.files.at("/store/checkpoint").durable;
    EXPECT_EQ(read_big_endian<std::int64_t>(file.data() + 8), stored_ms);
  }
}

// Within one interval, so that the flush at the stop has them all to do.
TEST(StoreBehaviour, TheHardenedFlushLeavesOutNoFileOfAQueue) {
  StoreConfiguration configuration =
      store_with(BehaviourSwitch::checkpoint_ahead_of_queues, true, FlushDiskType::async_flush);
  configuration.mapped_file_size_commit_log = 1 << 20;
  configuration.mapped_file_size_consume_queue = kUnitBytes;
  StoreWorld world(configuration);
  StoreProcess broker(world);
  world.run_for(Duration::ms(1500));  // The first round is over.
  constexpr int kFiles = 150;
  for (int i = 0; i < kFiles; ++i) broker.put(message_of(kBody));
  world.run_for(Duration::ms(1));
  ASSERT_EQ(broker.queue()->max_offset(), QueueOffset(kFiles));
  ASSERT_EQ(broker.queue()->flushed_offset(), QueueOffset());
  broker.stop();
  for (int i = 0; i < kFiles; ++i) {
    const MemoryFiles::Node& file = world.files.at(queue_file(i));
    EXPECT_EQ(file.durable, file.cached) << i;
    EXPECT_NE(file.durable, Bytes(kUnitBytes)) << i;
  }
}

IncomingMessage keyed(std::string_view key) {
  IncomingMessage made = message_of(kBody);
  const Property properties[] = {{property::kKeys, key}};
  made.properties = encode_properties(properties);
  return made;
}

Task<void> query_task(StoreProcess& broker, MessageQuery query, std::size_t& count) {
  Worker& worker = broker.process().context().workers.add("QueryMessageThread_1");
  Result<QueryResult> result = co_await broker.store().query_message(worker, query);
  ENSURE(result.has_value());
  count = result->records.size();
}

std::size_t found(StoreWorld& world, StoreProcess& broker, std::string_view key) {
  std::size_t count = 0;
  const MessageQuery query{.topic = "T", .key = key};
  broker.process().context().scope.spawn(query_task(broker, query, count));
  world.run_for(Duration());
  return count;
}

// A message a second over three files of the log, all in one file of the index; then a kill.
TEST(StoreBehaviour, KeysOfTheUnfinishedIndexFileAreForgottenOrNot) {
  for (const bool hardened : {false, true}) {
    StoreConfiguration configuration = store_with(BehaviourSwitch::index_forgets_unfinished_file,
                                                  hardened, FlushDiskType::sync_flush);
    configuration.message_index_enable = true;
    configuration.index = {.slots = 8, .entries = 100};
    StoreWorld world(configuration);
    {
      StoreProcess broker(world);
      for (const char key : std::string("abcdefghijk")) {
        ASSERT_EQ(broker.put_now(keyed(std::string(1, key))).status, PutStatus::put_ok);
      }
      EXPECT_EQ(found(world, broker, "a"), 1u);
      broker.kill();
    }
    StoreProcess next(world);
    EXPECT_EQ(found(world, next, "a"), hardened ? 1u : 0u);
    EXPECT_EQ(found(world, next, "k"), 1u);
  }
}

// Two full files of the index, the second one with older times than the first; then a power loss.
TEST(StoreBehaviour, TheHardenedIndexKeepsAFullFileOverAClockThatSteppedBack) {
  StoreConfiguration configuration =
      store_with(BehaviourSwitch::index_forgets_unfinished_file, true, FlushDiskType::sync_flush);
  configuration.message_index_enable = true;
  configuration.index = {.slots = 8, .entries = 5};
  StoreWorld world(configuration);
  {
    StoreProcess broker(world);
    for (const char key : std::string("abcd")) broker.put_now(keyed(std::string(1, key)));
    world.host().clock().set_wall_offset(1'600'000'000'000'000'000);
    for (const char key : std::string("efghi")) broker.put_now(keyed(std::string(1, key)));
    world.power_cycle();
  }
  StoreProcess next(world);
  for (const char key : std::string("abcdefghi")) {
    // The last message of the last file that stays is filed again: its keys may go on behind it.
    EXPECT_EQ(found(world, next, std::string(1, key)), key == 'h' ? 2u : 1u) << key;
  }
}

}  // namespace
}  // namespace drydock::test
