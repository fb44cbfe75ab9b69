// What a store has besides its log, a line each: for drydock store dump --part.
#pragma once

#include <string_view>

#include "tools/cli/commands.hpp"

namespace drydock::cli {

inline constexpr std::string_view kDumpParts[] = {"log",        "queues", "index",
                                                  "checkpoint", "config", "state"};

// Any part but the log. The exit status. Throws InputError.
int dump_part(const StoreDumpOptions& options);

}  // namespace drydock::cli
