#include "engine/wire/frame_server.hpp"

#include "engine/runtime/join.hpp"

namespace drydock {

namespace {

constexpr Duration kAcceptRetryPause = Duration::ms(100);

}  // namespace

Result<void> FrameServer::listen(std::uint16_t port) {
  Result<std::unique_ptr<Listener>> listener = context_.network.listen(port);
  if (!listener) return listener.error();
  acceptor_.spawn(accept_connections(std::move(*listener)));
  return {};
}

Task<void> FrameServer::stop() {
  acceptor_.cancel();
  co_await acceptor_.join();
  connections_.cancel();
  co_await connections_.join();
  requests_.cancel();
  co_await requests_.join();
}

Task<void> FrameServer::accept_connections(std::unique_ptr<Listener> listener) {
  for (;;) {
    Result<std::unique_ptr<Stream>> stream = co_await listener->accept();
    if (stream) {
      connections_.spawn(
          serve(std::make_shared<ServerConnection>(context_, std::move(*stream), ++accepted_)));
      continue;
    }
    if (stream.error().code() == ErrorCode::cancelled) co_return;
    Result<void> slept = co_await sleep_for(context_.clock, kAcceptRetryPause);
    if (!slept) co_return;
  }
}

Task<void> FrameServer::serve(std::shared_ptr<ServerConnection> connection) {
  TaskScope writer(connections_);
  writer.spawn(connection->write_responses());
  FrameDecoder decoder;
  for (;;) {
    Result<ByteChain> bytes = co_await connection->read();
    if (!bytes) break;
    decoder.feed(std::move(*bytes));
    const bool go_on = co_await handle_commands(connection, decoder);
    if (!go_on) break;
  }
  connection->note_end();
  if (!connections_.cancelled()) handler_.connection_ended(*connection);
  writer.cancel();
  co_await writer.join();
  connection->close();
}

Task<bool> FrameServer::handle_commands(std::shared_ptr<ServerConnection> connection,
                                        FrameDecoder& decoder) {
  for (;;) {
    // What was read in one piece may ask for much more than the client takes.
    if (connection->congested()) {
      Result<void> drained = co_await connection->drained();
      if (!drained) co_return false;
    }
    RemotingCommand command;
    const FrameDecoder::Step step = decoder.next(command);
    if (step == FrameDecoder::Step::need_more) co_return true;
    if (step == FrameDecoder::Step::fault) {
      std::string line = "connection closed: ";
      line += name_of(decoder.fault());
      context_.observer.log(LogLevel::warning, std::move(line));
      co_return false;
    }
    if (command.is_response()) continue;  // We have asked nobody.
    Result<Semaphore::Permit> slot = co_await in_progress_.acquire();
    if (!slot) co_return false;
    handler_.handle(connection, std::move(command), std::move(*slot));
  }
}

}  // namespace drydock
