// A master and a slave as their users see them, over the simulated network, 1 ms apart. Facts: HA
// reference, section 1.
#include <gtest/gtest.h>

#include "engine/store/consume_queue_unit.hpp"
#include "engine/store/index_file.hpp"
#include "engine/store/mapped_file_queue.hpp"
#include "engine/wire/message_batch.hpp"
#include "engine/wire/pull_message.hpp"
#include "engine/wire/send_message.hpp"
#include "tests/support/raw_client.hpp"

namespace drydock::test {
namespace {

constexpr std::uint16_t kHaPort = BrokerWorld::kBrokerPort + 1;

BrokerConfiguration small_master() {
  BrokerConfiguration configuration = small_broker();
  configuration.store.flush_disk_type = FlushDiskType::async_flush;
  configuration.store.mapped_file_size_commit_log = 8 * 1024;
  return configuration;
}

// The client's host is 0, the master's 1, the slave's 2.
class Pair : public BrokerWorld {
 public:
  explicit Pair(BrokerConfiguration master = small_master()) : BrokerWorld(std::move(master)) {
    slave_files.clock = &host(2).clock();
  }

  MemoryFiles slave_files;

  sim::SimProcess& start_slave() {
    BrokerConfiguration copy = configuration;
    copy.ha.role = BrokerRole::slave;
    copy.broker_id = 1;
    copy.ha.master_address = endpoint(1, kHaPort);
    sim::SimProcess& process = host(2).spawn("slave" + std::to_string(slaves_++));
    process.attach(network.attach(host(2), process), slave_files.attach());
    process.start([copy](Context& context) { return run_broker(context, copy); });
    run_for(Duration());
    slave_ = &process;
    return process;
  }
  sim::SimProcess& slave() { return *slave_; }
  // Both, and the slave has reported for the first time.
  void start_both() {
    start_broker();
    start_slave();
    run_for(Duration::s(7));
    ENSURE(count(EventName::ha_slave_acknowledged) > 0);
  }
  static std::string log_path(std::int64_t start) {
    return "/store/commitlog/" + queue_file_name(PhysicalOffset(start));
  }
  // Whether both hosts have the same first `files` log files, byte for byte.
  bool same_logs(int number_of_files) {
    for (int i = 0; i < number_of_files; ++i) {
      const std::string path = log_path(i * configuration.store.mapped_file_size_commit_log);
      if (!files.exists(path) || !slave_files.exists(path)) return false;
      if (files.at(path).cached != slave_files.at(path).cached) return false;
    }
    return true;
  }

