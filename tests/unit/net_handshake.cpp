// Connecting: round trips, retries, refusals, the backlog, and what a listening socket leaves
// behind.
#include <gtest/gtest.h>

#include "tests/support/net_world.hpp"

namespace drydock::test {
namespace {

constexpr Duration kLatency = Duration::ms(1);
constexpr std::uint16_t kPort = NetWorld::kPort;

TEST(NetHandshake, ConnectTakesARoundTripAndAcceptHalfOneMore) {
  NetWorld world(flat_network(kLatency));
  Actor& server = world.actor(1);
  Actor& client = world.actor(0);
  ASSERT_TRUE(server.listen(kPort).has_value());
  EXPECT_EQ(server.listener().local(), NetWorld::endpoint(1));
  const Pending<std::size_t> accepted = server.accept();
  const Pending<std::size_t> connected = client.connect(NetWorld::endpoint(1));
  world.run_for(Duration::s(1));
  ASSERT_TRUE(connected->ok());
  ASSERT_TRUE(accepted->ok());
  EXPECT_EQ(connected->at, 2 * kLatency);
  EXPECT_EQ(accepted->at, 3 * kLatency);
}

TEST(NetHandshake, NobodyListensIsRefusedAfterARoundTrip) {
  NetWorld world(flat_network(kLatency));
  world.host(1);
  const Pending<std::size_t> connected = world.actor(0).connect(NetWorld::endpoint(1));
  world.run_for(Duration::s(1));
  EXPECT_EQ(connected->error(), ErrorCode::connection_refused);
  EXPECT_EQ(connected->at, 2 * kLatency);
  EXPECT_EQ(world.network.connections(), 0u);
}

TEST(NetHandshake, SilenceTimesOutAfter127SecondsAnd7Syns) {
  NetWorld world;
  world.host(1);
  world.cut(0, 1);
  const Pending<std::size_t> connected = world.actor(0).connect(NetWorld::endpoint(1));
  world.run_to(Duration::s(127) - Duration::ns(1));
  EXPECT_FALSE(connected->done());
  world.run_to(Duration::s(200));
  EXPECT_EQ(connected->error(), ErrorCode::timed_out);
  EXPECT_EQ(connected->at, Duration::s(127));
  EXPECT_EQ(world.network.counters().sent, 7u);
}

TEST(NetHandshake, ADarkHostIsSilent) {
  NetWorld world;
  world.host(1).lose_power();
  const Pending<std::size_t> connected = world.actor(0).connect(NetWorld::endpoint(1));
  world.run_to(Duration::s(200));
  EXPECT_EQ(connected->error(), ErrorCode::timed_out);
  EXPECT_EQ(connected->at, Duration::s(127));
}

TEST(NetHandshake, AnAddressThatNobodyHasIsUnreachableAfterThreeSeconds) {
  NetWorld world;
  Actor& client = world.actor(0);
  const Pending<std::size_t> connected = client.connect(NetWorld::endpoint(99));
  ConnectOptions hurried;
  hurried.deadline = client.in(Duration::s(1));
  const Pending<std::size_t> early = client.connect(NetWorld::endpoint(99), hurried);
  world.run_for(Duration::s(10));
  EXPECT_EQ(connected->error(), ErrorCode::unreachable);
  EXPECT_EQ(connected->at, Duration::s(3));
  EXPECT_EQ(early->error(), ErrorCode::timed_out);
  EXPECT_EQ(early->at, Duration::s(1));
}

TEST(NetHandshake, TheNextSynGetsThroughAfterHealing) {
  NetWorld world(flat_network(kLatency));
  ASSERT_TRUE(world.actor(1).listen(kPort).has_value());
  const sim::CutId cut = world.cut(0, 1);
  const Pending<std::size_t> connected = world.actor(0).connect(NetWorld::endpoint(1));
  world.run_to(Duration::s(4));
  world.network.heal(cut);
  world.run_to(Duration::s(20));
  EXPECT_TRUE(connected->ok());
  EXPECT_EQ(connected->at, Duration::s(7) + 2 * kLatency);  // SYNs leave at 0, 1, 3 and 7 s.
}

TEST(NetHandshake, ALostAnswerIsRepeatedByBothSides) {
  NetWorld world(flat_network(kLatency));
  Actor& server = world.actor(1);
  ASSERT_TRUE(server.listen(kPort).has_value());
  const sim::CutId cut = world.cut(1, 0, sim::Direction::one_way);
  const Pending<std::size_t> accepted = server.accept();
  const Pending<std::size_t> connected = world.actor(0).connect(NetWorld::endpoint(1));
  world.run_to(Duration::ms(500));
  world.network.heal(cut);
  world.run_to(Duration::s(20));
  EXPECT_EQ(connected->at, Duration::s(1) + 2 * kLatency);
  EXPECT_EQ(accepted->at, Duration::s(1) + 3 * kLatency);
  EXPECT_EQ(world.network.connections(), 1u);
}

// The client's last step is lost: it believes itself connected, the server knows nothing of it.
class LastStepLost : public ::testing::Test {
 protected:
  LastStepLost() {
    EXPECT_TRUE(server.listen(kPort).has_value());
    accepted = server.accept();
    connected = client.connect(NetWorld::endpoint(1));
    world.run_to(kLatency);  // The SYN has arrived.
    cut = world.cut(0, 1, sim::Direction::one_way);
    world.run_to(Duration::ms(100));
    EXPECT_TRUE(connected->ok());
    EXPECT_FALSE(accepted->done());
  }

