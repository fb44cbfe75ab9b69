// Both ends of a connection.
#pragma once

#include "sim/net/socket.hpp"

namespace drydock::sim {

// Made with the client's SYN. It exists while any process can still learn something from it, that
// is, while either end is held, and until the last of its segments has arrived.
class Connection : public ListLink {
 public:
  Connection(NetworkCore& core, HostStack& client, HostStack& server, Endpoint client_end,
             Endpoint server_end);

  // Subject of its events; connections count from 1.
  std::uint32_t id() const { return id_; }
  NetworkCore& core() const { return core_; }
  Socket& client() { return client_; }
  Socket& server() { return server_; }
  // The class of traffic it belongs to.
  std::uint16_t server_port() const { return server_end_.port; }
  Endpoint end_of(const Socket& socket) const {
    return &socket == &client_ ? client_end_ : server_end_;
  }

  void departed() { ++under_way_; }
  // False if the connection is over: the segment is of no interest. Then nothing of the connection
  // may be touched afterwards.
  bool arrived() {
    --under_way_;
    if (!over_) [[likely]]
      return true;
    if (under_way_ == 0) delete this;
    return false;
  }
  // An end is not held any more. If neither is, the connection is over, and may be gone.
  void let_go();

  static void* operator new(std::size_t size) { return pool_allocate(size); }
  static void operator delete(void* memory, std::size_t size) noexcept { pool_free(memory, size); }

 private:
  NetworkCore& core_;
  std::uint32_t id_;
  std::uint32_t under_way_ = 0;  // Segments of both directions.
  bool over_ = false;
  Endpoint client_end_;
  Endpoint server_end_;
  Socket client_;
  Socket server_;
};

}  // namespace drydock::sim
