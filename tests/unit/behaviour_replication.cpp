// Both sides of the behaviour switches of master and slave.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/broker_world.hpp"

namespace drydock::test {
namespace {

constexpr std::uint16_t kHaPort = BrokerWorld::kBrokerPort + 1;

BrokerConfiguration sync_master(BehaviourSwitch which, bool hardened) {
  BrokerConfiguration configuration = small_broker();
  configuration.ha.role = BrokerRole::sync_master;
  configuration.store.behaviour.set(which,
                                    hardened ? BehaviourValue::hardened : BehaviourValue::faithful);
  return configuration;
}

// The master is on host 1, a slave on host 2 once it is started.
class CopyWorld : public BrokerWorld {
 public:
  explicit CopyWorld(BrokerConfiguration master) : BrokerWorld(std::move(master)) {
    slave_files.clock = &host(2).clock();
    start_broker();
  }
  // It has reported for the first time.
  sim::SimProcess& start_slave() {
    BrokerConfiguration slave = configuration;
    slave.ha.role = BrokerRole::slave;
    slave.broker_id = 1;
    slave.ha.master_address = endpoint(1, kHaPort);
    sim::SimProcess& process = host(2).spawn("slave");
    process.attach(network.attach(host(2), process), slave_files.attach());
    process.start([slave](Context& context) { return run_broker(context, slave); });
    run_for(Duration::s(7));
    ENSURE(count(EventName::ha_slave_acknowledged) > 0);
    return process;
  }
  MemoryFiles slave_files;
};

// inSyncReplicas is 1, its default.
TEST(HaBehaviour, ASyncMasterWaitsForNobodyByDefaultOrForOneSlave) {
  for (const bool hardened : {false, true}) {
    CopyWorld world(sync_master(BehaviourSwitch::ha_sync_waits_for_nobody, hardened));
    Client client(world, {.send_timeout = Duration::s(10)});
    const SendOutcome alone = client.send_now(outgoing(1));
    EXPECT_EQ(alone.status, hardened ? SendStatus::unknown : SendStatus::acked);
    EXPECT_EQ(alone.detail == SendDetail::flush_slave_timeout, hardened);
    world.start_slave();
    EXPECT_EQ(client.send_now(outgoing(2)).status, SendStatus::acked);
  }
}

TEST(HaBehaviour, ASlaveAcknowledgesBeforeItsFlushOrAfterIt) {
  for (const bool hardened : {false, true}) {
    BrokerConfiguration master = sync_master(BehaviourSwitch::ha_slave_acks_before_flush, hardened);
    master.ha.in_sync_replicas = 2;
    CopyWorld world(master);
    world.start_slave();
    Client client(world);
    ASSERT_EQ(client.send_now(outgoing(1)).status, SendStatus::acked);
    world.slave_files.sync_time = Duration::s(1);
    const PendingSend sent = client.send(outgoing(2));
    world.run_for(Duration::ms(900));
    EXPECT_EQ(sent->done(), !hardened);
    world.run_for(Duration::ms(300));
    EXPECT_EQ(sent->status(), SendStatus::acked);
  }
}

// B047: the slave is away while the files go of which it would need the first.
TEST(HaBehaviour, ASlaveBehindWhatIsDeletedIsToldOfOrNot) {
  for (const bool hardened : {false, true}) {
    BrokerConfiguration master = sync_master(BehaviourSwitch::ha_ships_nothing_deleted, hardened);
    master.store.mapped_file_size_commit_log = 4096;
    CopyWorld world(master);
    Client client(world);
    sim::SimProcess& slave = world.start_slave();
    for (std::uint64_t key = 1; key <= 80; ++key) {
      if (key == 10) slave.kill();
      ASSERT_EQ(client.send_now(outgoing(key)).status, SendStatus::acked);
    }
    world.files.space = {100, 10, 10};
    world.run_for(Duration::s(75));
    ASSERT_GT(world.count(EventName::store_file_deleted), 2u);
    EXPECT_EQ(world.count(EventName::ha_slave_stranded), 0u);
    const std::uint64_t reports = world.count(EventName::ha_slave_acknowledged);
    world.start_slave();
    world.run_for(Duration::s(30));
    const auto told = std::ranges::count_if(world.log, [](const std::string& line) {
      return line.find("a slave's log ends at ") != std::string::npos;
    });
    EXPECT_EQ(told > 1, hardened) << "each time that it comes";
    EXPECT_EQ(world.count(EventName::ha_slave_disconnected) > 1, hardened);
    EXPECT_GE(world.count(EventName::ha_slave_stranded), 1u);
    EXPECT_GT(world.count(EventName::ha_slave_acknowledged), reports);
  }
}

}  // namespace
}  // namespace drydock::test
