// Connections: ordered bytes, back-pressure, ends and resets, in both worlds.
#include "tests/contract/contract.hpp"

namespace drydock::contract {
namespace {

using Connected = Result<std::unique_ptr<Stream>>;

// Reads to the end: the text, then '|' and why it ended.
Task<std::string> read_all(Stream& stream, Deadline deadline = kNever) {
  std::string text;
  for (;;) {
    Result<ByteChain> more = co_await stream.read(10'000, deadline);
    if (!more) co_return text + "|" + text_of(more);
    text += text_of(*more);
  }
}

// Reads exactly `size` bytes, or fewer if the stream ends.
Task<std::string> read_some(Stream& stream, std::size_t size) {
  std::string text;
  while (text.size() < size) {
    Result<ByteChain> more = co_await stream.read(size - text.size());
    if (!more) co_return text + "|" + text_of(more);
    text += text_of(*more);
  }
  co_return text;
}

// `length` bytes that tell where they are.
std::string pattern(std::size_t length) {
  std::string text(length, '\0');
  for (std::size_t i = 0; i < length; ++i)
    text[i] = static_cast<char>('a' + (i * 7 + i / 251) % 26);
  return text;
}

template <class Which>
class NetworkContract : public Contract<Which> {
 protected:
  using Talk = std::function<Task<void>(Context&, Stream&)>;

  // On host 1: listens, and runs `serve` on the first connection.
  Guest& start_server(Talk talk) {
    return this->start(
        1,
        [this, talk](Context& context) -> Task<void> {
          Result<std::unique_ptr<Listener>> listener = context.network.listen(0);
          EXPECT_TRUE(listener);
          server = (*listener)->local();
          server.address = context.network.address();
          Connected accepted = co_await (*listener)->accept();
          EXPECT_TRUE(accepted);
          if (accepted) co_await talk(context, **accepted);
        },
        "server");
  }
  // On host 0: connects to the server and runs `talk`.
  Guest& start_client(Talk talk) {
    this->run_until([this] { return server.port != 0; });
    return this->start(
        0,
        [this, talk](Context& context) -> Task<void> {
          const ConnectOptions options;
          Connected connected = co_await context.network.connect(server, options);
          EXPECT_TRUE(connected);
          if (connected) co_await talk(context, **connected);
        },
        "client");
  }
  // Both, to their ends.
  void run_talk(Talk serving, Talk talking) {
    Guest& serving_guest = start_server(std::move(serving));
    Guest& talking_guest = start_client(std::move(talking));
    this->run_until_gone(talking_guest);
    this->run_until_gone(serving_guest);
  }

  Endpoint server;
};
TYPED_TEST_SUITE(NetworkContract, Worlds, WorldNames);

Task<void> say(Stream& stream, std::string text) {
  Result<void> written = co_await stream.write(bytes_of(text));
  EXPECT_TRUE(written);
}

TYPED_TEST(NetworkContract, BytesArriveInOrderWhateverThePieces) {
  const std::string text = pattern(300'000);
  std::string heard;
  this->run_talk(
      [&](Context&, Stream& stream) -> Task<void> {
        std::string all = co_await read_all(stream);
        heard = all;
      },
      [&](Context&, Stream& stream) -> Task<void> {
        for (std::size_t at = 0, size = 1; at < text.size(); at += size, size = size * 3 + 1) {
          co_await say(stream, text.substr(at, size));
        }
        stream.finish_writing();
        std::string end = co_await read_all(stream);
        EXPECT_EQ(end, "|end_of_stream");
      });
  EXPECT_TRUE(heard == text + "|end_of_stream") << heard.size();
}

TYPED_TEST(NetworkContract, BothDirectionsAreIndependent) {
  const auto both = [](Context& context, Stream& stream) -> Task<void> {
    TaskScope scope(context.scope);
    auto write = [&stream]() -> Task<void> {
      co_await say(stream, pattern(200'000));
      stream.finish_writing();
    };
    scope.spawn(write());
    std::string heard = co_await read_all(stream);
    EXPECT_TRUE(heard == pattern(200'000) + "|end_of_stream") << heard.size();
    co_await scope.join();
  };
  this->run_talk(both, both);
}

TYPED_TEST(NetworkContract, AReadGivesAtLeastOneAndAtMostTheAskedBytes) {
  this->run_talk([](Context&, Stream& stream) -> Task<void> { co_await say(stream, "abcdef"); },
                 [](Context&, Stream& stream) -> Task<void> {
                   Result<ByteChain> first = co_await stream.read(4);
                   EXPECT_GE(first->size(), 1u);
                   EXPECT_LE(first->size(), 4u);
                   std::string rest = co_await read_all(stream);
                   EXPECT_EQ(text_of(*first) + rest, "abcdef|end_of_stream");
                 });
}

TYPED_TEST(NetworkContract, HalfCloseEndsOneDirectionOnly) {
  this->run_talk(
      [](Context&, Stream& stream) -> Task<void> {
        std::string heard = co_await read_all(stream);
        EXPECT_EQ(heard, "question|end_of_stream");
        co_await say(stream, "answer");
      },
      [this](Context&, Stream& stream) -> Task<void> {
        co_await say(stream, "question");
        stream.finish_writing();
        stream.finish_writing();
        Result<void> more = co_await stream.write(bytes_of("more"));
        this->answer("write after finish_writing", more);
        std::string heard = co_await read_all(stream);
        EXPECT_EQ(heard, "answer|end_of_stream");
        std::string again = co_await read_all(stream);
        EXPECT_EQ(again, "|end_of_stream");  // Every later read fails alike.
      });
}

TYPED_TEST(NetworkContract, EndpointsNameBothSides) {
  Endpoint client_local;
  Endpoint server_peer;
  this->run_talk(
      [&](Context& context, Stream& stream) -> Task<void> {
        server_peer = stream.peer();
        EXPECT_EQ(stream.local(), this->server);
        EXPECT_EQ(context.network.address(), this->world().address(1));
        co_await say(stream, "x");
      },
      [&](Context& context, Stream& stream) -> Task<void> {
        client_local = stream.local();
        EXPECT_EQ(stream.peer(), this->server);
        EXPECT_EQ(client_local.address, context.network.address());
        EXPECT_NE(client_local.port, 0);
        std::string heard = co_await read_some(stream, 1);
        EXPECT_EQ(heard, "x");
      });
  EXPECT_EQ(client_local, server_peer);
}

TYPED_TEST(NetworkContract, NobodyListensIsRefused) {
  this->run([this](Context& context) -> Task<void> {
    std::uint16_t port = 0;
    {
      Result<std::unique_ptr<Listener>> listener = context.network.listen(0);
      port = (*listener)->local().port;
    }
    const Endpoint closed{this->world().address(0), port};
    const ConnectOptions options;
    Connected connected = co_await context.network.connect(closed, options);
    EXPECT_EQ(code_of(connected), ErrorCode::connection_refused);
  });
}

TYPED_TEST(NetworkContract, APortThatIsTakenIsBusyOnItsOwnHostOnly) {
  std::uint16_t port = 0;
  Guest& holder = this->start(0, [&](Context& context) -> Task<void> {
    Result<std::unique_ptr<Listener>> listener = context.network.listen(0);
    port = (*listener)->local().port;
    EXPECT_EQ(code_of(context.network.listen(port)), ErrorCode::busy);
    co_await stay(context);
  });
  this->run_until([&] { return port != 0; });
  this->run([&](Context& context) -> Task<void> {
    EXPECT_EQ(code_of(context.network.listen(port)), ErrorCode::busy);
    co_return;
  });
  Guest& elsewhere = this->start(1, [&](Context& context) -> Task<void> {
    EXPECT_TRUE(context.network.listen(port));
    co_return;
  });
  this->run_until_gone(elsewhere);
  holder.kill();
  this->run_until_gone(holder);
  this->run([&](Context& context) -> Task<void> {  // A dead process listens no more.
    EXPECT_TRUE(context.network.listen(port));
    co_return;
  });
}

TYPED_TEST(NetworkContract, TheHandshakeIsTheKernels) {
  // Connected, sent and gone before the server accepts: nothing of it is lost.
  bool sent = false;
  std::string heard;
  Guest& server = this->start(1, [&](Context& context) -> Task<void> {
    Result<std::unique_ptr<Listener>> listener = context.network.listen(0);
    this->server = {context.network.address(), (*listener)->local().port};
    while (!sent) {
      Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
      EXPECT_TRUE(slept);
    }
    for (int i = 0; i < 2; ++i) {
      Connected accepted = co_await (*listener)->accept();
      std::string text = co_await read_all(**accepted);
      heard += text + " ";
    }
  });
  Guest& client = this->start_client([&](Context& context, Stream& stream) -> Task<void> {
    co_await say(stream, "first");
    const ConnectOptions options;
    Connected second = co_await context.network.connect(this->server, options);
    co_await say(**second, "second");
  });
  this->run_until_gone(client);
  sent = true;
  this->run_until_gone(server);
  EXPECT_EQ(heard, "first|end_of_stream second|end_of_stream ");
}

TYPED_TEST(NetworkContract, AWriterWaitsForAReaderThatDoesNotRead) {
  constexpr std::size_t kPiece = 64 << 10;
  constexpr std::size_t kTooMuch = 256 << 20;
  std::size_t taken = 0;
  bool stalled = false;
  std::size_t heard = 0;
  this->run_talk(
      [&](Context& context, Stream& stream) -> Task<void> {
        while (!stalled) {
          Result<void> slept = co_await sleep_for(context.clock, Duration::ms(5));
          EXPECT_TRUE(slept);
        }
        for (;;) {
          Result<ByteChain> more = co_await stream.read(kPiece);
          if (!more) break;
          heard += more->size();
        }
      },
      [&](Context& context, Stream& stream) -> Task<void> {
        const SharedBytes piece = SharedBytes::zeros(kPiece);
        for (; taken < kTooMuch; taken += kPiece) {
          const Deadline deadline = context.clock.now() + Duration::ms(100);
          Result<void> written = co_await stream.write(piece, deadline);
          if (!written) {
            EXPECT_EQ(code_of(written), ErrorCode::timed_out);
            break;
          }
        }
        stalled = true;
        // A part of the last piece may have been queued: what follows would be read as its rest.
        Result<void> refused = co_await stream.write(bytes_of("x"));
        EXPECT_EQ(code_of(refused), ErrorCode::invalid_argument);
      });
  EXPECT_LT(taken, kTooMuch);
  EXPECT_GE(heard, taken);
  EXPECT_LT(heard, taken + kPiece);
}

TYPED_TEST(NetworkContract, AKeptWriteCompletesWhenTheReaderReads) {
  constexpr std::size_t kSize = 32 << 20;
  std::size_t heard = 0;
  bool written_at_once = true;
  this->run_talk(
      [&](Context&, Stream& stream) -> Task<void> {
        for (;;) {
          Result<ByteChain> more = co_await stream.read(1 << 20);
          if (!more) break;
          heard += more->size();
          written_at_once = false;
        }
      },
      [&](Context&, Stream& stream) -> Task<void> {
        Result<void> written = co_await stream.write(SharedBytes::zeros(kSize));
        EXPECT_TRUE(written);
        EXPECT_FALSE(written_at_once);
      });
  EXPECT_EQ(heard, kSize);
}

TYPED_TEST(NetworkContract, AReadThatTimesOutOrIsCancelledConsumesNothing) {
  bool go = false;
  this->run_talk(
      [&](Context& context, Stream& stream) -> Task<void> {
        while (!go) {
          Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
          EXPECT_TRUE(slept);
        }
        co_await say(stream, "text");
      },
      [&](Context& context, Stream& stream) -> Task<void> {
        const Deadline soon = context.clock.now() + Duration::ms(2);
        Result<ByteChain> late = co_await stream.read(10, soon);
        EXPECT_EQ(code_of(late), ErrorCode::timed_out);
        std::string how;
        auto read = [&]() -> Task<void> {
          Result<ByteChain> cancelled = co_await stream.read(10);
          how = text_of(cancelled);
        };
        TaskScope scope(context.scope);
        scope.spawn(read());
        Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
        EXPECT_TRUE(slept);
        scope.cancel();
        co_await scope.join();
        EXPECT_EQ(how, "cancelled");
        go = true;
        std::string heard = co_await read_all(stream);
        EXPECT_EQ(heard, "text|end_of_stream");
      });
}

TYPED_TEST(NetworkContract, AReadWithAPastDeadlineGivesWhatIsThere) {
  bool arrived = false;
  this->run_talk(
      [&](Context& context, Stream& stream) -> Task<void> {
        co_await say(stream, "ab");
        while (!arrived) {
          Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
          EXPECT_TRUE(slept);
        }
      },
      [&](Context&, Stream& stream) -> Task<void> {
        std::string first = co_await read_some(stream, 1);
        EXPECT_EQ(first, "a");
        Result<ByteChain> there = co_await stream.read(10, MonotonicTime());
        EXPECT_EQ(text_of(there.value()), "b");
        Result<ByteChain> nothing = co_await stream.read(10, MonotonicTime());
        EXPECT_EQ(code_of(nothing), ErrorCode::timed_out);
        arrived = true;
      });
}

TYPED_TEST(NetworkContract, ACloseWithUnreadBytesResetsThePeer) {
  this->run_talk(
      [](Context&, Stream& stream) -> Task<void> {
        std::string first = co_await read_some(stream, 1);
        EXPECT_EQ(first, "n");  // The rest stays unread.
      },
      [this](Context&, Stream& stream) -> Task<void> {
        co_await say(stream, "never read");
        std::string heard = co_await read_all(stream);
        EXPECT_EQ(heard, "|connection_reset");
        std::string again = co_await read_all(stream);
        EXPECT_EQ(again, "|connection_reset");
        Result<void> written = co_await stream.write(bytes_of("x"));
        this->answer("write after the peer's reset", written);
      });
}

TYPED_TEST(NetworkContract, ACloseWithoutUnreadBytesIsTheEndOfTheStream) {
  this->run_talk([](Context&, Stream& stream) -> Task<void> { co_await say(stream, "bye"); },
                 [](Context&, Stream& stream) -> Task<void> {
                   std::string heard = co_await read_all(stream);
                   EXPECT_EQ(heard, "bye|end_of_stream");
                 });
}

TYPED_TEST(NetworkContract, SendingToAClosedPeerIsResetInTheEnd) {
  this->run_talk([](Context&, Stream&) -> Task<void> { co_return; },
                 [this](Context& context, Stream& stream) -> Task<void> {
                   std::string heard = co_await read_all(stream);
                   EXPECT_EQ(heard, "|end_of_stream");
                   Result<void> written = co_await stream.write(bytes_of("x"));
                   this->answer("first write to a peer that has closed", written);
                   for (int i = 0; i < 1'000 && written; ++i) {
                     Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
                     EXPECT_TRUE(slept);
                     Result<void> again = co_await stream.write(bytes_of("x"));
                     written = again;
                   }
                   EXPECT_EQ(code_of(written), ErrorCode::connection_reset);
                   Result<ByteChain> read = co_await stream.read(10);
                   this->answer("read after a write was reset", read);
                 });
}

TYPED_TEST(NetworkContract, AResetIsSeenByThePeer) {
  bool ready = false;
  this->run_talk(
      [&](Context&, Stream& stream) -> Task<void> {
        ready = true;
        std::string heard = co_await read_all(stream);
        EXPECT_EQ(heard.substr(heard.find('|')), "|connection_reset");
      },
      [&](Context& context, Stream& stream) -> Task<void> {
        co_await say(stream, "may be lost");
        while (!ready) {
          Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
          EXPECT_TRUE(slept);
        }
        stream.reset();
        stream.reset();
        Result<ByteChain> read = co_await stream.read(10);
        this->answer("read after one's own reset", read);
        Result<void> written = co_await stream.write(bytes_of("x"));
        this->answer("write after one's own reset", written);
        stream.finish_writing();
        this->answer("peer after one's own reset",
                     stream.peer() == this->server ? std::string("the server") : "something else");
      });
}

TYPED_TEST(NetworkContract, AResetEndsTheReadThatWaits) {
  this->run_talk(
      [](Context&, Stream& stream) -> Task<void> {
        std::string heard = co_await read_all(stream);
        EXPECT_EQ(heard, "|connection_reset");
      },
      [this](Context& context, Stream& stream) -> Task<void> {
        std::string how;
        auto read = [&]() -> Task<void> {
          std::string heard = co_await read_all(stream);
          how = heard;
        };
        TaskScope scope(context.scope);
        scope.spawn(read());
        Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
        EXPECT_TRUE(slept);
        stream.reset();
        co_await scope.join();
        this->answer("read that waits while one resets", how);
      });
}

TYPED_TEST(NetworkContract, AKilledProcessEndsItsStreams) {
  Guest& server = this->start_server([](Context& context, Stream& stream) -> Task<void> {
    co_await say(stream, "last words");
    co_await stay(context);
  });
  Guest& client = this->start_client([&](Context&, Stream& stream) -> Task<void> {
    std::string first = co_await read_some(stream, 4);
    EXPECT_EQ(first, "last");
    server.kill();
    std::string rest = co_await read_all(stream);
    EXPECT_EQ(rest, " words|end_of_stream");
  });
  this->run_until_gone(client);
}

TYPED_TEST(NetworkContract, AKilledProcessThatLeftBytesUnreadResets) {
  bool there = false;
  Guest& server = this->start_server([&](Context& context, Stream& stream) -> Task<void> {
    std::string first = co_await read_some(stream, 1);
    EXPECT_EQ(first, "n");
    there = true;
    co_await stay(context);
  });
  Guest& client = this->start_client([&](Context& context, Stream& stream) -> Task<void> {
    co_await say(stream, "never read");
    while (!there) {
      Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
      EXPECT_TRUE(slept);
    }
    server.kill();
    std::string heard = co_await read_all(stream);
    EXPECT_EQ(heard, "|connection_reset");
  });
  this->run_until_gone(client);
}

TYPED_TEST(NetworkContract, AListenerThatGoesResetsWhoWasNotAccepted) {
  bool connected = false;
  Guest& server = this->start(1, [&](Context& context) -> Task<void> {
    Result<std::unique_ptr<Listener>> listener = context.network.listen(0);
    this->server = {context.network.address(), (*listener)->local().port};
    while (!connected) {
      Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
      EXPECT_TRUE(slept);
    }
    listener->reset();
    co_await stay(context);
  });
  Guest& client = this->start_client([&](Context&, Stream& stream) -> Task<void> {
    connected = true;
    std::string heard = co_await read_all(stream);
    EXPECT_EQ(heard, "|connection_reset");
  });
  this->run_until_gone(client);
  server.kill();
  this->run_until_gone(server);
}

TYPED_TEST(NetworkContract, ConnectionsAreAcceptedInTheirOrder) {
  std::string heard;
  Guest& server = this->start(1, [&](Context& context) -> Task<void> {
    Result<std::unique_ptr<Listener>> listener = context.network.listen(0);
    this->server = {context.network.address(), (*listener)->local().port};
    for (int i = 0; i < 3; ++i) {
      Connected accepted = co_await (*listener)->accept();
      std::string text = co_await read_some(**accepted, 1);
      heard += text;
    }
  });
  Guest& client = this->start_client([&](Context& context, Stream& first) -> Task<void> {
    const ConnectOptions options;
    Connected second = co_await context.network.connect(this->server, options);
    Connected third = co_await context.network.connect(this->server, options);
    co_await say(**third, "3");
    co_await say(**second, "2");
    co_await say(first, "1");
    std::string end = co_await read_all(**third);
    EXPECT_EQ(end, "|end_of_stream");
  });
  this->run_until_gone(server);
  this->run_until_gone(client);
  EXPECT_EQ(heard, "123");
}

TYPED_TEST(NetworkContract, AnAcceptTimesOutAndIsCancelled) {
  this->run([this](Context& context) -> Task<void> {
    Result<std::unique_ptr<Listener>> listener = context.network.listen(0);
    const Deadline soon = context.clock.now() + Duration::ms(1);
    Connected late = co_await (*listener)->accept(soon);
    EXPECT_EQ(code_of(late), ErrorCode::timed_out);
    std::string how;
    auto accept = [&]() -> Task<void> {
      Connected cancelled = co_await (*listener)->accept();
      how = text_of(cancelled);
    };
    TaskScope scope(context.scope);
    scope.spawn(accept());
    Result<void> slept = co_await sleep_for(context.clock, Duration::ms(1));
    EXPECT_TRUE(slept);
    scope.cancel();
    co_await scope.join();
    EXPECT_EQ(how, "cancelled");
    // The listener is as before.
    const Endpoint self{this->world().address(0), (*listener)->local().port};
    const ConnectOptions options;
    Connected connected = co_await context.network.connect(self, options);
    EXPECT_TRUE(connected);
    Connected accepted = co_await (*listener)->accept();
    EXPECT_TRUE(accepted);
    Connected another = co_await context.network.connect(self, options);
    EXPECT_TRUE(another);
    Connected with_past_deadline = co_await (*listener)->accept(MonotonicTime());
    this->answer("accept with a past deadline while a connection waits", with_past_deadline);
  });
}

TYPED_TEST(NetworkContract, WhatAConnectWithAPastDeadlineAnswers) {
  this->run([this](Context& context) -> Task<void> {
    Result<std::unique_ptr<Listener>> listener = context.network.listen(0);
    const Endpoint self{this->world().address(0), (*listener)->local().port};
    const ConnectOptions options{.deadline = MonotonicTime()};
    Connected connected = co_await context.network.connect(self, options);
    this->answer("connect to one's own host with a past deadline", connected);
  });
}

TYPED_TEST(NetworkContract, WhatAConnectInACancelledScopeAnswers) {
  this->run([this](Context& context) -> Task<void> {
    Result<std::unique_ptr<Listener>> listener = context.network.listen(0);
    const Endpoint self{this->world().address(0), (*listener)->local().port};
    std::string how;
    auto connect = [&]() -> Task<void> {
      const ConnectOptions options;
      Connected cancelled = co_await context.network.connect(self, options);
      how = text_of(cancelled);
    };
    TaskScope scope(context.scope);
    scope.cancel();
    scope.spawn(connect());
    co_await scope.join();
    this->answer("connect to one's own host in a cancelled scope", how);
  });
}

TYPED_TEST(NetworkContract, NothingMayBeWritten) {
  this->run_talk(
      [](Context&, Stream& stream) -> Task<void> {
        std::string heard = co_await read_all(stream);
        EXPECT_EQ(heard, "x|end_of_stream");
      },
      [](Context&, Stream& stream) -> Task<void> {
        Result<void> nothing = co_await stream.write(SharedBytes());
        EXPECT_TRUE(nothing);
        co_await say(stream, "x");
      });
}

TYPED_TEST(NetworkContract, WhatWasWrittenOutlivesItsWriter) {
  // What was written before the close is still delivered, however much it is.
  std::string heard;
  this->run_talk(
      [&](Context& context, Stream& stream) -> Task<void> {
        Result<void> slept = co_await sleep_for(context.clock, Duration::ms(2));
        EXPECT_TRUE(slept);
        std::string all = co_await read_all(stream);
        heard = all;
      },
      [](Context&, Stream& stream) -> Task<void> { co_await say(stream, pattern(100'000)); });
  EXPECT_TRUE(heard == pattern(100'000) + "|end_of_stream") << heard.size();
}

}  // namespace
}  // namespace drydock::contract
