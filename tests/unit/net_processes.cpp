// What a dead, stopped or stuck process leaves to its peers: ends, resets and silence.
#include <gtest/gtest.h>

#include "tests/support/net_world.hpp"

namespace drydock::test {
namespace {

constexpr Duration kLatency = Duration::ms(1);

sim::NetworkOptions small_window() {
  sim::NetworkOptions options = flat_network();
  options.receive_window_bytes = 10;
  return options;
}

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
