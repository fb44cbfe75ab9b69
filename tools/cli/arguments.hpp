// Which options each command has, and the help that explains them.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace drydock::cli {

// Adds every command to `app`. The one that the user names sets `chosen`, which runs it and gives
// the exit status.
void add_commands(CLI::App& app, std::function<int()>& chosen);

}  // namespace drydock::cli
