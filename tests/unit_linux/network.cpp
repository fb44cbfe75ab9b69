// TCP between two processes of one world over loopback, and the errors of sockets.
#include "engine/linux/network.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "tests/unit_linux/linux_test.hpp"

namespace drydock::on_linux::test {
namespace {

using Accepted = Result<std::unique_ptr<Stream>>;

class Network : public LinuxTest {
 protected:
  // A process that listens and runs `serve` on the first connection; sets `endpoint` once it does.
  LinuxProcess& start_server(std::function<Task<void>(Context&, Stream&)> serve) {
    return start("server", [this, serve](Context& context) -> Task<void> {
      Result<std::unique_ptr<Listener>> listener = context.network.listen(0);
      EXPECT_TRUE(listener);
      endpoint = {.address = context.network.address(), .port = (*listener)->local().port};
      Accepted accepted = co_await (*listener)->accept();
      EXPECT_TRUE(accepted);
      co_await serve(context, **accepted);
    });
  }
  // A process that connects to the server and runs `talk`.
  LinuxProcess& start_client(std::function<Task<void>(Context&, Stream&)> talk) {
    EXPECT_TRUE(world.run_until([&] { return endpoint.port != 0; }, kHangLimit));
    return start("client", [this, talk](Context& context) -> Task<void> {
      const ConnectOptions options;
      Accepted connected = co_await context.network.connect(endpoint, options);
      EXPECT_TRUE(connected);
      co_await talk(context, **connected);
    });
  }

