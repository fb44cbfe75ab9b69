// A listening socket with its backlog.
#pragma once

#include <deque>
#include <vector>

#include "engine/runtime/sync.hpp"
#include "sim/net/host_stack.hpp"
#include "sim/net/socket.hpp"

namespace drydock::sim {

class ProcessNetwork;

class SimListener final : public Listener {
 public:
  SimListener(ProcessNetwork& owner, HostStack& host, std::uint16_t port);
  ~SimListener() override;

  Endpoint local() const override { return {host_.address(), port_}; }
  Task<Result<std::unique_ptr<Stream>>> accept(Deadline deadline) override;

  // For the sockets of its port. The backlog counts both kinds; Linux bounds each of them by
  // itself, and drops the last step of a handshake that finds no room.
  bool has_room() const { return expected_.size() + ready_.size() < host_.core().options.backlog; }
  void expect(Socket& socket) { expected_.push_back(&socket); }
  void established(Socket& socket);
  void forget(Socket& socket) { std::erase(expected_, &socket); }

 private:
  ProcessNetwork& owner_;
  HostStack& host_;
  std::uint16_t port_;
  std::vector<Socket*> expected_;  // Their handshake is not over.
  std::deque<Socket*> ready_;      // Nobody has accepted them yet.
  Event some_ready_;               // Set while there are any.
};

}  // namespace drydock::sim
