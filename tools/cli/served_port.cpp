#include "tools/cli/served_port.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "engine/linux/descriptor.hpp"
#include "engine/wire/endpoint_text.hpp"
#include "scenarios/drill/drill.hpp"
#include "tools/cli/terminal.hpp"

namespace drydock::cli {

using scenarios::InputError;

Endpoint listen_endpoint(const std::optional<std::string>& listen) {
  constexpr Endpoint kDefault{0x7f000001, 0};
  if (!listen) return kDefault;
  if (const auto address = parse_address(*listen)) return {*address, 0};
  if (const auto endpoint = parse_endpoint(*listen)) return *endpoint;
  if (parse_address(listen->substr(0, listen->rfind(':')))) {
    throw InputError("--listen: " + printable(*listen) + ": a port is 1 to 65535");
  }
  throw InputError("--listen: '" + printable(*listen) +
                   "' is no IPv4 address, with or without :PORT (127.0.0.1, 0.0.0.0:10911)");
}

void check_port(Endpoint at, const std::string& remedy) {
  const on_linux::OwnedDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int yes = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(at.address);
  address.sin_port = htons(at.port);
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
    return;
  throw InputError("can't listen on " + to_text(at) + ": " + std::strerror(errno) + "; " + remedy);
}

Endpoint server_of(const char* option, const std::string& text, const char* example) {
  const auto endpoint = parse_endpoint(text);
  if (endpoint) return *endpoint;
  throw InputError(std::string(option) + ": '" + printable(text) +
                   "' is no address; write ADDR:PORT (" + example + ")");
}

std::vector<Endpoint> servers_of(const char* option, const std::string& text, const char* example) {
  auto endpoints = parse_endpoints(text);
  if (endpoints) return std::move(*endpoints);
  throw InputError(std::string(option) + ": '" + printable(text) +
                   "' is no address; write ADDR:PORT (" + example + "), several with ; between");
}

}  // namespace drydock::cli
