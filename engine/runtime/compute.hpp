// CPU time as something that has a price.
#pragma once

#include "engine/runtime/task.hpp"
#include "engine/runtime/worker.hpp"

namespace drydock {

class Compute {
 public:
  virtual ~Compute() = default;
  // Spends `cpu` of a core's time on behalf of `worker`, waiting for a core if all are busy. On
  // Linux the real work was spent already and the call completes at once. Error: cancelled.
  virtual Task<Result<void>> charge(Worker& worker, Duration cpu) = 0;
  // Whether work has a price in this world: without one no throughput is reported.
  virtual bool priced() const = 0;
};

}  // namespace drydock
