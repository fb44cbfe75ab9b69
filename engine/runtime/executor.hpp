// Where wake-ups run: one thread, one at a time, in a defined order.
#pragma once

#include <exception>

#include "engine/runtime/wakeup.hpp"
#include "engine/types/time.hpp"

namespace drydock {

class Executor {
 public:
  virtual ~Executor() = default;

  // Queues `wakeup` for the present moment, behind everything that is already due. If it was queued
  // elsewhere (as a timer, say), it is moved. Never runs it inside the call.
  virtual void post(Wakeup& wakeup) = 0;

  // A task ended with an exception that nobody can catch: the executor's run loop throws it to its
  // own caller. The engine does not throw; assertions of tests do.
  virtual void fail(std::exception_ptr exception) = 0;
};

// The two clocks of one host, and its timers.
//
// Contract. `now` never decreases and never jumps; while the host is powered it advances even when
// a process is stopped. A host's clock may run fast or slow against another host's (drift), which
// also changes the real length of its timers. `wall_now` may jump in both directions; timers do not
// follow it. Resolution 1 ns; neither call costs a system call's worth of work in simulation.
// Source: clock_gettime(2), CLOCK_MONOTONIC and CLOCK_REALTIME.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual MonotonicTime now() const = 0;
  virtual WallTime wall_now() const = 0;

  // Queues `wakeup` to run once `now() >= at`; at once (but not inside the call) if that has
  // passed. Moves it if it is queued already. Unlinking or destroying it takes it back.
  virtual void arm(Wakeup& wakeup, MonotonicTime at) = 0;
};

}  // namespace drydock
