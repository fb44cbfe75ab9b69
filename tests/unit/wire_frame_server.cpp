// A server whose answers are much larger than their requests, over the simulated network.
#include "engine/wire/frame_server.hpp"

#include <gtest/gtest.h>

#include "tests/support/net_world.hpp"

namespace drydock::test {
namespace {

constexpr std::size_t kAnswerBytes = 256 * 1024;
constexpr int kRequests = 100;

class LargeAnswers : public FrameServer::Handler {
 public:
  void handle(std::shared_ptr<ServerConnection> connection, RemotingCommand request,
              Semaphore::Permit) override {
    ++handled;
    connection->respond(encode_command(response_head(request.head, ResponseCode::success),
                                       NoFields(), {}, body_.span()));
  }
  int handled = 0;

 private:
  SharedBytes body_ = SharedBytes::zeros(kAnswerBytes);
};

Task<void> serve(Context& context, LargeAnswers& handler) {
  FrameServer server(context, handler);
  Result<void> listening = server.listen(NetWorld::kPort);
  ENSURE(listening.has_value());
  Result<void> told = co_await context.terminate.wait();
  if (!told) co_return;
  co_await server.stop();
}

SharedBytes requests() {
  const SharedBytes one =
      encode_command(request_head(RequestCode::get_all_topic_config, 1), NoFields(), {}, {});
  SharedBytes all = SharedBytes::allocate(one.size() * kRequests);
  BigEndianWriter writer(all.writable());
  for (int i = 0; i < kRequests; ++i) writer.bytes(one.span());
  return all;
}

// All requests arrive in one segment. What the network holds is beyond the server's reach.
TEST(WireFrameServer, RequestsWaitWhileTheClientTakesNoAnswers) {
  NetWorld world;
  LargeAnswers handler;
  sim::SimProcess& process = world.host(1).spawn("server");
  process.attach(world.network.attach(world.host(1), process), std::make_unique<NoFiles>());
  process.start([&](Context& context) { return serve(context, handler); });
  Actor& client = world.actor(0);
  const Pending<std::size_t> connected = client.connect(NetWorld::endpoint(1));
  world.run_for(Duration::s(1));
  ASSERT_TRUE(connected->ok());
  client.write(requests());
  world.run_for(Duration::s(1));
  EXPECT_GE(handler.handled, 5);  // 1 MiB
  EXPECT_LT(handler.handled, kRequests / 2);

  std::size_t received = 0;
  for (;;) {
    const Pending<ByteChain> read = client.read();
    world.run_for(Duration::s(1));
    if (!read->ok()) break;
    received += (*read->result)->size();
  }
  EXPECT_EQ(handler.handled, kRequests);
  EXPECT_GT(received, kRequests * kAnswerBytes);
}

}  // namespace
}  // namespace drydock::test