  NetWorld world{flat_network(kLatency)};
  Actor& client = world.actor(0);
  Actor& server = world.actor(1);
  Pending<std::size_t> accepted;
  Pending<std::size_t> connected;
  sim::CutId cut;
};

TEST_F(LastStepLost, TheServersRetryBringsItAgain) {
  world.network.heal(cut);
  world.run_to(Duration::s(10));
  ASSERT_TRUE(accepted->ok());
  // The SYN-ACK of 1 ms is repeated a second later, and answered.
  EXPECT_EQ(accepted->at, Duration::ms(1'001) + 2 * kLatency);
}

TEST_F(LastStepLost, BytesOfTheClientProveItToo) {
  world.network.heal(cut);
  client.write("x");
  world.run_to(Duration::ms(500));
  EXPECT_TRUE(accepted->ok());
  const Pending<ByteChain> read = server.read();
  world.run_for(Duration());
  EXPECT_EQ(text_of(read), "x");
}

TEST_F(LastStepLost, TheServerForgetsItAfter63Seconds) {
  world.run_to(Duration::s(70));
  world.network.heal(cut);
  world.run_to(Duration::s(80));
  EXPECT_FALSE(accepted->done());
  client.write("x");
  const Pending<ByteChain> read = client.read();
  world.run_to(Duration::s(90));
  EXPECT_EQ(read->error(), ErrorCode::connection_reset);
  EXPECT_FALSE(accepted->done());
}

TEST(NetHandshake, ConnectHasADeadline) {
  NetWorld world(flat_network(kLatency));
  Actor& server = world.actor(1);
  Actor& client = world.actor(0);
  ASSERT_TRUE(server.listen(kPort).has_value());
  ConnectOptions options;
  options.deadline = client.in(Duration::us(1'500));
  const Pending<std::size_t> connected = client.connect(NetWorld::endpoint(1), options);
  world.run_for(Duration::s(1));
  EXPECT_EQ(connected->error(), ErrorCode::timed_out);
  EXPECT_EQ(connected->at, Duration::us(1'500));
  // The SYN-ACK met no socket and was answered by a reset: the backlog is empty again.
  const Pending<std::size_t> accepted = server.accept();
  world.run_for(Duration::s(100));
  EXPECT_FALSE(accepted->done());
  EXPECT_EQ(world.network.connections(), 0u);
}

TEST(NetHandshake, ConnectAndAcceptCanBeCancelled) {
  NetWorld world;
  Actor& server = world.actor(1);
  Actor& client = world.actor(0);
  ASSERT_TRUE(server.listen(kPort).has_value());
  const Pending<std::size_t> accepted = server.accept();
  world.cut(0, 1);
  const Pending<std::size_t> connected = client.connect(NetWorld::endpoint(1));
  const Pending<std::size_t> nobody = client.connect(NetWorld::endpoint(50));
  world.run_for(Duration::s(1));
  server.tasks().cancel();
  client.tasks().cancel();
  world.run_for(Duration());
  EXPECT_EQ(accepted->error(), ErrorCode::cancelled);
  EXPECT_EQ(connected->error(), ErrorCode::cancelled);
  EXPECT_EQ(nobody->error(), ErrorCode::cancelled);
}

TEST(NetHandshake, AcceptHasADeadline) {
  NetWorld world;
  Actor& server = world.actor(1);
  ASSERT_TRUE(server.listen(kPort).has_value());
  const Pending<std::size_t> accepted = server.accept(server.in(Duration::s(2)));
  world.run_for(Duration::s(5));
  EXPECT_EQ(accepted->error(), ErrorCode::timed_out);
  EXPECT_EQ(accepted->at, Duration::s(2));
}

TEST(NetHandshake, AcceptGivesConnectionsInTheOrderInWhichTheyWereMade) {
  NetWorld world;
  Actor& server = world.actor(2);
  ASSERT_TRUE(server.listen(kPort).has_value());
  world.actor(1).connect(NetWorld::endpoint(2));
  world.run_for(Duration::ms(1));
  world.actor(0).connect(NetWorld::endpoint(2));
  world.run_for(Duration::s(1));
  server.accept();
  server.accept();
  world.run_for(Duration());
  EXPECT_EQ(server.stream(0).peer().address, NetWorld::address(1));
  EXPECT_EQ(server.stream(1).peer().address, NetWorld::address(0));
}

TEST(NetHandshake, AClientMaySendBeforeItIsAccepted) {
  NetWorld world;
  Actor& server = world.actor(1);
  Actor& client = world.actor(0);
  ASSERT_TRUE(server.listen(kPort).has_value());
  client.connect(NetWorld::endpoint(1));
  world.run_for(Duration::s(1));
  client.write("early");
  world.run_for(Duration::s(1));
  server.accept();
  world.run_for(Duration());
  const Pending<ByteChain> read = server.read();
  world.run_for(Duration());
  EXPECT_EQ(text_of(read), "early");
}

TEST(NetHandshake, TheBacklogHolds128AndLaterOnesWaitForTheirNextSyn) {
  NetWorld world(flat_network(kLatency));
  Actor& server = world.actor(1);
  Actor& client = world.actor(0);
  ASSERT_TRUE(server.listen(kPort).has_value());
  std::vector<Pending<std::size_t>> connected;
  for (int i = 0; i < 129; ++i) connected.push_back(client.connect(NetWorld::endpoint(1)));
  world.run_to(Duration::ms(500));
  for (int i = 0; i < 128; ++i) EXPECT_TRUE(connected[i]->ok()) << i;
  EXPECT_FALSE(connected[128]->done());
  server.accept();
  world.run_to(Duration::s(5));
  EXPECT_EQ(connected[128]->at, Duration::s(1) + 2 * kLatency);
}

TEST(NetHandshake, AClosedListenerResetsWhatNobodyAccepted) {
  NetWorld world;
  Actor& server = world.actor(1);
  Actor& client = world.actor(0);
  ASSERT_TRUE(server.listen(kPort).has_value());
  client.connect(NetWorld::endpoint(1));
  world.run_for(Duration::s(1));
  const Pending<ByteChain> read = client.read();
  server.stop_listening();
  const Pending<std::size_t> late = client.connect(NetWorld::endpoint(1));
  world.run_for(Duration::s(1));
  EXPECT_EQ(read->error(), ErrorCode::connection_reset);
  EXPECT_EQ(late->error(), ErrorCode::connection_refused);
}

TEST(NetHandshake, AListenerThatClosesDuringTheHandshakeResetsIt) {
  NetWorld world(flat_network(kLatency));
  Actor& server = world.actor(1);
  Actor& client = world.actor(0);
  ASSERT_TRUE(server.listen(kPort).has_value());
  const Pending<std::size_t> connected = client.connect(NetWorld::endpoint(1));
  world.run_to(kLatency);
  server.stop_listening();
  world.run_to(2 * kLatency);
  EXPECT_TRUE(connected->ok());  // The SYN-ACK was on its way.
  const Pending<ByteChain> read = client.read();
  world.run_for(Duration::s(1));
  EXPECT_EQ(read->error(), ErrorCode::connection_reset);
}

TEST(NetHandshake, APeerThatLeftWhileItWaitedIsAcceptedAndThenSeen) {
  NetWorld world;
  Actor& server = world.actor(1);
  Actor& client = world.actor(0);
  ASSERT_TRUE(server.listen(kPort).has_value());
  client.connect(NetWorld::endpoint(1));
  world.run_for(Duration::s(1));
  client.stream().reset();
  world.run_for(Duration::s(1));
  const Pending<std::size_t> accepted = server.accept();
  world.run_for(Duration());
  ASSERT_TRUE(accepted->ok());
  const Pending<ByteChain> read = server.read();
  world.run_for(Duration());
  EXPECT_EQ(read->error(), ErrorCode::connection_reset);
}

TEST(NetHandshake, APortBelongsToOneListener) {
  NetWorld world;
  Actor& server = world.actor(1);
  Actor& other = world.actor(1);
  ASSERT_TRUE(server.listen(kPort).has_value());
  EXPECT_EQ(other.listen(kPort).error().code(), ErrorCode::busy);
  server.stop_listening();
  EXPECT_TRUE(other.listen(kPort).has_value());
}

TEST(NetHandshake, PortZeroPicksAFreeOne) {
  NetWorld world;
  Actor& first = world.actor(1);
  Actor& second = world.actor(1);
  ASSERT_TRUE(first.listen(0).has_value());
  ASSERT_TRUE(second.listen(0).has_value());
  EXPECT_NE(first.listener().local().port, second.listener().local().port);
  EXPECT_GE(first.listener().local().port, 32768);
  const Pending<std::size_t> connected = world.actor(0).connect(first.listener().local());
  world.run_for(Duration::s(1));
  EXPECT_TRUE(connected->ok());
}

TEST(NetHandshake, ClientPortsWrapAroundAndPassOverListeners) {
  NetWorld world;
  Actor& server = world.actor(1);
  ASSERT_TRUE(server.listen(32768).has_value());
  constexpr int kPorts = 60999 - 32768 + 1;
  std::uint16_t first = 0;
  std::uint16_t last = 0;
  // Listening on port 0 takes the next one each time.
  for (int i = 0; i < kPorts; ++i) {
    const std::unique_ptr<Listener> listener = std::move(*server.context().network.listen(0));
    last = listener->local().port;
    if (i == 0) first = last;
  }
  EXPECT_EQ(first, 32769);
  EXPECT_EQ(last, 32769);
}

TEST(NetHandshake, LoopbackIsTheOwnHostAndIsNeverCut) {
  NetWorld world;
  Actor& server = world.actor(0);
  Actor& client = world.actor(0);
  world.host(1);
  ASSERT_TRUE(server.listen(kPort).has_value());
  const HostId both[] = {HostId(0), HostId(1)};
  world.network.cut(both, both, sim::Direction::both);
  const Pending<std::size_t> by_name = client.connect({0x7f000001, kPort});
  const Pending<std::size_t> by_address = client.connect(NetWorld::endpoint(0));
  world.run_for(Duration::s(1));
  ASSERT_TRUE(by_name->ok());
  ASSERT_TRUE(by_address->ok());
  EXPECT_EQ(by_name->at, Duration::us(20));  // Twice the loopback's latency.
  EXPECT_EQ(client.stream(0).local().address, 0x7f000001u);
  EXPECT_EQ(client.stream(1).local().address, NetWorld::address(0));
}

TEST(NetHandshake, AProcessHasADescriptorLimit) {
  NetWorld world;
  world.open_files_max = 2;
  Actor& server = world.actor(1);
  Actor& client = world.actor(0);
  ASSERT_TRUE(server.listen(kPort).has_value());
  for (int i = 0; i < 2; ++i) client.connect(NetWorld::endpoint(1));
  world.run_for(Duration::s(1));
  const Pending<std::size_t> third = client.connect(NetWorld::endpoint(1));
  const Pending<std::size_t> first = server.accept();
  world.run_for(Duration());
  const Pending<std::size_t> second = server.accept();
  world.run_for(Duration());
  EXPECT_EQ(third->error(), ErrorCode::too_many_open_files);
  EXPECT_TRUE(first->ok());
  EXPECT_EQ(second->error(), ErrorCode::too_many_open_files);
  EXPECT_EQ(client.listen(kPort).error().code(), ErrorCode::too_many_open_files);
  server.close(0);
  const Pending<std::size_t> again = server.accept();
  world.run_for(Duration());
  EXPECT_TRUE(again->ok());
}

}  // namespace
}  // namespace drydock::test
