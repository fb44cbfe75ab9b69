// A program of the engine that runs on Linux for a command, and the signals that end it.
#pragma once

#include <vector>

#include "engine/linux/world.hpp"

namespace drydock::cli {

// Runs `world` until `process` has ended. The first SIGINT or SIGTERM asks the process to stop in
// an orderly way; a second one has its ordinary effect. Returns the signal, 0 if there was none.
// Throws what a task threw. One at a time.
int run_to_end(on_linux::LinuxWorld& world, on_linux::LinuxProcess& process);

// Ok if one of them takes a connection, which is ended again: so that a wrong address is one line
// and not one per message. Error: the last one.
Task<Result<void>> reach_one_of(Context& context, std::vector<Endpoint> servers, Duration timeout);

}  // namespace drydock::cli
