#include "engine/linux/network.hpp"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>

#include "engine/linux/errors.hpp"
#include "engine/linux/stream.hpp"
#include "engine/runtime/sync.hpp"

namespace drydock::on_linux {
namespace {

constexpr std::uint32_t kLoopback = INADDR_LOOPBACK;
constexpr int kBacklog = 128;

// A descriptor's readiness as events that coroutines wait for.
class Readiness : private ReadinessListener {
 public:
  Readiness(LinuxExecutor& executor, int descriptor) : watch_(executor, descriptor, *this) {}

  // Set once the descriptor is ready, counted from this call.
  Event& next_readable() {
    readable_.reset();
    watch_.await_readable();
    return readable_;
  }
  Event& next_writable() {
    writable_.reset();
    watch_.await_writable();
    return writable_;
  }

 private:
  void readable() override { readable_.set(); }
  void writable() override { writable_.set(); }

  Event readable_;
  Event writable_;
  DescriptorWatch watch_;
};

sockaddr_in socket_address(Endpoint endpoint) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(endpoint.address);
  address.sin_port = htons(endpoint.port);
  return address;
}

void set_option(const OwnedDescriptor& socket, int level, int name, int value) {
  ::setsockopt(socket.get(), level, name, &value, sizeof value);
}

OwnedDescriptor open_socket() {
  return OwnedDescriptor(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

int bind_to(const OwnedDescriptor& socket, Endpoint endpoint) {
  const sockaddr_in address = socket_address(endpoint);
  return ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

// Linux counts these in whole seconds, at least one.
int seconds_of(Duration length) {
  const std::int64_t seconds = (length.count_ms() + 999) / 1000;
  return static_cast<int>(std::clamp<std::int64_t>(seconds, 1, 32'767));
}

void set_keep_alive(const OwnedDescriptor& socket, const KeepAlive& keep_alive) {
  if (!keep_alive.enabled) return;
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, seconds_of(keep_alive.idle));
  set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, seconds_of(keep_alive.interval));
  set_option(socket, IPPROTO_TCP, TCP_KEEPCNT, std::clamp(keep_alive.probes, 1, 127));
}

// 0, or why the connection attempt failed.
int connect_error(const OwnedDescriptor& socket) {
  int number = 0;
  socklen_t length = sizeof number;
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &number, &length) != 0) return errno;
  if (number != 0) return number;
  // Nobody listens on a free port, but TCP connects a socket to itself if it happens to have been
  // given that very port (simultaneous open).
  const bool to_itself = local_endpoint(socket) == peer_endpoint(socket);
  return to_itself ? ECONNREFUSED : 0;
}

class LinuxListener : public Listener {
 public:
  LinuxListener(LinuxExecutor& executor, OwnedDescriptor socket, std::span<std::byte> scratch)
      : executor_(executor),
        socket_(std::move(socket)),
        scratch_(scratch),
        readiness_(executor, socket_.get()) {}

  Endpoint local() const override { return local_endpoint(socket_); }
  Task<Result<std::unique_ptr<Stream>>> accept(Deadline deadline) override;

 private:
  LinuxExecutor& executor_;
  OwnedDescriptor socket_;
  std::span<std::byte> scratch_;
  Readiness readiness_;
};

Task<Result<std::unique_ptr<Stream>>> LinuxListener::accept(Deadline deadline) {
  for (;;) {
    OwnedDescriptor socket(
        ::accept4(socket_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (socket) {
      set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
      co_return std::make_unique<LinuxStream>(executor_, std::move(socket), scratch_);
    }
    const int number = errno;
    // A connection that failed while it was waiting here is its peer's affair. Source: accept(2).
    if (number == ECONNABORTED || number == EINTR || number == EPROTO) continue;
    if (number != EAGAIN) co_return socket_error(number);
    Event& readable = readiness_.next_readable();
    Result<void> ready = co_await readable.wait(deadline);
    if (!ready) co_return ready.error();
  }
}

}  // namespace

LinuxNetwork::LinuxNetwork(LinuxExecutor& executor, std::optional<std::uint32_t> address)
    : executor_(executor), address_(address) {}

std::uint32_t LinuxNetwork::address() const { return address_.value_or(kLoopback); }

Result<std::unique_ptr<Listener>> LinuxNetwork::listen(std::uint16_t port) {
  OwnedDescriptor socket = open_socket();
  if (!socket) return socket_error(errno);
  set_option(socket, SOL_SOCKET, SO_REUSEADDR, 1);
  const Endpoint endpoint{.address = address_.value_or(INADDR_ANY), .port = port};
  if (bind_to(socket, endpoint) != 0) return socket_error(errno);
  if (::listen(socket.get(), kBacklog) != 0) return socket_error(errno);
  return std::make_unique<LinuxListener>(executor_, std::move(socket), scratch_);
}

Task<Result<std::unique_ptr<Stream>>> LinuxNetwork::connect(Endpoint to, ConnectOptions options) {
  OwnedDescriptor socket = open_socket();
  if (!socket) co_return socket_error(errno);
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set_keep_alive(socket, options.keep_alive);
  if (address_) {
    set_option(socket, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1);  // The port is chosen by connect.
    const Endpoint ours{.address = *address_, .port = 0};
    if (bind_to(socket, ours) != 0) co_return socket_error(errno);
  }
  const sockaddr_in address = socket_address(to);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    if (errno != EINPROGRESS && errno != EINTR) co_return socket_error(errno);
    Readiness readiness(executor_, socket.get());
    Event& writable = readiness.next_writable();
    Result<void> answered = co_await writable.wait(options.deadline);
    if (!answered) co_return answered.error();
  }
  const int number = connect_error(socket);
  if (number != 0) co_return socket_error(number);
  co_return std::make_unique<LinuxStream>(executor_, std::move(socket), scratch_);
}

}  // namespace drydock::on_linux
