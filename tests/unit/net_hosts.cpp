// Silence that no cut explains: hosts without power, shut windows, and keep-alive.
#include <gtest/gtest.h>

#include "tests/support/net_world.hpp"

namespace drydock::test {
namespace {

using sim::Direction;

constexpr Duration kLatency = Duration::ms(1);
constexpr Duration kSecondRetry = Duration::ms(606);  // See net_cuts.cpp.
// 15 retransmissions: ten doubling time-outs of 202 ms, then 120 s each, until 924.6 s have passed.
constexpr Duration kGivesUp = Duration::ms(202 * 1023 + 6 * 120'000);

sim::NetworkOptions small_window() {
  sim::NetworkOptions options = flat_network();
  options.receive_window_bytes = 10;
  return options;
}

TEST(NetWindow, AnUpdateThatIsLostIsAskedForAgain) {
  PairWorld world(small_window());
  world.client.write("0123456789abcdef");
  world.run_for(Duration::s(1));
  const sim::CutId cut = world.cut(1, 0, Direction::one_way);
  const Pending<ByteChain> first = world.server.read();
  world.run_for(Duration::s(1));
  EXPECT_EQ(text_of(first), "0123456789");
  world.network.heal(cut);
  const Pending<ByteChain> second = world.server.read();
  world.run_for(Duration::s(10));
  EXPECT_EQ(text_of(second), "abcdef");
}

TEST(NetWindow, AShutWindowIsNotSilence) {
  PairWorld world(small_window());
  world.client.write("0123456789abcdef");
  world.run_for(Duration::s(1));
  // A cut that comes and goes leaves a doubt, which one probe clears; then nothing is sent.
  world.network.heal(world.cut(0, 1));
  world.run_for(Duration::s(10));
  EXPECT_EQ(world.network.counters().retransmitted, 1u);
  world.run_for(Duration::s(10'000));
  EXPECT_EQ(world.network.counters().retransmitted, 1u);
  const Pending<ByteChain> first = world.server.read();
  world.run_for(Duration::s(1));
  const Pending<ByteChain> second = world.server.read();
  world.run_for(Duration::s(1));
  EXPECT_EQ(text_of(first), "0123456789");
  EXPECT_EQ(text_of(second), "abcdef");
}

TEST(NetWindow, APeerThatDiesBehindAShutWindowIsNoticed) {
  PairWorld world(small_window());
  const Pending<ByteChain> read = world.client.read();
  world.client.write("0123456789abcdef");
  world.run_for(Duration::s(1));
  world.server.host().lose_power();
  world.run_for(Duration::s(2'000));
  EXPECT_EQ(read->error(), ErrorCode::timed_out);
}

// Found by the stream laws: the last acknowledgement arrives after its sender has died, and says
// that the window is shut.
TEST(NetWindow, AnAcknowledgementFromBeforeTheDeathClearsNoDoubt) {
  PairWorld world(small_window());
  const Pending<ByteChain> read = world.client.read();
  world.client.write("0123456789abcdef");
  world.run_for(kLatency + Duration::us(500));
  world.server.host().lose_power();
  world.run_for(Duration::ms(100));
  world.server.host().restore_power();
  world.run_for(Duration::s(1));
  EXPECT_EQ(read->error(), ErrorCode::connection_reset);
}

TEST(NetHost, APowerLossIsSilentAndTheNextLifeResets) {
  PairWorld world;
  const Pending<ByteChain> read = world.client.read();
  world.server.host().lose_power();
  world.run_for(Duration::s(3'600));
  EXPECT_FALSE(read->done());  // Half open: nothing was sent, nobody noticed.
  const Duration start = world.now();
  world.client.write("x");
  world.run_for(Duration::ms(500));
  EXPECT_FALSE(read->done());
  world.server.host().restore_power();
  world.run_for(Duration::s(1));
  EXPECT_EQ(read->error(), ErrorCode::connection_reset);
  EXPECT_EQ(read->at - start, kSecondRetry + 2 * kLatency);
}

TEST(NetHost, WhatADarkHostHadSentStillArrives) {
  PairWorld world;
  const Pending<ByteChain> read = world.client.read();
  world.server.write("last words");
  world.run_for(Duration::us(500));
  world.server.host().lose_power();
  world.run_for(Duration::s(1));
  EXPECT_EQ(text_of(read), "last words");
}

TEST(NetHost, PowerLossLeavesNothingBehind) {
  PairWorld world;
  Actor& listening = world.actor(1);
  ASSERT_TRUE(listening.listen(7).has_value());
  world.client.connect(NetWorld::endpoint(1, 7));  // Nobody accepts it.
  world.run_for(Duration::s(1));
  world.server.write("unread");
  world.client.write("unread");
  world.run_for(Duration::s(1));
  world.host(0).lose_power();
  world.host(1).lose_power();
  world.run_for(Duration::s(1));
  EXPECT_EQ(world.network.connections(), 0u);
  EXPECT_EQ(world.network.segments_in_use(), 0u);
  world.host(1).restore_power();
  world.run_for(Duration());
  EXPECT_TRUE(world.actor(1).listen(7).has_value());
}

TEST(NetHost, KeepAliveFindsAHalfOpenConnection) {
  ConnectOptions options;
  options.keep_alive = {
      .enabled = true, .idle = Duration::s(60), .interval = Duration::s(10), .probes = 3};
  PairWorld world(flat_network(), {.seed = 1}, options);
  const Pending<ByteChain> read = world.client.read();
  const Duration heard = 2 * kLatency;  // The SYN-ACK.
  // A healthy peer answers.
  world.run_to(Duration::s(1'000));
  EXPECT_FALSE(read->done());
  const std::uint64_t probes = world.network.counters().sent;
  world.server.host().lose_power();
  world.run_to(Duration::s(2'000));
  EXPECT_EQ(read->error(), ErrorCode::timed_out);
  EXPECT_EQ(world.network.counters().sent - probes, 3u + 1u);  // And a reset.
  // Every answered probe starts the idle time anew, a round trip after the probe.
  const Duration last_heard = heard + 16 * (Duration::s(60) + 2 * kLatency);
  EXPECT_EQ(read->at, last_heard + Duration::s(60) + 3 * Duration::s(10));
}

TEST(NetHost, KeepAliveLeavesUnansweredBytesToTheirOwnTimer) {
  ConnectOptions options;
  options.keep_alive = {
      .enabled = true, .idle = Duration::s(1), .interval = Duration::s(1), .probes = 1};
  PairWorld world(flat_network(), {.seed = 1}, options);
  const Pending<ByteChain> read = world.client.read();
  world.cut(0, 1);
  world.client.write("x");
  const Duration start = world.now();
  world.run_for(Duration::s(2'000));
  EXPECT_EQ(read->error(), ErrorCode::timed_out);
  EXPECT_EQ(read->at - start, kGivesUp);
}

TEST(NetHost, KeepAliveMeetsTheNextLifeOfTheHost) {
  ConnectOptions options;
  options.keep_alive.enabled = true;
  PairWorld world(flat_network(), {.seed = 1}, options);
  const Pending<ByteChain> read = world.client.read();
  world.server.host().lose_power();
  world.run_for(Duration::s(100));
  world.server.host().restore_power();
  world.run_for(Duration::s(10'000));
  EXPECT_EQ(read->error(), ErrorCode::connection_reset);
  EXPECT_EQ(read->at, Duration::s(7'200) + 4 * kLatency);
}

// A network card has its queue in the memory of its host.
TEST(NetPower, WhatWaitsInTheCardOfAHostThatGoesDarkIsNeverSent) {
  PairWorld world;
  sim::LinkProfile slow = world.network.link(world.host(0).id(), world.host(1).id());
  slow.bandwidth_bytes_per_s = 1'000'000;
  world.network.set_link(world.host(0).id(), world.host(1).id(), slow);
  world.client.write(std::string(640'000, 'x'));  // 640 ms on the wire.
  world.run_for(Duration::ms(300));
  world.client.host().lose_power();
  std::size_t arrived = 0;
  for (Pending<ByteChain> read = world.server.read();; read = world.server.read()) {
    world.run_for(Duration::s(1));
    if (!read->ok()) break;
    arrived += (*read->result)->size();
  }
  EXPECT_GT(arrived, 200'000u);
  EXPECT_LE(arrived, 300'000u);
}

}  // namespace
}  // namespace drydock::test
