#include "sim/net/process_network.hpp"

#include "engine/runtime/sync.hpp"
#include "sim/net/connection.hpp"
#include "sim/net/listener.hpp"
#include "sim/net/network.hpp"
#include "sim/net/stream.hpp"

namespace drydock::sim {
namespace {

// The kernel asks three times, a second apart, who has an address. Source: arp(7), mcast_solicit
// and retrans_time_ms.
constexpr Duration kResolveFor = Duration::s(3);

}  // namespace

Result<std::unique_ptr<Listener>> ProcessNetwork::listen(std::uint16_t port) {
  if (full()) return ErrorCode::too_many_open_files;
  if (port == 0) port = host_.pick_port();
  if (host_.listener(port) != nullptr) return ErrorCode::busy;
  return std::make_unique<SimListener>(*this, host_, port);
}

Task<Result<std::unique_ptr<Stream>>> ProcessNetwork::connect(Endpoint to, ConnectOptions options) {
  if (full()) co_return ErrorCode::too_many_open_files;
  HostStack* const target = network_.find(to.address, host_);
  if (target == nullptr) co_return co_await find_nobody(options.deadline);

  auto stream = std::make_unique<SimStream>(*this, network_.open(host_, *target, to));
  stream->socket().connect(options.keep_alive);
  Result<void> connected = co_await stream->connected(options.deadline);
  if (!connected) co_return connected.error();
  std::unique_ptr<Stream> result = std::move(stream);
  co_return result;
}

Task<Result<std::unique_ptr<Stream>>> ProcessNetwork::find_nobody(Deadline deadline) {
  const Deadline resolved = process_.clock().now() + kResolveFor;
  Result<void> slept = co_await sleep_until(std::min(deadline, resolved));
  if (!slept) co_return slept.error();
  co_return deadline < resolved ? ErrorCode::timed_out : ErrorCode::unreachable;
}

}  // namespace drydock::sim
