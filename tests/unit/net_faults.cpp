// Faults: cuts, dark hosts, dead processes, resets, and how long each side takes to notice. With a
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

// ---- Windows and faults ----

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

// ---- Hosts ----

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

// ---- Processes ----

TEST(NetProcess, AKilledProcessEndsItsStreams) {
  PairWorld world;
  const Pending<ByteChain> first = world.client.read();
  world.server.write("before");
  world.run_for(Duration::s(1));
  const Duration start = world.now();
  world.server.process().kill();
  const Pending<ByteChain> second = world.client.read();
  world.run_for(Duration::s(1));
  EXPECT_EQ(text_of(first), "before");
  EXPECT_EQ(second->error(), ErrorCode::end_of_stream);
  EXPECT_EQ(second->at - start, kLatency);
  EXPECT_EQ(world.network.counters().resets, 0u);
}

TEST(NetProcess, WhatItHadWrittenIsStillDelivered) {
  PairWorld world;
  world.server.write("a will");
  world.run_for(Duration());
  world.server.process().kill();
  world.run_for(Duration::s(1));
  const Pending<ByteChain> first = world.client.read();
  world.run_for(Duration());
  const Pending<ByteChain> second = world.client.read();
  world.run_for(Duration());
  EXPECT_EQ(text_of(first), "a will");
  EXPECT_EQ(second->error(), ErrorCode::end_of_stream);
}

TEST(NetProcess, UnreadBytesMakeItAReset) {
  PairWorld world;
  world.client.write("never read");
  world.run_for(Duration::s(1));
  const Duration start = world.now();
  world.server.process().kill();
  const Pending<ByteChain> read = world.client.read();
  world.run_for(Duration::s(1));
  EXPECT_EQ(read->error(), ErrorCode::connection_reset);
  EXPECT_EQ(read->at - start, kLatency);
  EXPECT_EQ(world.network.counters().resets, 1u);
}

TEST(NetProcess, BytesForADeadProcessAreAnsweredByAReset) {
  PairWorld world;
  world.server.process().kill();
  world.run_for(Duration::s(1));
  const Pending<void> accepted = world.client.write("x");
  world.run_for(Duration::s(1));
  const Pending<void> refused = world.client.write("y");
  const Pending<ByteChain> read = world.client.read();
  world.run_for(Duration::s(1));
  EXPECT_TRUE(accepted->ok());
  EXPECT_EQ(refused->error(), ErrorCode::connection_reset);
  EXPECT_EQ(read->error(), ErrorCode::end_of_stream);  // The end came before the reset.
}

TEST(NetProcess, BytesThatCameBeforeAResetCanStillBeRead) {
  PairWorld world;
  world.server.write("sent first");
  world.run_for(Duration());
  world.server.stream().reset();
  const Pending<void> own = world.server.write("x");
  world.run_for(Duration::s(1));
  EXPECT_EQ(own->error(), ErrorCode::connection_reset);
  const Pending<ByteChain> first = world.client.read();
  world.run_for(Duration());
  const Pending<ByteChain> second = world.client.read();
  world.run_for(Duration());
  EXPECT_EQ(text_of(first), "sent first");
  EXPECT_EQ(second->error(), ErrorCode::connection_reset);
}

