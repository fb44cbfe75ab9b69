#include <cstdio>

#include "tools/cli/commands.hpp"

namespace drydock::cli {

const char* const kVersion = DRYDOCK_VERSION;

int version() {
  std::printf("drydock %s (%s)\n", kVersion, DRYDOCK_COMPILER);
  return 0;
}

}  // namespace drydock::cli
