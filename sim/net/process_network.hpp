// The network as one process sees it.
#pragma once

#include "engine/runtime/network.hpp"
#include "engine/runtime/process_state.hpp"
#include "sim/net/host_stack.hpp"

namespace drydock::sim {

class SimNetwork;

class ProcessNetwork final : public Network {
 public:
  ProcessNetwork(SimNetwork& network, HostStack& host, const ProcessState& process)
      : network_(network), host_(host), process_(process) {}

  Result<std::unique_ptr<Listener>> listen(std::uint16_t port) override;
  Task<Result<std::unique_ptr<Stream>>> connect(Endpoint to, ConnectOptions options) override;
  std::uint32_t address() const override { return host_.address(); }

  // Descriptors of its sockets.
  bool full() const { return open_ >= host_.core().options.sockets_per_process; }
  void opened() {
    ++open_;
    ++host_.core().held_by_processes;
  }
  void closed() {
    --open_;
    --host_.core().held_by_processes;
  }

 private:
  // Nobody has that address.
  Task<Result<std::unique_ptr<Stream>>> find_nobody(Deadline deadline);

  SimNetwork& network_;
  HostStack& host_;
  const ProcessState& process_;
  std::uint32_t open_ = 0;
};

}  // namespace drydock::sim
