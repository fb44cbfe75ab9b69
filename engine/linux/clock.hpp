// The clocks of the machine.
#pragma once

#include "engine/linux/executor.hpp"

namespace drydock::on_linux {

// CLOCK_MONOTONIC, by which timers run too, and CLOCK_REALTIME. A timer that is `kNever` is kept
// and never runs.
class LinuxClock : public Clock {
 public:
  explicit LinuxClock(LinuxExecutor& executor) : executor_(executor) {}
  MonotonicTime now() const override { return executor_.now(); }
  WallTime wall_now() const override;
  void arm(Wakeup& wakeup, MonotonicTime at) override { executor_.arm(wakeup, at); }

 private:
  LinuxExecutor& executor_;
};

}  // namespace drydock::on_linux
