// Files as a thread of a Java virtual machine uses them.
#pragma once

#include <memory>

#include "sim/host/jvm.hpp"

namespace drydock::sim {

// Calls of the file system are native calls, stores into and loads from mappings are not. Both are
// passed on to `files`, which outlives what this returns, as the machine does.
std::unique_ptr<FileSystem> files_of_jvm(Jvm& jvm, FileSystem& files);

}  // namespace drydock::sim
