// The one object through which a process reaches its world.
#pragma once

#include "engine/runtime/chaos.hpp"
#include "engine/runtime/compute.hpp"
#include "engine/runtime/executor.hpp"
#include "engine/runtime/file_system.hpp"
#include "engine/runtime/join.hpp"
#include "engine/runtime/network.hpp"
#include "engine/runtime/observer.hpp"
#include "engine/runtime/random.hpp"
#include "engine/runtime/scope.hpp"
#include "engine/runtime/sync.hpp"
#include "engine/runtime/worker.hpp"

namespace drydock {

// Made by the world, one per process; it and everything it refers to outlives the process's
// coroutines. Node agents get HostControl and Processes beside it: nobody else can name them.
struct Context {
  TaskScope& scope;  // The root scope of the process.
  Clock& clock;
  Random& random;
  Network& network;
  FileSystem& files;
  Workers& workers;
  Compute& compute;
  Chaos& chaos;
  Observer& observer;
  Event& terminate;  // Set by SIGTERM or its like: stop in an orderly way and return from main.
};

}  // namespace drydock
