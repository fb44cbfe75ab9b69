// A program of the engine that runs on Linux for a command, and the signals that end it.
#pragma once

#include "engine/linux/world.hpp"

namespace drydock::cli {

// Runs `world` until `process` has ended. The first SIGINT or SIGTERM asks the process to stop in
// an orderly way; a second one has its ordinary effect. Returns the signal, 0 if there was none.
// Throws what a task threw. One at a time.
int run_to_end(on_linux::LinuxWorld& world, on_linux::LinuxProcess& process);

}  // namespace drydock::cli
