// The program of the node agent whose host owns a shared disk from the start: registers its key,
// acquires the reservation (Write Exclusive) and mounts the disk at "/". After a reboot it does so
// again, unless another host holds the disk by then.
#pragma once

#include "engine/runtime/context.hpp"
#include "engine/runtime/host_control.hpp"

namespace drydock::scenarios {

// Returns when the disk is mounted, or cannot be: then it has logged why. `control` outlives the
// process.
Task<void> run_owner(Context& context, std::string device, ReservationKey key,
                     HostControl& control);

}  // namespace drydock::scenarios
