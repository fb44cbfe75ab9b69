// Programs that belong to no drill's load: faults start them, and they do what they should not.
#pragma once

#include <string>

#include "engine/runtime/context.hpp"
#include "engine/runtime/task.hpp"

namespace drydock::scenarios {

// Connects, asks for a web page as HTTP/1.0 does, and reads what comes until it is killed or the
// connection ends. A port of RocketMQ's replication takes the last eight of these bytes that are
// complete, "TP/1.0\r\n", for how far a slave has come: 6 * 10^18.
Task<void> run_stray_client(Context& context, Endpoint port);

// Removes a file and syncs its directory, so that no loss of power brings it back.
Task<void> run_removal(Context& context, std::string path);

// Opens a file and syncs it. Whatever it is told is its own affair.
Task<void> run_sync(Context& context, std::string path);

}  // namespace drydock::scenarios
