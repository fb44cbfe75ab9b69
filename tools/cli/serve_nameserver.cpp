// drydock serve nameserver: a name server on a real socket, until it is told to stop.
#include <cstdio>
#include <string>

#include "engine/nameserver/name_server.hpp"
#include "engine/wire/endpoint_text.hpp"
#include "scenarios/drill/drill.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/linux_program.hpp"
#include "tools/cli/served_port.hpp"
#include "tools/cli/terminal.hpp"

namespace drydock::cli {

int serve_nameserver(const ServeNameserverOptions& options) {
  const Endpoint listen = listen_endpoint(options.listen);
  NameServerConfiguration configuration;
  if (listen.port != 0) configuration.listen_port = listen.port;
  const Endpoint at{listen.address, configuration.listen_port};
  check_port(at, "give another --listen ADDR:PORT");
  std::printf(
      "drydock serve: a testbed, not for production: keep no messages here that you need\n");
  std::fflush(stdout);

  bool serving = false;
  std::string error = "it ended before it served";
  on_linux::LinuxOptions world_options;
  world_options.log_sink = [&](std::string_view, LogLevel level, const std::string& line) {
    if (!serving && level == LogLevel::error) error = line;
    if (serving && level != LogLevel::debug && level != LogLevel::info) {
      std::fprintf(stderr, "drydock: %s\n", printable(line).c_str());
    }
  };
  world_options.event_sink = [&](std::string_view, EventName name, std::int64_t, std::int64_t) {
    if (name != EventName::serving_started) return;
    serving = true;
    std::printf("serving a name server on %s\n", to_text(at).c_str());
    std::fflush(stdout);
  };
  on_linux::LinuxWorld world(world_options);
  on_linux::LinuxProcessOptions process_options;
  if (listen.address != 0) process_options.address = listen.address;
  on_linux::LinuxProcess& server = world.spawn("nameserver", process_options);
  server.start(
      [&configuration](Context& context) { return run_name_server(context, configuration); });
  run_to_end(world, server);

  if (!serving) throw scenarios::InputError(printable(error));
  std::printf("stopped in an orderly way\n");
  return 0;
}

}  // namespace drydock::cli
