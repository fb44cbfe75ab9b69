// What a slave asks its master for besides the log, over the simulated network, 1 ms apart. Facts:
// HA reference, 1.10.
#include <gtest/gtest.h>

#include "engine/broker/consumer_offsets.hpp"
#include "engine/broker/delay_offsets.hpp"
#include "engine/broker/subscription_groups.hpp"
#include "engine/broker/topics.hpp"
#include "engine/wire/consumer_offset.hpp"
#include "tests/support/raw_client.hpp"
#include "tests/support/route_world.hpp"

namespace drydock::test {
namespace {

// The client's host is 0, the master's 1, the name servers' 2 and 3, the slave's 4.
class SlaveMetadataPull : public ::testing::Test {
 protected:
  SlaveMetadataPull() {
    slave_files.clock = &world.host(4).clock();
    world.host(4).clock().set_wall_offset(1'700'000'000'000'000'000);
    world.start_name_server(0);
    world.start_broker();
    Client client(world);
    ENSURE(client.send_now(outgoing(1)).status == SendStatus::acked);
  }
  sim::SimProcess& start_slave() {
    BrokerConfiguration copy = world.configuration;
    copy.ha.role = BrokerRole::slave;
    copy.broker_id = 1;
    sim::SimProcess& process = world.host(4).spawn("slave" + std::to_string(slaves++));
    process.attach(world.network.attach(world.host(4), process), slave_files.attach());
    process.start([copy](Context& context) { return run_broker(context, copy); });
    world.run_for(Duration());
    return process;
  }
  void commit(std::string_view group, std::int64_t offset) {
    ConsumerOffsetHeader header;
    header.consumer_group = group;
    header.queue.topic = "orders";
    header.commit_offset = offset;
    RawClient client(world);
    ASSERT_EQ(client.code_of(encode_command(request_head(RequestCode::update_consumer_offset, 1),
                                            header, {}, {})),
              0);
  }
  std::string slave_file(const std::string& name) {
    const std::string path = "/store/config/" + name;
    if (!slave_files.exists(path)) return "";
    return std::string(as_text(slave_files.at(path).cached));
  }
  std::optional<std::int64_t> slave_offset(std::string_view group) {
    ConsumerOffsets offsets;
    if (!offsets.read(slave_file("consumerOffset.json"))) return std::nullopt;
    return offsets.find({group, "orders", 0});
  }

  RouteWorld world;
  MemoryFiles slave_files;
  int slaves = 0;
};

TEST_F(SlaveMetadataPull, ASlaveKnowsAndKeepsWhatItsMasterKnewOnceAMinuteIsOver) {
  commit("G", 7);
  start_slave();
  world.run_for(Duration::ms(60'900));
  EXPECT_EQ(world.count(EventName::slave_metadata_pulled), 0u);
  EXPECT_EQ(slave_offset("G"), std::nullopt);
  // Looks come 10 s after the start and every 3 s from then on: the first later than 60 s.
  world.run_for(Duration::ms(200));
  EXPECT_EQ(world.count(EventName::slave_metadata_pulled), 1u);
  EXPECT_EQ(slave_offset("G"), 7);
  EXPECT_EQ(slave_file("topics.json"),
            std::string(as_text(world.files.at("/store/config/topics.json").cached)));
}

TEST_F(SlaveMetadataPull, WhatCameInBetweenComesWithTheNextPull) {
  start_slave();
  commit("G", 7);
  world.run_for(Duration::ms(61'100));
  ASSERT_EQ(slave_offset("G"), 7);
  commit("G", 9);
  commit("H", 1);
  world.run_for(Duration::s(56));
  EXPECT_EQ(slave_offset("G"), 7);
  world.run_for(Duration::s(8));
  EXPECT_EQ(slave_offset("G"), 9);
  EXPECT_EQ(slave_offset("H"), 1);
}

// Whose address the name servers do not know nobody asks.
TEST_F(SlaveMetadataPull, WithoutAMasterNothingIsAskedAndNothingForgotten) {
  commit("G", 7);
  start_slave();
  world.run_for(Duration::ms(61'100));
  ASSERT_EQ(slave_offset("G"), 7);
  world.host(1).lose_power();
  world.run_for(Duration::s(200));
  EXPECT_EQ(slave_offset("G"), 7);
}

TEST(SlaveMetadata, OffsetsOfOtherPairsStay) {
  ConsumerOffsets offsets;
  ASSERT_TRUE(offsets.commit({"G", "orders", 0}, 5, 1));
  ASSERT_TRUE(offsets.commit({"G", "orders", 1}, 5, 1));
  ASSERT_TRUE(offsets.commit({"mine", "orders", 0}, 3, 1));
  const std::uint64_t before = offsets.changes();
  const std::string_view told =
      R"({"dataVersion":{"counter":4,"stateVersion":0,"timestamp":9},"offsetTable":{"orders@G":{0:2}}})";
  ASSERT_TRUE(offsets.follow(told));
  EXPECT_GT(offsets.changes(), before);
  EXPECT_EQ(offsets.find({"G", "orders", 0}), 2);  // Also backwards.
  EXPECT_EQ(offsets.find({"G", "orders", 1}), std::nullopt);
  EXPECT_EQ(offsets.find({"mine", "orders", 0}), 3);
  EXPECT_NE(offsets.write().find("\"counter\":4"), std::string::npos);
  EXPECT_FALSE(offsets.follow("{"));
  EXPECT_EQ(offsets.find({"mine", "orders", 0}), 3);
}

TEST(SlaveMetadata, TopicsAreThoseOfTheMasterUnlessTheVersionIsTheSame) {
  Topics master({}, 1'000);
  ASSERT_TRUE(master.find_or_create("orders", kAutoCreateTopic, 4, 2'000));
  Topics slave({}, 500);
  ASSERT_TRUE(slave.find_or_create("mine", kAutoCreateTopic, 4, 3'000));
  ASSERT_TRUE(slave.follow(master.write()));
  EXPECT_NE(slave.find("orders"), nullptr);
  EXPECT_EQ(slave.find("mine"), nullptr);
  EXPECT_EQ(slave.write(), master.write());
  const std::uint64_t changes = slave.changes();
  ASSERT_TRUE(slave.follow(master.write()));
  EXPECT_EQ(slave.changes(), changes);
  EXPECT_FALSE(slave.follow("[]"));
  EXPECT_EQ(slave.changes(), changes);
}

TEST(SlaveMetadata, GroupsAreThoseOfTheMasterUnlessTheVersionIsTheSame) {
  SubscriptionGroups master(true);
  ASSERT_NE(master.find_or_create("G", 1'000), nullptr);
  SubscriptionGroups slave(false);
  ASSERT_TRUE(slave.follow(master.write()));
  EXPECT_NE(slave.find("G"), nullptr);
  const std::uint64_t changes = slave.changes();
  ASSERT_TRUE(slave.follow(master.write()));
  EXPECT_EQ(slave.changes(), changes);
  EXPECT_FALSE(slave.follow("7"));
}

TEST(SlaveMetadata, DelayLevelsThatAreNotNamedStay) {
  DelayOffsets delays;
  delays.set(1, QueueOffset(5), 1);
  delays.set(2, QueueOffset(6), 1);
  ASSERT_TRUE(delays.read(R"({"offsetTable":{2:9,3:1}})"));
  EXPECT_EQ(delays.of(1), QueueOffset(5));
  EXPECT_EQ(delays.of(2), QueueOffset(9));
  EXPECT_EQ(delays.of(3), QueueOffset(1));
}

}  // namespace
}  // namespace drydock::test
