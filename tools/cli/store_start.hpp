// Where recovery would begin to read a store's log, by RocketMQ's rule (storage reference, 5.5),
// computed from the files alone.
#pragma once

#include <cstddef>

#include "tools/cli/store_files.hpp"

namespace drydock::cli {

// Which of `store.files` the next start reads first; everything in front of it stays as it is.
// `crashed`: the abort file is there. Then it is the newest file whose first record the checkpoint
// covers; else the newest one that begins at or before the largest position that the consume queues
// know. The first file if there is none such. Throws InputError.
std::size_t recovery_start(const StoreFiles& store, bool crashed);

}  // namespace drydock::cli