 private:
  int slaves_ = 0;
  sim::SimProcess* slave_ = nullptr;  // Its present life.
};

BrokerConfiguration sync_master(std::int32_t copies) {
  BrokerConfiguration configuration = small_master();
  configuration.ha.role = BrokerRole::sync_master;
  configuration.ha.in_sync_replicas = copies;
  return configuration;
}

// 1.1: a slave says nothing on connect; its first report leaves when more than 5 s are over.
TEST(ClassicHa, TheFirstReportComesAfterMoreThanFiveSeconds) {
  Pair world;
  world.start_broker();
  world.start_slave();
  world.run_for(Duration::ms(5'000));
  EXPECT_EQ(world.count(EventName::ha_slave_connected), 1u);
  EXPECT_EQ(world.count(EventName::ha_slave_acknowledged), 0u);
  world.run_for(Duration::ms(1'010));
  EXPECT_EQ(world.count(EventName::ha_slave_acknowledged), 1u);
}

TEST(ClassicHa, TheSlavesLogIsTheMastersByteForByteAlsoAcrossFiles) {
  Pair world;
  world.start_both();
  Client client(world);
  for (std::uint64_t key = 1; key <= 100; ++key) {
    const PendingSend sent = client.send(outgoing(key));
    world.run_for(Duration::ms(20));
    ASSERT_EQ(sent->status(), SendStatus::acked);
  }
  world.run_for(Duration::ms(200));
  EXPECT_TRUE(world.same_logs(3));
}

// A slave gets pieces that end anywhere, and dispatches whole records.
TEST(ClassicHa, TheSlavesQueuesAreTheMastersByteForByte) {
  BrokerConfiguration configuration = small_master();
  configuration.store.mapped_file_size_consume_queue = 200;
  configuration.ha.transfer_batch_size = 100;
  Pair world(configuration);
  world.start_both();
  Client client(world);
  for (std::uint64_t key = 1; key <= 100; ++key) client.send(outgoing(key));
  world.run_for(Duration::s(2));
  int queue_files = 0;
  for (const std::string& path : world.files.paths()) {
    if (!path.starts_with("/store/consumequeue/")) continue;
    ++queue_files;
    ASSERT_TRUE(world.slave_files.exists(path)) << path;
    EXPECT_EQ(world.files.at(path).cached, world.slave_files.at(path).cached) << path;
  }
  EXPECT_GE(queue_files, 10);
  // Its flush does not know store times; its dispatch does.
  EXPECT_GT(read_big_endian<std::int64_t>(world.slave_files.at("/store/checkpoint").cached.data()),
            0);
}

// 1.3.5: without a put that waits for copies, the master looks every 100 ms.
// The only file below a directory.
const Bytes& only_file(MemoryFiles& files, const std::string& directory) {
  const std::vector<std::string> paths = files.paths();
  const auto below = [&](const std::string& path) { return path.starts_with(directory); };
  ENSURE(std::ranges::count_if(paths, below) == 1);
  return files.at(*std::ranges::find_if(paths, below)).cached;
}

TEST(ClassicHa, TheSlaveHasEveryMessageOfABatchInItsQueueAndInItsIndex) {
  Pair world;
  world.start_both();
  std::string body;
  for (const std::string_view one : {"first", "second", "third"}) {
    append_to_batch(
        body, {.flag = 0, .body = as_byte_span(one), .properties = as_byte_span("KEYS\x01k\x02")});
  }
  SendMessageHeader header;
  header.producer_group = "g";
  header.topic = "orders";
  header.batch = true;
  RawClient client(world);
  EXPECT_EQ(client.code_of(encode_command(request_head(RequestCode::send_batch_message, 1), header,
                                          {}, as_byte_span(body))),
            0);
  world.run_for(Duration::s(1));
  EXPECT_TRUE(world.same_logs(1));
  const Bytes& units = only_file(world.slave_files, "/store/consumequeue/orders/0/");
  EXPECT_EQ(units, only_file(world.files, "/store/consumequeue/orders/0/"));
  EXPECT_NE(decode_unit(std::span(units).subspan(2 * kUnitBytes)).bytes, 0);
  const Bytes& index = only_file(world.slave_files, "/store/index/");
  EXPECT_EQ(index, only_file(world.files, "/store/index/"));
  EXPECT_EQ(decode_index_header(index).count, 4);
}

TEST(ClassicHa, AnAsyncMasterShipsWithinAHundredMilliseconds) {
  Pair world;
  world.start_both();
  Client client(world);
  const std::uint64_t before = world.count(EventName::ha_slave_acknowledged);
  const PendingSend sent = client.send(outgoing(1));
  world.run_for(Duration::ms(5));
  EXPECT_EQ(sent->status(), SendStatus::acked);
  EXPECT_EQ(world.count(EventName::ha_slave_acknowledged), before);
  world.run_for(Duration::ms(100));
  EXPECT_EQ(world.count(EventName::ha_slave_acknowledged), before + 1);
}

TEST(ClassicHa, APutThatWaitsForACopyHasItWhenItIsAcknowledged) {
  Pair world(sync_master(2));
  world.start_both();
  Client client(world);
  const std::uint64_t before = world.count(EventName::ha_slave_acknowledged);
  const PendingSend sent = client.send(outgoing(1));
  world.run_for(Duration::ms(10));  // To the broker, to the slave and back, and back.
  EXPECT_EQ(sent->status(), SendStatus::acked);
  EXPECT_GT(world.count(EventName::ha_slave_acknowledged), before);
  EXPECT_TRUE(world.same_logs(1));
}

TEST(ClassicHa, WithoutACopyInTimeTheOutcomeIsUnknown) {
  Pair world(sync_master(2));
  world.start_broker();
  Client client(world, {.send_timeout = Duration::s(10)});
  const PendingSend sent = client.send(outgoing(1));
  world.run_for(Duration::ms(2'990));
  EXPECT_FALSE(sent->done());
  world.run_for(Duration::ms(20));  // slaveTimeout
  EXPECT_EQ(sent->status(), SendStatus::unknown);
  EXPECT_EQ(sent->detail(), SendDetail::flush_slave_timeout);
  EXPECT_EQ(world.stored_properties().size(), 1u);  // It is stored all the same.
}

// 1.6: inSyncReplicas counts the master, and its default is 1.
TEST(ClassicHa, ASyncMasterWithTheDefaultWaitsForNobody) {
  Pair world(sync_master(1));
  world.start_broker();
  Client client(world);
  EXPECT_EQ(client.send_now(outgoing(1)).status, SendStatus::acked);
}

TEST(ClassicHa, AMessageThatDoesNotWantToWaitDoesNot) {
  Pair world(sync_master(2));
  world.start_broker();
  Client client(world);
  OutgoingMessage message = outgoing(1);
  message.wait_store_ok = false;
  EXPECT_EQ(client.send_now(std::move(message)).status, SendStatus::acked);
}

// Behaviour switch ha.slave-acks-before-flush.
TEST(ClassicHa, ASlaveAcknowledgesWhatItHasInMemoryOrHardenedWhatIsFlushed) {
  for (const BehaviourValue value : {BehaviourValue::faithful, BehaviourValue::hardened}) {
    BrokerConfiguration configuration = sync_master(2);
    configuration.store.behaviour.set(BehaviourSwitch::ha_slave_acks_before_flush, value);
    Pair world(configuration);
    world.start_both();
    Client client(world);
    const PendingSend sent = client.send(outgoing(1));
    world.run_for(Duration::ms(20));
    ASSERT_EQ(sent->status(), SendStatus::acked);
    const std::string log = Pair::log_path(0);
    const bool safe = world.slave_files.at(log).durable == world.files.at(log).cached;
    EXPECT_EQ(safe, value == BehaviourValue::hardened);
    // A sync that succeeds after one that failed proves nothing.
    world.slave_files.sync_failures = 1;
    world.slave_files.failing_path = "commitlog";
    client.send(outgoing(2));
    world.run_for(Duration::s(4));
    const PendingSend later = client.send(outgoing(3));
    world.run_for(Duration::s(4));
    EXPECT_EQ(later->status() == SendStatus::acked, value == BehaviourValue::faithful);
  }
}

// 1.7: the requests behind one that can't be satisfied end soon after it.
TEST(ClassicHa, TimeoutsComeInTheOrderOfThePuts) {
  Pair world(sync_master(2));
  world.start_both();
  Client client(world, {.send_timeout = Duration::s(10)});
  world.host(2).lose_power();
  std::vector<PendingSend> sends;
  for (std::uint64_t key = 1; key <= 3; ++key) {
    sends.push_back(client.send(outgoing(key)));
    world.run_for(Duration::ms(100));
  }
  world.run_for(Duration::s(4));
  for (std::size_t i = 0; i < sends.size(); ++i) {
    ASSERT_EQ(sends[i]->detail(), SendDetail::flush_slave_timeout) << i;
    EXPECT_GE(sends[i]->at, sends[0]->at + Duration::ms(98) * static_cast<std::int64_t>(i));
  }
}

// 1.4 and 1.9: answered with SYSTEM_BUSY before the put.
TEST(ClassicHa, ASlaveTakesNoSends) {
  Pair world;
  world.configuration.ha.role = BrokerRole::slave;
  world.configuration.broker_id = 1;
  world.start_broker();
  Client client(world);
  const SendOutcome outcome = client.send_now(outgoing(1));
  EXPECT_EQ(outcome.status, SendStatus::failed);
  EXPECT_EQ(outcome.detail, SendDetail::system_busy);
}

// 1.4: a slave whose connection has ended connects again after 5 s, and goes on where it was.
TEST(ClassicHa, ASlaveFollowsItsMastersNextLife) {
  Pair world;
  sim::SimProcess& master = world.start_broker();
  world.start_slave();
  world.run_for(Duration::s(7));
  Client client(world);
  ASSERT_EQ(client.send_now(outgoing(1)).status, SendStatus::acked);
  master.kill();
  world.run_for(Duration::ms(100));
  world.start_broker();
  world.run_for(Duration::s(12));
  EXPECT_EQ(world.count(EventName::ha_slave_connected), 2u);
  ASSERT_EQ(client.send_now(outgoing(2)).status, SendStatus::acked);
  EXPECT_TRUE(world.same_logs(1));
}

// 1.4: both sides close a connection on which nothing came for more than 20 s.
TEST(ClassicHa, SilenceEndsTheConnection) {
  Pair world;
  world.start_both();
  world.cut(1, 2);
  world.run_for(Duration::s(19));
  EXPECT_EQ(world.count(EventName::ha_slave_disconnected), 0u);
  world.run_for(Duration::s(3));
  EXPECT_EQ(world.count(EventName::ha_slave_disconnected), 1u);
}

// 1.5: no handshake compares the logs. A slave that is ahead of its master, because the master has
// lost its tail, gets equal heartbeats until the master passes it, and bytes that do not fit then.
TEST(ClassicHa, ASlaveThatIsAheadIsNotCut) {
  Pair world;
  sim::SimProcess& master = world.start_broker();
  world.start_slave();
  world.run_for(Duration::s(7));
  Client client(world);
  ASSERT_EQ(client.send(outgoing(1))->status(), std::nullopt);
  world.run_for(Duration::ms(150));  // Shipped, and not flushed by the master.
  const Bytes ahead = world.slave_files.at(Pair::log_path(0)).cached;
  master.kill();
  world.files.lose_power();
  world.start_broker();
  world.run_for(Duration::s(30));
  EXPECT_EQ(world.slave_files.at(Pair::log_path(0)).cached, ahead);
  EXPECT_FALSE(world.same_logs(1));
}

// Behaviour switch ha.report-beyond-end-counts: what such a slave has does not release a send.
TEST(ClassicHa, AReportBeyondTheEndReleasesSendsOrHardenedEndsTheConnection) {
  for (const BehaviourValue value : {BehaviourValue::faithful, BehaviourValue::hardened}) {
    BrokerConfiguration configuration = sync_master(2);
    configuration.store.behaviour.set(BehaviourSwitch::ha_report_beyond_end_counts, value);
    Pair world(configuration);
    sim::SimProcess& master = world.start_broker();
    world.start_slave();
    world.run_for(Duration::s(7));
    Client client(world, {.send_timeout = Duration::s(10)});
    for (std::uint64_t key = 1; key <= 5; ++key) client.send(outgoing(key));
    world.run_for(Duration::ms(50));  // Shipped, and not flushed by the master.
    master.kill();
    world.files.lose_power();
    world.start_broker();
    world.run_for(Duration::s(12));  // The slave has connected, and reported, again.
    Client again(world, {.send_timeout = Duration::s(10)});
    const PendingSend sent = again.send(outgoing(6));
    world.run_for(Duration::ms(20));
    EXPECT_EQ(sent->status() == SendStatus::acked, value == BehaviourValue::faithful);
    world.run_for(Duration::s(5));
    if (value == BehaviourValue::hardened) {
      EXPECT_EQ(sent->detail(), SendDetail::flush_slave_timeout);
      EXPECT_EQ(world.count(EventName::ha_slave_disconnected), 1u);
    }
  }
}

// A pull at the slave: its code, where to go on, whom to ask next, and the keys that came.
std::string pull_at_slave(RawClient& client, std::int64_t offset) {
  PullMessageHeader header;
  header.consumer_group = "G";
  header.topic = "orders";
  header.queue_offset = offset;
  header.sys_flag = pull_flag::kSubscription | pull_flag::kSuspend;
  header.suspend_timeout_ms = 15'000;
  const auto responses =
      client.ask(encode_command(request_head(RequestCode::pull_message, 1), header, {}, {}));
  if (responses.size() != 1) return "no answer";
  std::string seen = std::to_string(responses[0].head.code);
  const auto fields = decode_pull_message_response(responses[0].ext_fields.span());
  if (!fields) return seen;
  seen += " next " + std::to_string(fields->next.value());
  seen += " broker " + std::to_string(fields->suggested_broker_id) + ":";
  for_each_record(responses[0].body.span(), [&](auto, const RecordView& view) {
    seen += " " + std::string(find_property(as_text(view.properties), "KEYS"));
  });
  return seen;
}

class SlaveReads : public ::testing::Test {
 protected:
  void start(bool slave_read_enable, bool offset_check_in_slave = false) {
    BrokerConfiguration configuration = small_master();
    configuration.slave_read_enable = slave_read_enable;
    configuration.store.offset_check_in_slave = offset_check_in_slave;
    world.emplace(configuration);
    world->start_both();
    Client client(*world);
    for (std::uint64_t key = 1; key <= 3; ++key) {
      client.send(outgoing(key));
      world->run_for(Duration::ms(20));
    }
    world->run_for(Duration::s(1));
    // Without a name server nobody tells the slave whom to ask for topics: it has them from before.
    world->slave().kill();
    world->run_for(Duration::s(1));
    world->slave_files.put("/store/config/topics.json",
                           world->files.at("/store/config/topics.json").cached);
    world->start_slave();
    world->run_for(Duration::s(1));
    reader.emplace(*world, NetWorld::endpoint(2, BrokerWorld::kBrokerPort));
  }
  std::string pull(std::int64_t offset) { return pull_at_slave(*reader, offset); }

  std::optional<Pair> world;
  std::optional<RawClient> reader;
};

// 1.10: slaveReadEnable is off by default.
TEST_F(SlaveReads, ASlaveRefusesPullsUnlessItMayBeRead) {
  start(false);
  EXPECT_EQ(pull(0), "2");
}

// It sends its readers back to the master, and holds no pull.
TEST_F(SlaveReads, ASlaveThatMayBeReadHasWhatItsMasterHas) {
  start(true);
  EXPECT_EQ(pull(0), "0 next 3 broker 0: 1 2 3");
  EXPECT_EQ(pull(3), "20 next 3 broker 0:");
}

// It may lag: an offset that it does not have yet is no reason to move a reader.
TEST_F(SlaveReads, ASlaveMovesNoReaderUnlessItChecksOffsets) {
  start(true);
  EXPECT_EQ(pull(100), "20 next 100 broker 0:");
  EXPECT_EQ(pull(-1), "20 next -1 broker 0:");
  start(true, true);
  EXPECT_EQ(pull(100), "20 next 3 broker 0:");
}

}  // namespace
}  // namespace drydock::test
