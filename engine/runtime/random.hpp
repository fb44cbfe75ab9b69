// Randomness of a process: named streams of the run's seed.
#pragma once

#include <string_view>

#include "engine/types/random_stream.hpp"

namespace drydock {

class Random {
 public:
  virtual ~Random() = default;

  // A stream of its own for `name` (within this process). Asking twice for a name gives the same
  // numbers twice. In simulation it is a function of the run's seed, the process and the name; on
  // Linux the seed comes from the operating system once, at start, and is logged.
  virtual RandomStream stream(std::string_view name) = 0;
};

}  // namespace drydock
