// sim/host models machines: power, clocks, cores, and the processes that run on them.
//
//   host_clock   monotonic and wall time of one machine, with skew, jump and drift
//   host         power, cores, the list of its processes
//   host_memory  how much memory there is, who has it, who dies for it
//   process      a process: root scope, workers, context; stop, kill, exit
//   jvm          the Java virtual machine of a process: safepoints, direct memory
//   processes    starting and ending them from inside the simulation
//   services     the small parts of a process's context: random streams, chaos, observer, compute
//
// It knows nothing of networks and file systems but that they hear about power and about ended
// processes (HostListener).
//
// This file: the clocks of one host.
#pragma once

#include <functional>

#include "engine/runtime/executor.hpp"
#include "sim/kernel/kernel.hpp"

namespace drydock::sim {

// monotonic(v) = m0 + (v − v0) · (1 + drift), wall(v) = monotonic(v) + offset, with v the virtual
// time. Drift is given in parts per billion, so the arithmetic is exact in integers (128-bit
// intermediate, rounded down). A wall jump changes the offset alone; a change of drift starts a
// new segment (m0, v0) and moves the host's armed timers.
class HostClock : public Clock {
 public:
  // `belongs(process id)`: whether timers of that process are this clock's.
  HostClock(Kernel& kernel, std::function<bool(std::uint32_t)> belongs)
      : kernel_(kernel), belongs_(std::move(belongs)) {}

  MonotonicTime now() const override { return MonotonicTime::at_ns(to_host(kernel_.now())); }
  WallTime wall_now() const override {
    return WallTime::at_ns(to_host(kernel_.now()) + wall_offset_ns_);
  }
  void arm(Wakeup& wakeup, MonotonicTime at) override {
    kernel_.at(wakeup, to_virtual(at.count_ns()));
  }

  // Wall time at monotonic time 0 of the host, ns since the Unix epoch.
  void set_wall_offset(std::int64_t offset_ns) { wall_offset_ns_ = offset_ns; }
  // Steps the wall clock forward or back, as a time daemon or an operator does.
  void jump_wall(Duration by) { wall_offset_ns_ += by.count_ns(); }
  // From now on the host's clock gains `parts_per_billion` ns per second of virtual time (may be
  // negative, > -500,000,000). Armed timers keep their host time and move in virtual time.
  void set_drift(std::int64_t parts_per_billion);
  std::int64_t drift_ppb() const { return drift_ppb_; }
  // Starts the monotonic clock anew, as a reboot does.
  void restart();

  // Conversions for the world's own use.
  std::int64_t to_host(std::int64_t virtual_ns) const;
  // The first virtual time at which the host's clock reads at least `host_ns`.
  std::int64_t to_virtual(std::int64_t host_ns) const;

 private:
  Kernel& kernel_;
  std::function<bool(std::uint32_t)> belongs_;
  std::int64_t virtual_origin_ns_ = 0;
  std::int64_t host_origin_ns_ = 0;
  std::int64_t drift_ppb_ = 0;
  std::int64_t wall_offset_ns_ = 0;
};

}  // namespace drydock::sim
