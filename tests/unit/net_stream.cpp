// Streams on healthy links: bytes, order, time, back-pressure, half close. Each test connects a
// client on one host with a server on another and works the arrival times out by hand.
#include <gtest/gtest.h>

#include "tests/support/net_world.hpp"

namespace drydock::test {
namespace {

constexpr Duration kLatency = Duration::ms(1);

SharedBytes pattern(std::size_t size, std::size_t from = 0) {
  SharedBytes bytes = SharedBytes::allocate(size);
  for (std::size_t i = 0; i < size; ++i) {
    bytes.writable()[i] = static_cast<std::byte>((from + i) * 131 >> 3);
  }
  return bytes;
}
bool equal(const ByteChain& chain, const SharedBytes& bytes) {
  const SharedBytes whole = chain.flatten();
  return std::ranges::equal(whole.span(), bytes.span());
}

TEST(NetStream, BytesArriveAfterTheLatencyOfTheLink) {
  PairWorld world;
  const Pending<ByteChain> read = world.server.read();
  const Duration start = world.now();
  const Pending<void> written = world.client.write("hello");
  world.run_for(Duration());
  EXPECT_TRUE(written->ok());
  EXPECT_FALSE(read->done());
  world.run_for(Duration::s(1));
  EXPECT_EQ(text_of(read), "hello");
  EXPECT_EQ(read->at, start + kLatency);
}

TEST(NetStream, BothDirectionsAreIndependent) {
  PairWorld world;
  world.client.write("ping");
  world.server.write("pong");
  const Pending<ByteChain> at_server = world.server.read();
  const Pending<ByteChain> at_client = world.client.read();
  world.run_for(Duration::s(1));
  EXPECT_EQ(text_of(at_server), "ping");
  EXPECT_EQ(text_of(at_client), "pong");
}

TEST(NetStream, EndpointsNameHostAndPort) {
  PairWorld world;
  EXPECT_EQ(world.client.stream().peer(), NetWorld::endpoint(1));
  EXPECT_EQ(world.server.stream().local(), NetWorld::endpoint(1));
  EXPECT_EQ(world.client.stream().local(), world.server.stream().peer());
  EXPECT_EQ(world.client.stream().local().address, NetWorld::address(0));
  EXPECT_GE(world.client.stream().local().port, 32768);
  EXPECT_EQ(world.client.context().network.address(), NetWorld::address(0));
}

TEST(NetStream, AReadTakesAtMostWhatItAsksFor) {
  PairWorld world;
  world.client.write("abcdefgh");
  world.client.write("ij");
  world.run_for(Duration::s(1));
  const Pending<ByteChain> first = world.server.read(0, 3);
  world.run_for(Duration());
  const Pending<ByteChain> second = world.server.read(0, 6);
  world.run_for(Duration());
  const Pending<ByteChain> third = world.server.read(0, 100);
  world.run_for(Duration());
  EXPECT_EQ(text_of(first), "abc");
  EXPECT_EQ(text_of(second), "defghi");
  EXPECT_EQ(text_of(third), "j");
}

TEST(NetStream, BytesAreSharedAndNotCopied) {
  PairWorld world;
  const SharedBytes sent = pattern(1000);
  world.client.write(sent);
  const Pending<ByteChain> read = world.server.read();
  world.run_for(Duration::s(1));
  ASSERT_TRUE(read->ok());
  ASSERT_EQ((**read->result).pieces().size(), 1u);
  EXPECT_EQ((**read->result).pieces()[0].data(), sent.data());
}

TEST(NetStream, AnEmptyWriteSendsNothing) {
  PairWorld world;
  const std::uint64_t sent = world.network.counters().sent;
  const Pending<void> written = world.client.write(SharedBytes());
  world.run_for(Duration::s(1));
  EXPECT_TRUE(written->ok());
  EXPECT_EQ(world.network.counters().sent, sent);
}

TEST(NetStream, ALargeWriteTravelsInSegmentsOf64KiB) {
  PairWorld world;
  const std::uint64_t sent = world.network.counters().sent;
  const SharedBytes bytes = pattern(200'000);
  world.client.write(bytes);
  world.run_for(Duration::s(1));
  const Pending<ByteChain> read = world.server.read();
  world.run_for(Duration::s(1));
  ASSERT_TRUE(read->ok());
  EXPECT_TRUE(equal(**read->result, bytes));
  EXPECT_EQ(world.network.counters().sent - sent, 4u);
}

// The cost model: the reader goes on inside the event of the arrival, and acknowledgements are
// none.
TEST(NetStream, ASegmentIsOneEventAndAnIdleConnectionIsNone) {
  PairWorld world;
  const Pending<ByteChain> read = world.server.read();
  world.client.write("hello");
  world.run_for(Duration());
  const std::uint64_t before = world.kernel.events();
  world.run_for(Duration::s(3600));
  EXPECT_TRUE(read->ok());
  EXPECT_EQ(world.kernel.events() - before, 1u);
}

TEST(NetStream, SixtyFourKiBOnA100MbLinkTake5242880NsAndTheLatency) {
  PairWorld world;
  world.set_links(
      {.latency = sim::QuantileTable::constant(kLatency), .bandwidth_bytes_per_s = 12'500'000});
  const Duration start = world.now();
  const Pending<ByteChain> read = world.server.read();
  world.client.write(pattern(64 * 1024));
  world.run_for(Duration::s(1));
  ASSERT_TRUE(read->ok());
  EXPECT_EQ(read->at - start, Duration::ns(5'242'880) + kLatency);
}

TEST(NetStream, StreamsOfALinkShareItsBandwidth) {
  PairWorld world;
  world.client.connect(NetWorld::endpoint(1));
  world.server.accept();
  world.run_for(Duration::s(1));
  world.set_links(
      {.latency = sim::QuantileTable::constant(kLatency), .bandwidth_bytes_per_s = 1'000'000});
  const Duration start = world.now();
  const Pending<ByteChain> first = world.server.read(0);
  const Pending<ByteChain> second = world.server.read(1);
  const Pending<ByteChain> other_way = world.client.read(1);
  world.client.write(pattern(10'000), 0);
  world.client.write(pattern(10'000), 1);
  world.server.write(pattern(10'000), 1);
  world.run_for(Duration::s(1));
  EXPECT_EQ(first->at - start, Duration::ms(10) + kLatency);
  EXPECT_EQ(second->at - start, Duration::ms(20) + kLatency);
  EXPECT_EQ(other_way->at - start, Duration::ms(10) + kLatency);
}

TEST(NetStream, ALinkCanBeSlowedAtRunTime) {
  PairWorld world;
  world.network.set_link(HostId(0), HostId(1), flat_link(Duration::ms(50)));
  EXPECT_EQ(world.network.link(HostId(0), HostId(1)).latency.at(0), Duration::ms(50));
  const Duration start = world.now();
  const Pending<ByteChain> slowed = world.server.read();
  const Pending<ByteChain> other_way = world.client.read();
  world.client.write("x");
  world.server.write("y");
  world.run_for(Duration::s(1));
  EXPECT_EQ(slowed->at - start, Duration::ms(50));
  EXPECT_EQ(other_way->at - start, kLatency);
}

// Latencies differ by up to 9.9 ms and one segment leaves every 100 us: unordered, many would
// overtake. The schedule is perturbed as well, so that equal times prove nothing.
TEST(NetStream, NothingOvertakesUnderJitter) {
  const sim::QuantileTable jitter{{0, 100'000}, {1'000'000, 10'000'000}};
  PairWorld world({.link = {.latency = jitter}}, {.seed = 5, .perturb_schedule = true});
  std::string sent;
  for (int i = 0; i < 500; ++i) {
    const std::string number = std::to_string(i) + ";";
    sent += number;
    world.client.write(number);
    world.run_for(Duration::us(100));
  }
  world.run_for(Duration::s(1));
  const Pending<ByteChain> read = world.server.read();
  world.run_for(Duration::s(1));
  EXPECT_EQ(text_of(read), sent);
  EXPECT_EQ(world.network.counters().lost, 0u);
}

TEST(NetStream, LossCostsTimeAndNeverBytes) {
  PairWorld world;
  world.set_links({.latency = sim::QuantileTable::constant(kLatency), .loss_ppm = 200'000});
  std::string sent;
  for (int i = 0; i < 300; ++i) {
    const std::string number = std::to_string(i) + ";";
    sent += number;
    world.client.write(number);
    world.run_for(Duration::ms(10));
  }
  world.run_for(Duration::s(600));
  const Pending<ByteChain> read = world.server.read();
  world.run_for(Duration::s(1));
  EXPECT_EQ(text_of(read), sent);
  EXPECT_GT(world.network.counters().lost, 30u);
  EXPECT_GT(world.network.counters().retransmitted, 30u);
}

TEST(NetStream, ALostSegmentHoldsBackWhatFollows) {
  PairWorld world;
  world.set_links({.latency = sim::QuantileTable::constant(kLatency), .loss_ppm = 1'000'000});
  const Duration start = world.now();
  world.client.write("lost ");
  world.run_for(Duration::ms(1));
  world.set_links(flat_link(kLatency));
  world.client.write("and late");
  const Pending<ByteChain> first = world.server.read();
  world.run_for(Duration::s(1));
  EXPECT_EQ(text_of(first), "lost ");
  // The time-out is 200 ms and the round trip.
  EXPECT_EQ(first->at - start, Duration::ms(202) + kLatency);
  const Pending<ByteChain> second = world.server.read();
  world.run_for(Duration());
  EXPECT_EQ(text_of(second), "and late");
}

TEST(NetStream, AWriterWaitsWhenSendBufferAndWindowAreFull) {
  sim::NetworkOptions options = flat_network();
  options.send_buffer_bytes = 10'000;
  options.receive_window_bytes = 5'000;
  PairWorld world(std::move(options));
  // 5,000 bytes reach the receiver and are acknowledged, 10,000 fill the send buffer.
  const Pending<void> fits = world.client.write(pattern(15'000));
  world.run_for(Duration::s(1));
  EXPECT_TRUE(fits->ok());
  EXPECT_EQ(fits->at, Duration::s(1) + 2 * kLatency);  // When the window's worth was acknowledged.
  const Pending<void> waits = world.client.write(pattern(1, 15'000));
  world.run_for(Duration::s(100));
  EXPECT_FALSE(waits->done());

  const Duration start = world.now();
  const Pending<ByteChain> read = world.server.read(0, 5'000);
  world.run_for(Duration::s(1));
  EXPECT_TRUE(read->ok());
  EXPECT_TRUE(waits->ok());
  // Window update to the client, bytes to the server, acknowledgement to the client.
  EXPECT_EQ(waits->at - start, 3 * kLatency);
}

TEST(NetStream, EverythingArrivesThroughASmallWindow) {
  sim::NetworkOptions options = flat_network();
  options.send_buffer_bytes = 700;
  options.receive_window_bytes = 500;
  PairWorld world(std::move(options));
  const SharedBytes sent = pattern(20'000);
  const Pending<void> written = world.client.write(sent);
  ByteChain received;
  while (received.size() < sent.size()) {
    const Pending<ByteChain> read = world.server.read(0, 77);
    world.run_for(Duration::ms(20));
    ASSERT_TRUE(read->ok());
    EXPECT_LE((**read->result).size(), 77u);
    received.append(std::move(**read->result));
  }
  EXPECT_TRUE(written->ok());
  EXPECT_TRUE(equal(received, sent));
  EXPECT_EQ(world.network.counters().lost, 0u);
}

TEST(NetStream, WritesStandBehindOneAnother) {
  PairWorld world;
  for (int i = 0; i < 100; ++i) world.client.write(std::to_string(i % 10));
  world.run_for(Duration::s(1));
  const Pending<ByteChain> read = world.server.read();
  world.run_for(Duration());
  ASSERT_TRUE(read->ok());
  EXPECT_EQ(text_of(read).substr(0, 12), "012345678901");
  EXPECT_EQ((**read->result).size(), 100u);
}

TEST(NetStream, FinishWritingEndsOneSideOnly) {
  PairWorld world;
  world.client.write("last");
  world.run_for(Duration());
  world.client.stream().finish_writing();
  world.client.stream().finish_writing();  // Twice is once.
  const Pending<void> refused = world.client.write("more");
  world.run_for(Duration::s(1));
  EXPECT_EQ(refused->error(), ErrorCode::invalid_argument);
  const Pending<ByteChain> first = world.server.read();
  world.run_for(Duration());
  const Pending<ByteChain> second = world.server.read();
  world.run_for(Duration());
  const Pending<ByteChain> third = world.server.read();
  world.run_for(Duration());
  EXPECT_EQ(text_of(first), "last");
  EXPECT_EQ(second->error(), ErrorCode::end_of_stream);
  EXPECT_EQ(third->error(), ErrorCode::end_of_stream);

  world.server.write("answer");
  const Pending<ByteChain> answer = world.client.read();
  world.run_for(Duration::s(1));
  EXPECT_EQ(text_of(answer), "answer");
}

TEST(NetStream, AWaitingReaderSeesTheEnd) {
  PairWorld world;
  const Pending<ByteChain> read = world.server.read();
  world.run_for(Duration::s(1));
  const Duration start = world.now();
  world.client.stream().finish_writing();
  world.run_for(Duration::s(1));
  EXPECT_EQ(read->error(), ErrorCode::end_of_stream);
  EXPECT_EQ(read->at - start, kLatency);
  EXPECT_EQ(read->times, 1);
}

TEST(NetStream, ALongRunOfOneSidedWritesKeepsFewNotes) {
  PairWorld world;
  // The server answers nothing: the client hears acknowledgements only when it writes.
  for (int i = 0; i < 1'000; ++i) world.client.write("x");
  world.run_for(Duration::s(1));
  const Pending<ByteChain> read = world.server.read();
  world.run_for(Duration::s(1));
  ASSERT_TRUE(read->ok());
  EXPECT_EQ((**read->result).size(), 1'000u);
  EXPECT_EQ(world.network.segments_in_use(), 0u);
}

TEST(NetStream, EqualSeedsGiveEqualFingerprints) {
  const auto run = [](std::uint64_t seed) {
    PairWorld world({.link = sim::LinkProfile::same_zone()}, {.seed = seed});
    for (int i = 0; i < 50; ++i) {
      world.client.write("abc");
      world.server.write("defg");
      world.run_for(Duration::us(70));
    }
    world.run_for(Duration::s(1));
    return world.kernel.fingerprint().digest();
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

}  // namespace
}  // namespace drydock::test
