// The store on a simulated disk with page cache, journal and write cache: a killed process loses
// nothing, a power loss keeps what was synced and leaves a log that recovery can read.
#include <gtest/gtest.h>

#include "sim/fs/host_files.hpp"
#include "tests/support/store_world.hpp"

namespace drydock::test {
namespace {

class DiskWorld : public StoreWorld {
 public:
  explicit DiskWorld(StoreConfiguration store, sim::DiskProfile profile = sim::local_nvme(),
                     sim::FileSystemOptions mount = {})
      : StoreWorld(std::move(store)),
        disk(
            kernel, DiskId(0),
            {.name = "d0", .capacity_bytes = std::int64_t{1} << 30, .profile = std::move(profile)}),
        disk_files(kernel, host(), disk, mount) {}

  std::unique_ptr<FileSystem> attach(sim::SimProcess& process) override {
    return disk_files.attach(process);
  }
  void power_cycle() override {
    host().lose_power();
    run_for(Duration::s(1));
    host().restore_power();
    run_for(Duration::s(1));
  }

  sim::SimDisk disk;
  sim::HostFiles disk_files;
};

StoreConfiguration store_with(FlushDiskType flush) {
  StoreConfiguration configuration = small_store(flush);
  configuration.mapped_file_size_commit_log = 64 * 1024;
  return configuration;
}

// Starts a store and lets it settle; disks take time.
class Started : public StoreProcess {
 public:
  explicit Started(StoreWorld& world) : StoreProcess(world) {
    world.run_for(Duration::s(1));
    ENSURE(started());
  }
};

struct Written {
  std::int64_t acknowledged_end = 0;
  std::int64_t acknowledged = 0;
  std::int64_t end = 0;
};

// Puts messages 200 us apart, until `count` were started.
Written write(StoreWorld& world, StoreProcess& broker, int count) {
  std::vector<PendingPut> puts;
  for (int i = 0; i < count; ++i) {
    puts.push_back(broker.put(message_of(700)));
    world.run_for(Duration::us(200));
  }
  Written written;
  for (const PendingPut& put : puts) {
    if (put->status() != PutStatus::put_ok) continue;
    ++written.acknowledged;
    written.acknowledged_end =
        std::max(written.acknowledged_end, put->result->offset.value() + put->result->bytes);
  }
  written.end = broker.end();
  return written;
}

TEST(StoreOnDisk, AKillLosesNothingInEitherMode) {
  for (const FlushDiskType flush : {FlushDiskType::async_flush, FlushDiskType::sync_flush}) {
    DiskWorld world(store_with(flush));
    Written written;
    {
      Started broker(world);
      written = write(world, broker, 300);
      broker.kill();
    }
    Started next(world);
    EXPECT_EQ(next.end(), written.end);
    EXPECT_GT(written.acknowledged, 200);
  }
}

TEST(StoreOnDisk, WithSyncFlushAPowerLossKeepsEveryAcknowledgedMessage) {
  for (const auto& profile : {sim::local_nvme(), sim::sata_ssd()}) {
    DiskWorld world(store_with(FlushDiskType::sync_flush), profile);
    Started broker(world);
    const Written written = write(world, broker, 300);
    ASSERT_GT(written.acknowledged, 0);
    world.power_cycle();
    Started next(world);
    EXPECT_GE(next.end(), written.acknowledged_end) << profile.name;
    EXPECT_EQ(next.put_now(message_of(700)).status, PutStatus::put_ok);
  }
}

TEST(StoreOnDisk, WithAsyncFlushAPowerLossCutsWhatWasNotFlushed) {
  DiskWorld world(store_with(FlushDiskType::async_flush));
  Started broker(world);
  const Written written = write(world, broker, 300);
  EXPECT_EQ(written.acknowledged, 300);
  world.power_cycle();
  Started next(world);
  EXPECT_LT(next.end(), written.acknowledged_end);
  // The log goes on behind the cut, and is whole.
  ASSERT_EQ(next.put_now(message_of(700)).status, PutStatus::put_ok);
  const std::int64_t end = next.end();
  next.kill();
  Started last(world);
  EXPECT_EQ(last.end(), end);
}

TEST(StoreOnDisk, AFlushThatTheDeviceRefusesLosesAnAcknowledgedMessageOfTheFaithfulStore) {
  for (const bool hardened : {false, true}) {
    StoreConfiguration configuration = store_with(FlushDiskType::sync_flush);
    configuration.behaviour.set(BehaviourSwitch::flush_error_advances_position,
                                hardened ? BehaviourValue::hardened : BehaviourValue::faithful);
    DiskWorld world(configuration);
    Started broker(world);
    ASSERT_EQ(broker.put_now(message_of(700)).status, PutStatus::put_ok);
    const std::int64_t safe = broker.end();
    world.disk.fail_next(sim::DiskCommand::Kind::write, 1);
    const PutResult put = broker.put_now(message_of(700));
    EXPECT_EQ(put.status, hardened ? PutStatus::flush_disk_timeout : PutStatus::put_ok);
    EXPECT_EQ(world.count(EventName::store_flush_failed), 1u);
    world.power_cycle();
    Started next(world);
    EXPECT_EQ(next.end(), safe);
  }
}

// The journal is committed every 5 s, and nothing is flushed before.
TEST(StoreOnDisk, APowerLossSoonAfterTheStartTakesTheAbortFileOrNot) {
  for (const bool hardened : {false, true}) {
    StoreConfiguration configuration = store_with(FlushDiskType::async_flush);
    configuration.behaviour.set(BehaviourSwitch::abort_not_synced,
                                hardened ? BehaviourValue::hardened : BehaviourValue::faithful);
    DiskWorld world(configuration);
    Started broker(world);
    world.power_cycle();
    std::optional<bool> there;
    sim::SimProcess& reader = world.host().spawn("reader");
    reader.attach(std::make_unique<NoNetwork>(), world.disk_files.attach(reader));
    reader.start([&](Context& context) -> Task<void> {
      AbortFile abort(context, "/store", Behaviour());
      Result<bool> exists = co_await abort.exists(context.workers.add("reader"));
      ENSURE(exists.has_value());
      there = *exists;
    });
    world.run_for(Duration::s(1));
    EXPECT_EQ(there, hardened);
  }
}

// Where a sync of a file does not keep its name. The store is an hour old; then the third file of
// its log is made, when the second one, which was made with the first, is begun.
TEST(StoreOnDisk, AFileOfTheLogThatWasSyncedIsLostWithItsNameOrNot) {
  for (const bool hardened : {false, true}) {
    StoreConfiguration configuration = store_with(FlushDiskType::sync_flush);
    configuration.behaviour.set(BehaviourSwitch::files_names_not_synced,
                                hardened ? BehaviourValue::hardened : BehaviourValue::faithful);
    DiskWorld world(configuration, sim::local_nvme(),
                    {.names = sim::NamesDurable::with_directory_sync});
    Started broker(world);
    ASSERT_EQ(broker.put_now(message_of(700)).status, PutStatus::put_ok);
    world.run_for(Duration::s(3600));
    const std::int64_t two_files = 2 * configuration.mapped_file_size_commit_log;
    const auto in_two = static_cast<int>(two_files / record_of(700));
    const Written written = write(world, broker, in_two + 20);
    ASSERT_GT(written.acknowledged_end, two_files);
    world.power_cycle();
    Started next(world);
    if (hardened) {
      EXPECT_GE(next.end(), written.acknowledged_end);
    } else {
      EXPECT_LE(next.end(), two_files);
    }
    EXPECT_EQ(next.put_now(message_of(700)).status, PutStatus::put_ok);
  }
}

// Queue 1 is an hour younger than the store, and its units lie in two files of the log, which keep
// their names. The checkpoint takes its file for flushed, so recovery begins at the second one.
TEST(StoreOnDisk, AFileOfAQueueThatWasFlushedIsLostWithItsNameOrNot) {
  for (const bool hardened : {false, true}) {
    StoreConfiguration configuration = small_store(FlushDiskType::sync_flush);
    configuration.flush_consume_queue_thorough_interval = Duration::s(1);
    configuration.behaviour.set(BehaviourSwitch::checkpoint_ahead_of_queues,
                                BehaviourValue::hardened);
    configuration.behaviour.set(BehaviourSwitch::files_names_not_synced,
                                hardened ? BehaviourValue::hardened : BehaviourValue::faithful);
    DiskWorld world(
        configuration, sim::local_nvme(),
        {.commit_interval = Duration::s(60), .names = sim::NamesDurable::with_directory_sync});
    Started broker(world);
    ASSERT_EQ(broker.put_now(message_of(900)).status, PutStatus::put_ok);
    world.run_for(Duration::s(3600));
    for (int i = 0; i < 7; ++i) {  // Three in the first file, four in the second.
      ASSERT_EQ(broker.put_now(message_of(900, 1)).status, PutStatus::put_ok);
      world.run_for(Duration::s(1));
    }
    world.run_for(Duration::s(3));
    world.power_cycle();
    Started next(world);
    EXPECT_GT(next.end(), kFileBytes);
    EXPECT_EQ(next.units(1).size(), hardened ? 7u : 4u);
  }
}

Task<void> count_task(StoreProcess& broker, MessageQuery query, std::size_t& count) {
  Worker& worker = broker.process().context().workers.add("QueryMessageThread_1");
  Result<QueryResult> result = co_await broker.store().query_message(worker, query);
  ENSURE(result.has_value());
  count = result->records.size();
}
std::size_t found(StoreWorld& world, StoreProcess& broker, std::string_view key) {
  std::size_t count = 0;
  const MessageQuery query{.topic = "T", .key = key};
  broker.process().context().scope.spawn(count_task(broker, query, count));
  world.run_for(Duration::ms(100));
  return count;
}

// The same of the index, four keys to a file and twelve messages to a file of the log: the second
// and third file of the index are new, full, and what the checkpoint says is flushed.
TEST(StoreOnDisk, AFileOfTheIndexThatWasFlushedIsLostWithItsNameOrNot) {
  for (const bool hardened : {false, true}) {
    StoreConfiguration configuration = small_store(FlushDiskType::sync_flush);
    configuration.mapped_file_size_commit_log = 3 * kFileBytes;
    configuration.flush_consume_queue_thorough_interval = Duration::s(1);
    configuration.message_index_enable = true;
    configuration.index = {.slots = 8, .entries = 5};
    configuration.behaviour.set(BehaviourSwitch::files_names_not_synced,
                                hardened ? BehaviourValue::hardened : BehaviourValue::faithful);
    DiskWorld world(
        configuration, sim::local_nvme(),
        {.commit_interval = Duration::s(60), .names = sim::NamesDurable::with_directory_sync});
    Started broker(world);
    for (const char key : std::string("abcdefghijklmnopq")) {
      IncomingMessage message = message_of(850);
      const std::string name(1, key);
      const Property properties[] = {{property::kKeys, name}};
      message.properties = encode_properties(properties);
      ASSERT_EQ(broker.put_now(std::move(message)).status, PutStatus::put_ok);
      world.run_for(key == 'a' ? Duration::s(3600) : Duration::s(1));
    }
    world.power_cycle();
    Started next(world);
    // (Recovery files the messages of the second file of the log again.)
    for (const char key : std::string("adeflq")) {
      const bool stays = hardened || key < 'e' || key == 'q';
      EXPECT_EQ(found(world, next, std::string(1, key)), stays ? 1u : 0u) << key << hardened;
    }
  }
}

TEST(StoreOnDisk, RepeatedPowerLossesNeverLoseAnAcknowledgedMessage) {
  DiskWorld world(store_with(FlushDiskType::sync_flush), sim::sata_ssd());
  std::int64_t acknowledged_end = 0;
  for (int round = 0; round < 20; ++round) {
    Started broker(world);
    ASSERT_GE(broker.end(), acknowledged_end) << round;
    const Written written = write(world, broker, 40 + round);
    acknowledged_end = std::max(acknowledged_end, written.acknowledged_end);
    world.power_cycle();
  }
}

}  // namespace
}  // namespace drydock::test
