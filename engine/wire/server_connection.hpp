// One client's connection as a server has it: frames come in, responses go out.
//
// Responses wait in a list; one task writes them, several in one piece if they have gathered, so
// that 64 sends answered by one group commit leave as one segment. Responses to a connection that
// has ended are dropped, as a broker goes on with a request whose client is gone.
#pragma once

#include <memory>

#include "engine/runtime/context.hpp"
#include "engine/wire/outgoing_frames.hpp"

namespace drydock {

class ServerConnection {
 public:
  ServerConnection(Context& context, std::unique_ptr<Stream> stream, std::uint64_t id)
      : context_(context), peer_(stream->peer()), id_(id), stream_(std::move(stream)) {
    touch();
  }

  Endpoint peer() const { return peer_; }
  // Unique among the connections of its server, in the order in which they were accepted; from 1.
  std::uint64_t id() const { return id_; }

  // What has arrived, once something has. Errors: as Stream::read; timed_out also after 120 s
  // without any traffic. While too much waits to be sent, nothing is read.
  Task<Result<ByteChain>> read();

  // So much waits to be sent that no further request should be handled.
  bool congested() const { return outgoing_.bytes() > kOutgoingBytesMax; }
  // Waits until it is no longer so. Errors: connection_reset, cancelled; timed_out after 120 s
  // without any traffic.
  Task<Result<void>> drained();

  // Queues a response frame. Never waits.
  void respond(SharedBytes frame);

  // Sends what is queued until the connection ends. Spawned once, beside the reader.
  Task<void> write_responses();

  // Closes the stream; the task that writes has ended.
  void close();

  // Nothing more comes from the client; said before the server tells its handler.
  void note_end() { ended_ = true; }
  bool ended() const { return ended_; }

 private:
  static constexpr std::size_t kOutgoingBytesMax = 1024 * 1024;

  void touch() { last_traffic_ = context_.clock.now(); }

  Context& context_;
  Endpoint peer_;
  std::uint64_t id_;
  std::unique_ptr<Stream> stream_;  // Null once closed.
  OutgoingFrames outgoing_;
  Event has_outgoing_;
  Event drained_;        // Reset by a reader that waits for the queue to become shorter.
  bool broken_ = false;  // A write has failed.
  bool ended_ = false;
  MonotonicTime last_traffic_;
};

}  // namespace drydock
