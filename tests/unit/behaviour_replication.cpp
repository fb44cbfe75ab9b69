// Both sides of the behaviour switches of master and slave.
#include <gtest/gtest.h>

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
  void start_slave() {
    BrokerConfiguration slave = configuration;
    slave.ha.role = BrokerRole::slave;
    slave.broker_id = 1;
    slave.ha.master_address = endpoint(1, kHaPort);
    sim::SimProcess& process = host(2).spawn("slave");
    process.attach(network.attach(host(2), process), slave_files.attach());
    process.start([slave](Context& context) { return run_broker(context, slave); });
    run_for(Duration::s(7));
    ENSURE(count(EventName::ha_slave_acknowledged) > 0);
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

}  // namespace
}  // namespace drydock::test
