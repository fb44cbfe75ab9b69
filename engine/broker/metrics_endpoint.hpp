// Serves a broker's metrics to Prometheus: GET /metrics on a port of its own, by the names of
// RocketMQ's exporter where it has them (storage reference, 10.3), else as drydock_….
//
// Each connection is for one request. What is no request is refused; who says nothing is hung up on
// after ten seconds, and so is whoever does not take the answer or does not close then.
#pragma once

#include <memory>

#include "engine/broker/runtime_info.hpp"

namespace drydock {

class MetricsEndpoint {
 public:
  // `runtime_info`'s parts are what is asked.
  MetricsEndpoint(Context& context, BrokerParts parts);

  // Begins to serve. Error: busy if the port is taken.
  Result<void> listen(std::uint16_t port);
  Task<void> stop();

 private:
  static constexpr std::uint64_t kConnectionsMax = 16;

  Task<std::string> page();
  // `oldest_ms`: how long ago the oldest message was stored.
  std::string render(std::int64_t oldest_ms) const;
  Task<void> accept_connections(std::unique_ptr<Listener> listener);
  Task<void> serve(std::unique_ptr<Stream> stream, Semaphore::Permit place);

  Context& context_;
  BrokerParts parts_;
  Worker& worker_;
  Semaphore places_{kConnectionsMax};
  TaskScope acceptor_;
  TaskScope connections_;
};

}  // namespace drydock
