// Names of files and directories, made durable (behaviour files.names-not-synced).
//
// A sync of a file promises nothing of its name (fsync(2)): that takes a sync of the directory that
// the name is in. The name of the directory is in the one above it.
#pragma once

#include <string>

#include "engine/runtime/context.hpp"

namespace drydock {

// Makes the names in the directory durable, its own one, and those of the directories above it, as
// far up as the process may read them. Errors: what a sync gave; not_found.
Task<Result<void>> sync_names(Context& context, Worker& worker, std::string directory);

}  // namespace drydock