TEST(NetProcess, AKillWhileReadingAndWritingLeavesNothingBehind) {
  sim::NetworkOptions options = flat_network();
  options.send_buffer_bytes = 100;
  options.receive_window_bytes = 100;
  PairWorld world(std::move(options));
  const Pending<ByteChain> reading = world.client.read();
  const Pending<void> writing = world.client.write(SharedBytes::zeros(1'000));
  world.run_for(Duration::s(1));
  world.client.process().kill();
  world.run_for(Duration::s(1));
  EXPECT_FALSE(reading->done());
  EXPECT_FALSE(writing->done());
  // What the kernel had taken arrives, then the end: 100 bytes each from window and buffer.
  std::size_t received = 0;
  std::optional<ErrorCode> end;
  for (int i = 0; i < 5 && !end; ++i) {
    const Pending<ByteChain> read = world.server.read();
    world.run_for(Duration::s(1));
    if (read->ok()) received += (**read->result).size();
    end = read->error();
  }
  EXPECT_EQ(received, 200u);
  EXPECT_EQ(end, ErrorCode::end_of_stream);
  world.server.close();
  world.run_for(Duration::s(1));
  EXPECT_EQ(world.network.connections(), 0u);
  EXPECT_EQ(world.network.segments_in_use(), 0u);
}

TEST(NetProcess, AnOrphanBehindACutGivesUpAfter8Retransmissions) {
  PairWorld world;
  const sim::CutId cut = world.cut(0, 1);
  world.client.write("never arrives");
  world.run_for(Duration());
  world.client.process().kill();
  const Pending<ByteChain> read = world.server.read();
  world.run_for(Duration::s(110));
  EXPECT_EQ(world.network.counters().retransmitted, 8u);
  world.network.heal(cut);
  world.run_for(Duration::s(1'000));
  EXPECT_FALSE(read->done());  // Half open.
  world.server.write("x");
  world.run_for(Duration::s(1));
  EXPECT_EQ(read->error(), ErrorCode::connection_reset);
}

TEST(NetProcess, AStoppedProcessBuffersAndAcknowledges) {
  sim::NetworkOptions options = flat_network();
  options.send_buffer_bytes = 10;
  options.receive_window_bytes = 10;
  PairWorld world(std::move(options));
  const Pending<ByteChain> read = world.server.read();
  world.run_for(Duration());
  world.server.process().stop();
  const Pending<void> first = world.client.write("0123456789");
  const Pending<void> second = world.client.write("x");
  world.run_for(Duration::s(1));
  EXPECT_FALSE(read->done());
  EXPECT_TRUE(first->ok());
  EXPECT_TRUE(second->ok());  // The first ten were acknowledged.
  world.server.process().proceed();
  world.run_for(Duration::s(1));
  EXPECT_EQ(text_of(read), "0123456789");
  const Pending<ByteChain> rest = world.server.read();
  world.run_for(Duration::s(1));
  EXPECT_EQ(text_of(rest), "x");
}

// A wait of a device: neither a kill nor a cancellation ends it.
class Stuck : public Waiter {
 public:
  explicit Stuck(Stuck*& self) : Waiter(Kind::uninterruptible), self_(self) {}
  bool await_ready() const { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> handle) {
    self_ = this;
    return suspend(handle);
  }
  void await_resume() const {}

 private:
  Stuck*& self_;
};
Task<void> hang(Stuck*& stuck) { co_await Stuck(stuck); }

TEST(NetProcess, AProcessThatCannotDieKeepsItsSocketsOpen) {
  sim::NetworkOptions options = flat_network();
  options.send_buffer_bytes = 100;
  options.receive_window_bytes = 100;
  PairWorld world(std::move(options));
  Stuck* stuck = nullptr;
  world.server.tasks().spawn(hang(stuck));
  const Pending<void> writing = world.server.write(SharedBytes::zeros(1'000));
  world.run_for(Duration::s(1));
  world.server.process().kill();
  world.run_for(Duration::s(1));

  // Its kernel acknowledges until the window is full, and its half-done write gets no further.
  const Pending<void> first = world.client.write(SharedBytes::zeros(200));
  world.run_for(Duration::s(1));
  const Pending<void> waits = world.client.write("x");
  std::size_t received = 0;
  for (int i = 0; i < 5; ++i) {
    const Pending<ByteChain> read = world.client.read(0, 1'000, world.client.in(Duration::s(10)));
    world.run_for(Duration::s(20));
    if (read->ok()) received += (**read->result).size();
    EXPECT_TRUE(read->ok() || read->error() == ErrorCode::timed_out);
  }
  EXPECT_EQ(received, 200u);
  EXPECT_TRUE(first->ok());
  EXPECT_FALSE(waits->done());

  stuck->complete();
  world.run_for(Duration::s(1));
  EXPECT_FALSE(world.server.process().alive());
  EXPECT_EQ(waits->error(), ErrorCode::connection_reset);  // It died with bytes unread.
  EXPECT_FALSE(writing->done());
}

TEST(NetProcess, ConnectionsBetweenTwoHostsCanBeReset) {
  PairWorld world;
  Actor& bystander = world.actor(2);
  ASSERT_TRUE(world.actor(3).listen(NetWorld::kPort).has_value());
  bystander.connect(NetWorld::endpoint(3));
  world.run_for(Duration::s(1));
  const Pending<ByteChain> at_client = world.client.read();
  const Pending<ByteChain> at_server = world.server.read();
  const Pending<ByteChain> elsewhere = bystander.read();
  world.cut(0, 1);
  world.run_for(Duration());
  world.network.reset_connections(HostId(1), HostId(0));
  world.run_for(Duration());
  EXPECT_EQ(at_client->error(), ErrorCode::connection_reset);
  EXPECT_EQ(at_server->error(), ErrorCode::connection_reset);
  EXPECT_FALSE(elsewhere->done());
}

TEST(NetProcess, AResetFailsAWaitingWrite) {
  PairWorld world(small_window());
  const Pending<void> waiting = world.client.write(SharedBytes::zeros(8 * 1024 * 1024));
  world.run_for(Duration::s(1));
  EXPECT_FALSE(waiting->done());
  world.server.stream().reset();
  world.run_for(Duration::s(1));
  EXPECT_EQ(waiting->error(), ErrorCode::connection_reset);
  EXPECT_EQ(waiting->times, 1);
}

}  // namespace
}  // namespace drydock::test