  Endpoint endpoint;
};

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

Task<std::string> read_all(Stream& stream) {
  std::string text;
  for (;;) {
    Result<ByteChain> read = co_await stream.read(1000);
    if (!read) co_return text + "|" + std::string(name_of(read.error().code()));
    text += text_of(*read);
  }
}

Task<void> wait_for_end(Context& context) {
  Result<void> asked = co_await context.terminate.wait();
  EXPECT_TRUE(asked);
}

TEST_F(Network, PingPong) {
  constexpr int kRounds = 500;
  int pongs = 0;
  LinuxProcess& server = start_server([](Context&, Stream& stream) -> Task<void> {
    for (;;) {
      Result<ByteChain> ping = co_await stream.read(100);
      if (!ping) break;
      Result<void> written = co_await stream.write(ping->flatten());
      EXPECT_TRUE(written);
    }
  });
  LinuxProcess& client = start_client([&](Context&, Stream& stream) -> Task<void> {
    for (int i = 0; i < kRounds; ++i) {
      Result<void> written = co_await stream.write(SharedBytes::copy_of("ping"));
      EXPECT_TRUE(written);
      Result<ByteChain> pong = co_await stream.read(100);
      EXPECT_EQ(text_of(pong.value()), "ping");
      ++pongs;
    }
    EXPECT_EQ(stream.peer(), endpoint);
    EXPECT_NE(stream.local().port, 0);
  });
  run_until_dead(client);
  run_until_dead(server);
  EXPECT_EQ(pongs, kRounds);
}

TEST_F(Network, HalfCloseEndsOneDirection) {
  LinuxProcess& server = start_server([](Context&, Stream& stream) -> Task<void> {
    std::string heard = co_await read_all(stream);
    EXPECT_EQ(heard, "question|end_of_stream");
    Result<void> written = co_await stream.write(SharedBytes::copy_of("answer"));
    EXPECT_TRUE(written);
  });
  LinuxProcess& client = start_client([](Context&, Stream& stream) -> Task<void> {
    Result<void> written = co_await stream.write(SharedBytes::copy_of("question"));
    EXPECT_TRUE(written);
    stream.finish_writing();
    Result<void> more = co_await stream.write(SharedBytes::copy_of("more"));
    EXPECT_EQ(code_of(more), ErrorCode::invalid_argument);
    std::string heard = co_await read_all(stream);
    EXPECT_EQ(heard, "answer|end_of_stream");
  });
  run_until_dead(client);
  run_until_dead(server);
}

// Always has more to do, until it is told to stop.
Task<void> stay_busy(Context& context, const bool& stops) {
  while (!stops) {
    Result<void> turned = co_await sleep_for(context.clock, Duration());
    if (!turned) co_return;
  }
}

// A write waits for what else is ready, and no longer than for eight rounds of it.
TEST_F(Network, WritesGoOutAlsoWhileSomebodyAlwaysHasMoreToDo) {
  constexpr int kRounds = 200;
  bool stops = false;
  LinuxProcess& server = start_server([&](Context& context, Stream& stream) -> Task<void> {
    context.scope.spawn(stay_busy(context, stops));
    for (;;) {
      Result<ByteChain> ping = co_await stream.read(100);
      if (!ping) break;
      Result<void> written = co_await stream.write(ping->flatten());
      EXPECT_TRUE(written);
    }
    Result<void> last = co_await stream.write(SharedBytes::copy_of("the last"));
    EXPECT_TRUE(last);
    stream.finish_writing();
  });
  std::string heard;
  LinuxProcess& client = start_client([&](Context& context, Stream& stream) -> Task<void> {
    context.scope.spawn(stay_busy(context, stops));
    for (int i = 0; i < kRounds; ++i) {
      Result<void> written = co_await stream.write(SharedBytes::copy_of("ping"));
      EXPECT_TRUE(written);
      Result<ByteChain> pong = co_await stream.read(100);
      EXPECT_EQ(text_of(pong.value()), "ping");
    }
    stream.finish_writing();
    std::string rest = co_await read_all(stream);
    heard = std::move(rest);
    stops = true;
  });
  run_until_dead(client);
  run_until_dead(server);
  EXPECT_EQ(heard, "the last|end_of_stream");
}

// Who resets a stream in the same step in which somebody writes takes the write with it.
TEST_F(Network, AResetTakesAWriteWithItThatWaitsForItsTurn) {
  bool stops = false;
  LinuxProcess& server = start_server([&](Context&, Stream& stream) -> Task<void> {
    std::string heard = co_await read_all(stream);
    EXPECT_EQ(heard, "|connection_reset");
  });
  std::optional<ErrorCode> told;
  LinuxProcess& client = start_client([&](Context& context, Stream& stream) -> Task<void> {
    context.scope.spawn(stay_busy(context, stops));
    const auto write = [&]() -> Task<void> {
      Result<void> written = co_await stream.write(SharedBytes::copy_of("never sent"));
      told = code_of(written);
    };
    const auto reset = [&]() -> Task<void> {
      stream.reset();
      co_return;
    };
    context.scope.spawn(write());
    context.scope.spawn(reset());
    Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
    EXPECT_TRUE(slept);
    stops = true;
  });
  run_until_dead(client);
  run_until_dead(server);
  EXPECT_EQ(told, ErrorCode::connection_reset);
}

TEST_F(Network, AKilledProcessEndsItsStreams) {
  LinuxProcess& server = start_server([](Context& context, Stream& stream) -> Task<void> {
    Result<void> written = co_await stream.write(SharedBytes::copy_of("last words"));
    EXPECT_TRUE(written);
    co_await wait_for_end(context);
  });
  LinuxProcess& client = start_client([&](Context&, Stream& stream) -> Task<void> {
    Result<ByteChain> first = co_await stream.read(4);
    EXPECT_EQ(text_of(first.value()), "last");
    server.kill();
    std::string heard = co_await read_all(stream);
    EXPECT_EQ(heard, " words|end_of_stream");
  });
  run_until_dead(client);
  run_until_dead(server);
}

TEST_F(Network, AKilledProcessThatLeftBytesUnreadResets) {
  LinuxProcess& server =
      start_server([](Context& context, Stream&) -> Task<void> { co_await wait_for_end(context); });
  LinuxProcess& client = start_client([&](Context&, Stream& stream) -> Task<void> {
    Result<void> written = co_await stream.write(SharedBytes::copy_of("never read"));
    EXPECT_TRUE(written);
    server.kill();
    std::string heard = co_await read_all(stream);
    EXPECT_EQ(heard, "|connection_reset");
    // Every later call fails alike, although the kernel tells it only once.
    std::string heard_later = co_await read_all(stream);
    EXPECT_EQ(heard_later, "|connection_reset");
    Result<void> written_later = co_await stream.write(SharedBytes::copy_of("x"));
    EXPECT_EQ(code_of(written_later), ErrorCode::connection_reset);
  });
  run_until_dead(client);
  run_until_dead(server);
}

TEST_F(Network, ResetIsSeenByBothEnds) {
  LinuxProcess& server = start_server([](Context&, Stream& stream) -> Task<void> {
    std::string heard = co_await read_all(stream);
    EXPECT_EQ(heard, "|connection_reset");
  });
  LinuxProcess& client = start_client([](Context& context, Stream& stream) -> Task<void> {
    std::string heard;
    const auto read = [&]() -> Task<void> {
      std::string text = co_await read_all(stream);
      heard = text;
    };
    TaskScope scope(context.scope);
    scope.spawn(read());
    Result<void> slept = co_await sleep_for(context.clock, Duration::us(1));  // It waits now.
    EXPECT_TRUE(slept);
    stream.reset();
    co_await scope.join();
    EXPECT_EQ(heard, "|connection_reset");
    Result<void> written = co_await stream.write(SharedBytes::copy_of("x"));
    EXPECT_EQ(code_of(written), ErrorCode::connection_reset);
    EXPECT_NE(stream.local().port, 0);
  });
  run_until_dead(client);
  run_until_dead(server);
}

TEST_F(Network, WritingWaitsForTheReader) {
  constexpr std::size_t kBytes = 64 << 20;  // More than two socket buffers hold.
  bool written_all = false;
  bool may_read = false;
  std::size_t got = 0;
  LinuxProcess& server = start_server([&](Context& context, Stream& stream) -> Task<void> {
    while (!may_read) {
      Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
      EXPECT_TRUE(slept);
    }
    for (;;) {
      Result<ByteChain> read = co_await stream.read(1 << 20);
      if (!read) break;
      got += read->size();
    }
  });
  LinuxProcess& client = start_client([&](Context& context, Stream& stream) -> Task<void> {
    const auto write = [&]() -> Task<void> {
      Result<void> written = co_await stream.write(SharedBytes::zeros(kBytes));
      EXPECT_TRUE(written);
      written_all = true;
    };
    TaskScope scope(context.scope);
    scope.spawn(write());
    Result<void> slept = co_await sleep_for(context.clock, Duration::ms(20));
    EXPECT_TRUE(slept);
    EXPECT_FALSE(written_all);
    stream.finish_writing();  // Takes effect behind the write that waits.
    may_read = true;
    co_await scope.join();
    EXPECT_TRUE(written_all);
  });
  run_until_dead(client);
  run_until_dead(server);
  EXPECT_EQ(got, kBytes);
}

TEST_F(Network, AWriteGivenUpHalfWayRefusesWhatFollows) {
  LinuxProcess& server =
      start_server([](Context& context, Stream&) -> Task<void> { co_await wait_for_end(context); });
  LinuxProcess& client = start_client([](Context& context, Stream& stream) -> Task<void> {
    const Deadline deadline = context.clock.now() + Duration::ms(5);
    Result<void> written = co_await stream.write(SharedBytes::zeros(64 << 20), deadline);
    EXPECT_EQ(code_of(written), ErrorCode::timed_out);
    Result<void> written_later = co_await stream.write(SharedBytes::copy_of("x"));
    EXPECT_EQ(code_of(written_later), ErrorCode::invalid_argument);
    const Deadline soon = context.clock.now() + Duration::ms(1);
    Result<ByteChain> read = co_await stream.read(1, soon);
    EXPECT_EQ(code_of(read), ErrorCode::timed_out);
  });
  run_until_dead(client);
  server.terminate();
  run_until_dead(server);
}

TEST_F(Network, NobodyListens) {
  run([](Context& context) -> Task<void> {
    Result<std::unique_ptr<Listener>> listener = context.network.listen(0);
    const Endpoint endpoint{context.network.address(), (*listener)->local().port};
    EXPECT_EQ(code_of(context.network.listen(endpoint.port)), ErrorCode::busy);
    listener->reset();
    const ConnectOptions options;
    Accepted connected = co_await context.network.connect(endpoint, options);
    EXPECT_EQ(code_of(connected), ErrorCode::connection_refused);
    listener = context.network.listen(endpoint.port);
    EXPECT_TRUE(listener);
    const Deadline soon = context.clock.now() + Duration::ms(1);
    Accepted accepted = co_await (*listener)->accept(soon);
    EXPECT_EQ(code_of(accepted), ErrorCode::timed_out);
  });
}

// A listener whose backlog is full answers no SYN: silence.
TEST_F(Network, SilenceIsATimeOut) {
  const OwnedDescriptor full(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = loopback(0);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(::bind(full.get(), generic, sizeof address), 0);
  ASSERT_EQ(::listen(full.get(), 0), 0);
  socklen_t length = sizeof address;
  ASSERT_EQ(::getsockname(full.get(), generic, &length), 0);
  endpoint = {INADDR_LOOPBACK, ntohs(address.sin_port)};
  run([&](Context& context) -> Task<void> {
    std::vector<std::unique_ptr<Stream>> queued;
    for (;;) {
      const ConnectOptions options{.deadline = context.clock.now() + Duration::ms(20)};
      Accepted connected = co_await context.network.connect(endpoint, options);
      if (!connected) {
        EXPECT_EQ(code_of(connected), ErrorCode::timed_out);
        break;
      }
      queued.push_back(std::move(*connected));
    }
    EXPECT_LE(queued.size(), 4u);
  });
}

TEST_F(Network, CancellingEndsItsWaits) {
  run([](Context& context) -> Task<void> {
    Result<std::unique_ptr<Listener>> listener = context.network.listen(0);
    bool ended = false;
    const auto accept = [&]() -> Task<void> {
      Accepted accepted = co_await (*listener)->accept();
      EXPECT_EQ(code_of(accepted), ErrorCode::cancelled);
      ended = true;
    };
    TaskScope scope(context.scope);
    scope.spawn(accept());
    Result<void> slept = co_await sleep_for(context.clock, Duration::us(1));
    EXPECT_TRUE(slept);
    scope.cancel();
    co_await scope.join();
    EXPECT_TRUE(ended);
  });
}

TEST_F(Network, ConnectionsAreAcceptedInTheOrderOfTheirHandshakes) {
  run([](Context& context) -> Task<void> {
    Result<std::unique_ptr<Listener>> listener = context.network.listen(0);
    const Endpoint endpoint{context.network.address(), (*listener)->local().port};
    std::vector<std::unique_ptr<Stream>> ours;
    const ConnectOptions options{.keep_alive = {.enabled = true, .idle = Duration::s(5)}};
    for (int i = 0; i < 20; ++i) {
      Accepted connected = co_await context.network.connect(endpoint, options);
      EXPECT_TRUE(connected);
      ours.push_back(std::move(*connected));
    }
    for (const auto& stream : ours) {
      Accepted accepted = co_await (*listener)->accept();
      EXPECT_EQ((*accepted)->peer(), stream->local());
    }
  });
}

// The connection stays in the backlog, and is there once a descriptor is free again.
TEST_F(Network, AcceptingWithoutAFreeDescriptor) {
  run([](Context& context) -> Task<void> {
    Result<std::unique_ptr<Listener>> listener = context.network.listen(0);
    const OwnedDescriptor peer(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address = loopback((*listener)->local().port);
    EXPECT_EQ(::connect(peer.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    {
      const NoMoreDescriptors limit;
      Accepted refused = co_await (*listener)->accept();
      EXPECT_EQ(code_of(refused), ErrorCode::too_many_open_files);
    }
    Accepted accepted = co_await (*listener)->accept();
    EXPECT_TRUE(accepted);
  });
}

// Loopback has 2^24 addresses: processes of one machine can pose as hosts of their own.
TEST_F(Network, ProcessesWithAddressesOfTheirOwnUseEqualPorts) {
  constexpr std::uint32_t kFirst = 0x7f000002;
  constexpr std::uint32_t kSecond = 0x7f000003;
  std::uint16_t port = 0;
  LinuxProcess& first = world.spawn("first", {.address = kFirst});
  LinuxProcess& second = world.spawn("second", {.address = kSecond});
  first.start([&](Context& context) -> Task<void> {
    EXPECT_EQ(context.network.address(), kFirst);
    Result<std::unique_ptr<Listener>> listener = context.network.listen(0);
    port = (*listener)->local().port;
    Accepted accepted = co_await (*listener)->accept();
    EXPECT_EQ((*accepted)->peer().address, kSecond);
    EXPECT_EQ((*accepted)->local().address, kFirst);
  });
  ASSERT_TRUE(world.run_until([&] { return port != 0; }, kHangLimit));
  second.start([&](Context& context) -> Task<void> {
    Result<std::unique_ptr<Listener>> listener = context.network.listen(port);
    EXPECT_TRUE(listener);
    const ConnectOptions options;
    const Endpoint to{kFirst, port};
    Accepted connected = co_await context.network.connect(to, options);
    EXPECT_TRUE(connected);
  });
  run_until_dead(first);
  run_until_dead(second);
}

}  // namespace
}  // namespace drydock::on_linux::test
