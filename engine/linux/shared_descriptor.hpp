// An open file, held by its owner and by the operations in flight.
#pragma once

#include <memory>

#include "engine/linux/descriptor.hpp"

namespace drydock::on_linux {

class Operations;

// The number is not closed, and so not given to another file, while a thread or the kernel may
// still use it. Counted and destroyed on the executor's thread.
using SharedDescriptor = std::shared_ptr<const OwnedDescriptor>;

// Closing the last descriptor of a file that was removed frees its blocks, which may wait for the
// journal: that happens on the world's own lane. Other files are closed at once.
SharedDescriptor share(Operations& operations, OwnedDescriptor descriptor);

}  // namespace drydock::on_linux
