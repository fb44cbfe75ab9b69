// Cuts: what is silent, what arrives after healing and when, and when a sender gives up. With a
// latency of 1 ms the retransmission time-out is 202 ms, so what is sent into a cut at t is sent
// again at t + 202, 606, 1414, 3030, … ms.
#include <gtest/gtest.h>

#include "tests/support/net_world.hpp"

namespace drydock::test {
namespace {

using sim::Direction;

constexpr Duration kLatency = Duration::ms(1);
constexpr Duration kFirstRetry = Duration::ms(202);
constexpr Duration kSecondRetry = Duration::ms(606);
constexpr Duration kThirdRetry = Duration::ms(1414);
// 15 retransmissions: ten doubling time-outs of 202 ms, then 120 s each, until 924.6 s have passed.
constexpr Duration kGivesUp = Duration::ms(202 * 1023 + 6 * 120'000);

TEST(NetCut, IsSilentUntilTheNextRetransmissionAfterHealing) {
  PairWorld world;
  const Pending<ByteChain> read = world.server.read();
  const Duration start = world.now();
  const sim::CutId cut = world.cut(0, 1);
  const Pending<void> written = world.client.write("first ");
  world.run_for(Duration::ms(100));
  world.client.write("second");
  EXPECT_TRUE(written->ok());  // The send buffer took it; nobody is told.
  world.run_for(Duration::ms(900));
  EXPECT_FALSE(read->done());
  world.network.heal(cut);
  world.run_for(Duration::s(1));
  EXPECT_EQ(text_of(read), "first ");
  EXPECT_EQ(read->at - start, kThirdRetry + kLatency);
  // What waited behind it follows when that is acknowledged.
  const Pending<ByteChain> rest = world.server.read();
  world.run_for(Duration());
  EXPECT_EQ(text_of(rest), "second");
}

TEST(NetCut, TheRestFollowsARoundTripAfterTheFirstRetransmission) {
  PairWorld world;
  const Duration start = world.now();
  const sim::CutId cut = world.cut(0, 1);
  world.client.write("a");
  world.client.write("b");
  world.run_for(Duration());
  world.network.heal(cut);
  const Pending<ByteChain> first = world.server.read();
  world.run_for(kFirstRetry + kLatency);
  EXPECT_EQ(text_of(first), "a");
  const Pending<ByteChain> second = world.server.read();
  world.run_for(Duration::s(1));
  EXPECT_EQ(text_of(second), "b");
  EXPECT_EQ(second->at - start, kFirstRetry + 3 * kLatency);
}

TEST(NetCut, WhatIsUnderWayIsLostToo) {
  PairWorld world;
  const Pending<ByteChain> read = world.server.read();
  const Duration start = world.now();
  world.client.write("x");
  world.run_for(Duration::us(500));
  const sim::CutId cut = world.cut(0, 1);
  world.run_for(Duration::ms(10));
  EXPECT_FALSE(read->done());
  world.network.heal(cut);
  world.run_for(Duration::s(1));
  EXPECT_EQ(text_of(read), "x");
  EXPECT_EQ(read->at - start, kFirstRetry + kLatency);
}

TEST(NetCut, AcknowledgementsUnderWayAreLostToo) {
  PairWorld world;
  const Pending<ByteChain> read = world.server.read();
  world.client.write("x");
  world.run_for(Duration::us(1'500));
  EXPECT_TRUE(read->done());
  world.cut(0, 1);
  world.run_for(Duration::s(1'000));
  const Pending<void> write = world.client.write("y");
  world.run_for(Duration());
  EXPECT_EQ(write->error(), ErrorCode::timed_out);
}

TEST(NetCut, OneWayStopsOneDirection) {
  PairWorld world;
  world.cut(0, 1, Direction::one_way);
  const Pending<ByteChain> at_server = world.server.read();
  const Pending<ByteChain> at_client = world.client.read();
  world.client.write("lost");
  world.server.write("arrives");
  world.run_for(Duration::s(10));
  EXPECT_FALSE(at_server->done());
  EXPECT_EQ(text_of(at_client), "arrives");
}

// The server gets the bytes, once; the client never hears of it, and sends on until it gives up.
TEST(NetCut, WithoutTheWayBackTheSenderRepeatsWhatHasArrived) {
  sim::NetworkOptions options = flat_network();
  options.send_buffer_bytes = 10;
  PairWorld world(std::move(options));
  world.cut(1, 0, Direction::one_way);
  const Duration start = world.now();
  world.client.write("0123456789");
  const Pending<void> stuck = world.client.write("x");
  const Pending<ByteChain> read = world.server.read();
  world.run_for(Duration::s(900));
  EXPECT_EQ(text_of(read), "0123456789");
  const Pending<ByteChain> again = world.server.read();
  EXPECT_FALSE(stuck->done());
  EXPECT_EQ(world.network.counters().retransmitted, 15u);
  world.run_for(Duration::s(1'000));
  EXPECT_EQ(stuck->error(), ErrorCode::timed_out);
  EXPECT_EQ(stuck->at - start, kGivesUp);
  EXPECT_FALSE(again->done());
}

TEST(NetCut, TheWayBackHealsAndTheSenderGoesOn) {
  sim::NetworkOptions options = flat_network();
  options.send_buffer_bytes = 10;
  PairWorld world(std::move(options));
  const sim::CutId cut = world.cut(1, 0, Direction::one_way);
  const Duration start = world.now();
  world.client.write("0123456789");
  const Pending<void> stuck = world.client.write("x");
  world.run_for(Duration::ms(300));
  world.network.heal(cut);
  world.run_for(Duration::s(1));
  EXPECT_TRUE(stuck->ok());
  EXPECT_EQ(stuck->at - start, kSecondRetry + 2 * kLatency);
  const Pending<ByteChain> read = world.server.read();
  world.run_for(Duration());
  EXPECT_EQ(text_of(read), "0123456789x");
}

TEST(NetCut, NewBytesWaitOnceTheTimerHasRunOut) {
  PairWorld world;
  world.cut(1, 0, Direction::one_way);
  world.client.write("a");
  world.run_for(Duration::ms(100));
  world.client.write("b");
  world.run_for(Duration::ms(200));
  world.client.write("c");
  world.run_for(Duration::s(100));
  const Pending<ByteChain> read = world.server.read();
  world.run_for(Duration());
  EXPECT_EQ(text_of(read), "ab");
}

TEST(NetCut, GivesUpAfter15RetransmissionsOrAbout924Seconds) {
  PairWorld world;
  world.cut(0, 1);
  const Duration start = world.now();
  const Pending<ByteChain> read = world.client.read();
  world.client.write("x");
  world.run_for(Duration::s(2'000));
  EXPECT_EQ(read->error(), ErrorCode::timed_out);
  EXPECT_EQ(read->at - start, kGivesUp);
  EXPECT_EQ(world.network.counters().retransmitted, 15u);
  // It stays broken.
  const Pending<ByteChain> again = world.client.read();
  const Pending<void> write = world.client.write("y");
  world.run_for(Duration());
  EXPECT_EQ(again->error(), ErrorCode::timed_out);
  EXPECT_EQ(write->error(), ErrorCode::timed_out);
}

TEST(NetCut, ByPortStopsThatClassInBothDirectionsOnly) {
  PairWorld world;
  Actor& other_server = world.actor(1);
  Actor& other_client = world.actor(0);
  ASSERT_TRUE(other_server.listen(5555).has_value());
  other_server.accept();
  other_client.connect(NetWorld::endpoint(1, 5555));
  world.run_for(Duration::s(1));
  const sim::TrafficFilter filter{.ports = {5555, 4444}};
  world.cut(0, 1, Direction::both, filter);

  const Pending<ByteChain> passes = world.server.read();
  const Pending<ByteChain> passes_back = world.client.read();
  const Pending<ByteChain> stopped = other_server.read();
  const Pending<ByteChain> stopped_back = other_client.read();
  const Pending<std::size_t> refused = world.client.connect(NetWorld::endpoint(1, 4444));
  world.client.write("x");
  world.server.write("x");
  other_client.write("x");
  other_server.write("x");
  world.run_for(Duration::s(10));
  EXPECT_TRUE(passes->ok());
  EXPECT_TRUE(passes_back->ok());
  EXPECT_FALSE(stopped->done());
  EXPECT_FALSE(stopped_back->done());
  EXPECT_FALSE(refused->done());
  world.network.heal_all();
  world.run_for(Duration::s(20));
  EXPECT_TRUE(stopped->ok());
  EXPECT_TRUE(stopped_back->ok());
  EXPECT_EQ(refused->error(), ErrorCode::connection_refused);
}

TEST(NetCut, CutsNest) {
  PairWorld world;
  const sim::CutId all = world.cut(0, 1);
  const sim::CutId one_way = world.cut(0, 1, Direction::one_way);
  const sim::CutId by_port =
      world.cut(0, 1, Direction::both, sim::TrafficFilter{.ports = {NetWorld::kPort}});
  const Pending<ByteChain> read = world.server.read();
  world.client.write("x");
  for (const sim::CutId cut : {all, all, by_port}) {
    world.network.heal(cut);
    world.run_for(Duration::s(10));
    EXPECT_FALSE(read->done());
  }
  world.network.heal(one_way);
  world.run_for(Duration::s(30));
  EXPECT_TRUE(read->ok());
}

TEST(NetCut, GroupsAreCutPairByPair) {
  NetWorld world;
  std::vector<Actor*> actors;
  for (std::size_t i = 0; i < 4; ++i) {
    actors.push_back(&world.actor(i));
    ASSERT_TRUE(actors.back()->listen(NetWorld::kPort).has_value());
  }
  const HostId minority[] = {HostId(0), HostId(1)};
  const HostId majority[] = {HostId(2), HostId(3)};
  world.network.cut(minority, majority, Direction::both);
  const Pending<std::size_t> within = actors[0]->connect(NetWorld::endpoint(1));
  const Pending<std::size_t> across = actors[1]->connect(NetWorld::endpoint(3));
  const Pending<std::size_t> back = actors[2]->connect(NetWorld::endpoint(0));
  const Pending<std::size_t> other_within = actors[3]->connect(NetWorld::endpoint(2));
  world.run_for(Duration::s(10));
  EXPECT_TRUE(within->ok());
  EXPECT_TRUE(other_within->ok());
  EXPECT_FALSE(across->done());
  EXPECT_FALSE(back->done());
}

TEST(NetCut, TheEndOfAStreamIsRepeatedAsBytesAre) {
  PairWorld world;
  const sim::CutId cut = world.cut(0, 1);
  const Duration start = world.now();
  world.client.stream().finish_writing();
  const Pending<ByteChain> read = world.server.read();
  world.run_for(Duration::ms(300));
  world.network.heal(cut);
  world.run_for(Duration::s(1));
  EXPECT_EQ(read->error(), ErrorCode::end_of_stream);
  EXPECT_EQ(read->at - start, kSecondRetry + kLatency);
}

TEST(NetCut, AResetIsNotRepeated) {
  PairWorld world;
  const sim::CutId cut = world.cut(0, 1);
  world.client.stream().reset();
  const Pending<ByteChain> read = world.server.read();
  world.run_for(Duration::s(1));
  world.network.heal(cut);
  world.run_for(Duration::s(3'600));
  EXPECT_FALSE(read->done());  // Half open.
  world.server.write("anybody there?");
  world.run_for(Duration::s(1));
  EXPECT_EQ(read->error(), ErrorCode::connection_reset);
}

// Found by the stream laws: the reset was the answer that the sender waited for.
TEST(NetCut, ALostResetIsProvokedAgain) {
  PairWorld world;
  world.server.process().kill();
  world.run_for(Duration::s(1));
  world.client.write("x");
  world.run_for(kLatency / 2);
  const sim::CutId cut = world.cut(1, 0, Direction::one_way);
  world.run_for(kLatency);
  world.network.heal(cut);
  EXPECT_EQ(world.network.counters().lost, 1u);
  world.run_for(Duration::s(1));
  const Pending<void> later = world.client.write("y");
  world.run_for(Duration());
  EXPECT_EQ(later->error(), ErrorCode::connection_reset);
  EXPECT_EQ(world.network.counters().retransmitted, 1u);
}

}  // namespace
}  // namespace drydock::test
