// Addresses as RocketMQ writes them: "10.20.16.31:9876", lists with ';' between. Pure. Host names
// are not known here: the simulation has no name service, and a route never holds any.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/runtime/network.hpp"

namespace drydock {

std::optional<std::uint32_t> parse_address(std::string_view text);  // Four decimal parts.
std::optional<Endpoint> parse_endpoint(std::string_view text);      // Port 1 to 65535.
// At least one endpoint; blanks around them and an empty piece at the end are fine.
std::optional<std::vector<Endpoint>> parse_endpoints(std::string_view text);

std::string to_text(Endpoint endpoint);

}  // namespace drydock
