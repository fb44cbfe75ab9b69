// Who shares a file system with a broker, takes room of it and gives it back (disk.fill).
#pragma once

#include <cstdint>
#include <string>

#include "engine/runtime/context.hpp"

namespace drydock::scenarios {

// The file of the fault with this number.
std::string tenant_file(std::size_t fault);

// Reserves blocks for the file until `used_percent` of what a process may use are in use, as df
// counts, rounded up to whole blocks; 100: all of them.
Task<void> take_room(Context& context, std::string file, std::int32_t used_percent);
Task<void> give_room_back(Context& context, std::string file);

}  // namespace drydock::scenarios
