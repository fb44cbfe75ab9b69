// Whom a client talks to.
#pragma once

#include <optional>

#include "engine/client/producer.hpp"

namespace drydock::scenarios {

// One broker, or, without it, those that the name servers say.
struct Destination {
  std::optional<Endpoint> broker;
  NameServers name_servers;
};

}  // namespace drydock::scenarios
