// TCP sockets: listening, accepting, connecting.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>

#include "engine/linux/executor.hpp"
#include "engine/runtime/network.hpp"

namespace drydock::on_linux {

// Every connection has TCP_NODELAY (as RocketMQ's have) and no other option that was not asked
// for. Listening sockets have SO_REUSEADDR, so that a restarted broker gets its port while
// connections of its former life are in TIME_WAIT.
class LinuxNetwork : public Network {
 public:
  // `address`: see LinuxProcessOptions.
  LinuxNetwork(LinuxExecutor& executor, std::optional<std::uint32_t> address);

  Result<std::unique_ptr<Listener>> listen(std::uint16_t port) override;
  Task<Result<std::unique_ptr<Stream>>> connect(Endpoint to, ConnectOptions options) override;
  std::uint32_t address() const override;

 private:
  static constexpr std::size_t kReadBytesMax = 64 * 1024;  // Of one call.

  LinuxExecutor& executor_;
  std::optional<std::uint32_t> address_;
  std::array<std::byte, kReadBytesMax> scratch_;  // Where reads of all streams land first.
};

}  // namespace drydock::on_linux
