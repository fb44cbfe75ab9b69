// The connections of a client, one per broker, made when they are first asked for.
#pragma once

#include <map>
#include <memory>

#include "engine/wire/request_connection.hpp"

namespace drydock {

class BrokerConnections {
 public:
  BrokerConnections(Context& context, RequestConnectionOptions options)
      : context_(context), options_(options) {}

  // Stays valid as long as this object.
  RequestConnection& to(Endpoint broker) {
    std::unique_ptr<RequestConnection>& connection = connections_[broker];
    if (connection == nullptr) {
      connection = std::make_unique<RequestConnection>(context_, broker, options_);
    }
    return *connection;
  }
  Task<void> close() {
    for (auto& [broker, connection] : connections_) co_await connection->close();
  }

 private:
  Context& context_;
  RequestConnectionOptions options_;
  std::map<Endpoint, std::unique_ptr<RequestConnection>> connections_;
};

}  // namespace drydock
