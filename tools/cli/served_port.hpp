// Where a command serves, and where it connects to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/runtime/network.hpp"

namespace drydock::cli {

// Of --listen: ADDR (then the port is 0) or ADDR:PORT. Without it 127.0.0.1, port 0.
Endpoint listen_endpoint(const std::optional<std::string>& listen);

// Refuses a port that cannot be had, before anything is done for it. `remedy`: what to do then.
void check_port(Endpoint at, const std::string& remedy);

// Of an option that names one server (ADDR:PORT), or several with ; between.
Endpoint server_of(const char* option, const std::string& text, const char* example);
std::vector<Endpoint> servers_of(const char* option, const std::string& text, const char* example);

}  // namespace drydock::cli
