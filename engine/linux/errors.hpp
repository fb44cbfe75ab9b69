// errno values as the engine's errors; the number stays beside the code.
#pragma once

#include "engine/types/result.hpp"

namespace drydock::on_linux {

// Of files, mappings, block devices and child processes. A time-out or a lost path of the block
// layer is `outcome_unknown`: the command may still land.
Error file_error(int number);
// Of sockets.
Error socket_error(int number);

}  // namespace drydock::on_linux
