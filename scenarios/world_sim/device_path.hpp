// Where a host finds a shared disk.
#pragma once

#include <string>

namespace drydock::scenarios {

// The same path on every host that attaches it.
inline std::string device_of(const std::string& disk) { return "/dev/" + disk; }

}  // namespace drydock::scenarios
