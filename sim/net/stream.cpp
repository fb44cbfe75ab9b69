#include "sim/net/stream.hpp"

#include "sim/net/connection.hpp"
#include "sim/net/process_network.hpp"

namespace drydock::sim {

SimStream::SimStream(ProcessNetwork& owner, Socket& socket) : owner_(owner), socket_(socket) {
  owner_.opened();
  socket_.hold(*this);
}

SimStream::~SimStream() {
  owner_.closed();
  socket_.close();
}

Endpoint SimStream::local() const { return socket_.connection().end_of(socket_); }
Endpoint SimStream::peer() const { return socket_.connection().end_of(socket_.peer()); }

}  // namespace drydock::sim
