// The network as one process sees it.
#pragma once

#include "engine/runtime/network.hpp"
#include "sim/net/host_stack.hpp"

namespace drydock::sim {

class SimNetwork;

class ProcessNetwork final : public Network {
 public:
  ProcessNetwork(SimNetwork& network, HostStack& host, SimProcess& process)
      : network_(network), host_(host), process_(process) {}

  Result<std::unique_ptr<Listener>> listen(std::uint16_t port) override;
  Task<Result<std::unique_ptr<Stream>>> connect(Endpoint to, ConnectOptions options) override;
  std::uint32_t address() const override { return host_.address(); }

  // Descriptors of its sockets.
  bool full() const { return process_.descriptors().full(); }
  void opened() {
    process_.descriptors().opened();
    ++host_.core().held_by_processes;
  }
  void closed() {
    process_.descriptors().closed();
    --host_.core().held_by_processes;
  }

 private:
  // Nobody has that address.
  Task<Result<std::unique_ptr<Stream>>> find_nobody(Deadline deadline);

  SimNetwork& network_;
  HostStack& host_;
  SimProcess& process_;
};

}  // namespace drydock::sim
