#include "engine/types/ensure.hpp"

#include <cstdio>
#include <cstdlib>

namespace drydock {

void ensure_failed(const char* condition, const char* file, int line) noexcept {
  std::fprintf(stderr, "ENSURE failed: %s at %s:%d\n", condition, file, line);
  std::fflush(stderr);
  std::abort();
}

}  // namespace drydock
