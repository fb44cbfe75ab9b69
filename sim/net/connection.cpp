#include "sim/net/connection.hpp"

#include "sim/net/host_stack.hpp"

namespace drydock::sim {

Connection::Connection(NetworkCore& core, HostStack& client, HostStack& server, Endpoint client_end,
                       Endpoint server_end)
    : core_(core),
      id_(++core.connections_made),
      client_end_(client_end),
      server_end_(server_end),
      client_(*this, client, client.link_to(server), server_),
      server_(*this, server, server.link_to(client), client_) {
  core.connections.push_back(*this);
}

void Connection::let_go() {
  if (over_ || client_.held() || server_.held()) return;
  over_ = true;
  client_.go_dark();
  server_.go_dark();
  if (under_way_ == 0) delete this;
}

}  // namespace drydock::sim
