// Reads and writes that end early: deadlines, cancellation, frames that go.
#include <gtest/gtest.h>

#include "tests/support/net_world.hpp"

namespace drydock::test {
namespace {

TEST(NetWait, AReadCanTimeOutAndConsumesNothing) {
  PairWorld world;
  const Duration start = world.now();
  const Pending<ByteChain> late = world.server.read(0, 100, world.server.in(Duration::ms(5)));
  world.run_for(Duration::ms(10));
  EXPECT_EQ(late->error(), ErrorCode::timed_out);
  EXPECT_EQ(late->at - start, Duration::ms(5));
  world.client.write("x");
  const Pending<ByteChain> read = world.server.read();
  world.run_for(Duration::s(1));
  EXPECT_EQ(text_of(read), "x");
}

TEST(NetWait, ACancelledReadConsumesNothing) {
  PairWorld world;
  TaskScope scope(world.server.tasks());
  const Pending<ByteChain> cancelled = world.server.read_in(scope);
  world.run_for(Duration::ms(10));
  scope.cancel();
  world.run_for(Duration());
  EXPECT_EQ(cancelled->error(), ErrorCode::cancelled);
  const Pending<ByteChain> at_once = world.server.read_in(scope);
  world.run_for(Duration());
  EXPECT_EQ(at_once->error(), ErrorCode::cancelled);
  world.client.write("x");
  const Pending<ByteChain> read = world.server.read();
  world.run_for(Duration::s(1));
  EXPECT_EQ(text_of(read), "x");
}

sim::NetworkOptions small_buffers() {
  sim::NetworkOptions options = flat_network();
  options.send_buffer_bytes = 1'000;
  options.receive_window_bytes = 1'000;
  return options;
}

TEST(NetWait, AWriteThatTimedOutEndsWriting) {
  PairWorld world(small_buffers());
  const Pending<void> late =
      world.client.write(SharedBytes::zeros(5'000), 0, world.client.in(Duration::ms(50)));
  world.run_for(Duration::s(1));
  EXPECT_EQ(late->error(), ErrorCode::timed_out);
  const Pending<void> next = world.client.write("next message");
  world.run_for(Duration());
  EXPECT_EQ(next->error(), ErrorCode::invalid_argument);
  // What was taken is delivered, and nothing behind it.
  std::size_t received = 0;
  for (int i = 0; i < 5; ++i) {
    const Pending<ByteChain> read = world.server.read();
    world.run_for(Duration::s(1));
    if (read->ok()) received += (**read->result).size();
    if (!read->done()) break;
  }
  EXPECT_EQ(received, 2'000u);
}

TEST(NetWait, ACancelledWriteEndsWriting) {
  PairWorld world(small_buffers());
  TaskScope scope(world.client.tasks());
  const Pending<void> cancelled = world.client.write_in(scope, SharedBytes::zeros(5'000));
  world.run_for(Duration::s(1));
  scope.cancel();
  world.run_for(Duration());
  EXPECT_EQ(cancelled->error(), ErrorCode::cancelled);
  const Pending<void> next = world.client.write("x");
  world.run_for(Duration());
  EXPECT_EQ(next->error(), ErrorCode::invalid_argument);
}

TEST(NetWait, AWriteInACancelledScopeDoesNotWait) {
  PairWorld world(small_buffers());
  TaskScope scope(world.client.tasks());
  scope.cancel();
  const Pending<void> fits = world.client.write_in(scope, SharedBytes::zeros(100));
  world.run_for(Duration());
  EXPECT_TRUE(fits->ok());
  const Pending<void> does_not_fit = world.client.write_in(scope, SharedBytes::zeros(5'000));
  world.run_for(Duration());
  EXPECT_EQ(does_not_fit->error(), ErrorCode::cancelled);
}

// The frame of a waiting write goes with its scope, the process lives on.
TEST(NetWait, AWriteWhoseFrameIsDestroyedEndsWriting) {
  PairWorld world(small_buffers());
  Pending<void> waiting;
  {
    TaskScope scope(world.client.tasks());
    waiting = world.client.write_in(scope, SharedBytes::zeros(5'000));
    world.run_for(Duration::s(1));
  }
  const Pending<void> next = world.client.write("x");
  world.run_for(Duration::s(1));
  EXPECT_FALSE(waiting->done());
  EXPECT_EQ(next->error(), ErrorCode::invalid_argument);
}

TEST(NetWaitDeathTest, AStreamIsNotClosedUnderAReader) {
  PairWorld world;
  world.server.read();
  world.run_for(Duration());
  EXPECT_DEATH(world.server.close(), "ENSURE failed");
}

TEST(NetWaitDeathTest, OnlyOneReadWaits) {
  PairWorld world;
  world.server.read();
  world.server.read();
  EXPECT_DEATH(world.run_for(Duration()), "ENSURE failed");
}

}  // namespace
}  // namespace drydock::test
