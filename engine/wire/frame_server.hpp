// Serves the remoting protocol on a port: accepts connections, cuts what arrives into commands, and
// gives requests to a handler.
#pragma once

#include <memory>

#include "engine/runtime/context.hpp"
#include "engine/wire/remoting_frame.hpp"
#include "engine/wire/server_connection.hpp"

namespace drydock {

// Keep it in a frame that is older than what the handler starts.
class FrameServer {
 public:
  class Handler {
   public:
    virtual ~Handler() = default;
    // A request, in the order of its connection. Answers it with `connection->respond`, at once or
    // from a task in `requests()` that keeps `slot`: it bounds the requests in progress.
    virtual void handle(std::shared_ptr<ServerConnection> connection, RemotingCommand request,
                        Semaphore::Permit slot) = 0;
    // The connection has ended, whoever ended it; nothing more comes from it. Not called by stop().
    virtual void connection_ended([[maybe_unused]] ServerConnection& connection) {}
  };

  FrameServer(Context& context, Handler& handler)
      : context_(context),
        handler_(handler),
        requests_(context.scope),
        connections_(context.scope),
        acceptor_(context.scope) {}

  // Begins to serve. Error: busy if the port is taken.
  Result<void> listen(std::uint16_t port);

  // Ends everything in an orderly way. What is in progress is not waited for: its clients see the
  // connection end.
  Task<void> stop();

  // For the tasks of requests.
  TaskScope& requests() { return requests_; }

 private:
  Task<void> accept_connections(std::unique_ptr<Listener> listener);
  Task<void> serve(std::shared_ptr<ServerConnection> connection);
  // Hands over every command that is complete, as fast as their answers leave. False: the
  // connection is of no more use.
  Task<bool> handle_commands(std::shared_ptr<ServerConnection> connection, FrameDecoder& decoder);

  // Over all connections: beyond it nothing more is read. Each one may hold a message of 4 MiB, but
  // those that wait for their flush are in the page cache already.
  static constexpr std::uint64_t kRequestsInProgressMax = 65'536;

  Context& context_;
  Handler& handler_;
  std::uint64_t accepted_ = 0;
  Semaphore in_progress_{kRequestsInProgressMax};
  // In this order: a connection that goes away leaves its requests in progress.
  TaskScope requests_;
  TaskScope connections_;
  TaskScope acceptor_;
};

}  // namespace drydock
