// A process as its executor sees it: may its coroutines run, and what keeps a dead one around.
#pragma once

#include <cstdint>

#include "engine/runtime/executor.hpp"
#include "engine/types/ids.hpp"

namespace drydock {

// Why a process is stopped.
enum class StopCause : std::uint8_t {
  signal = 1,     // SIGSTOP.
  host = 2,       // Its host is paused.
  safepoint = 4,  // Its virtual machine has stopped it.
};

// A set of them.
class StopCauses {
 public:
  constexpr StopCauses() = default;
  constexpr StopCauses(StopCause cause) : bits_(static_cast<std::uint8_t>(cause)) {}  // NOLINT
  static constexpr StopCauses all() { return StopCauses(0xff); }

  bool empty() const { return bits_ == 0; }
  bool has(StopCause cause) const { return (bits_ & static_cast<std::uint8_t>(cause)) != 0; }
  StopCauses with(StopCause cause) const {
    return StopCauses(bits_ | static_cast<unsigned>(cause));
  }
  StopCauses without(StopCauses others) const {
    return StopCauses(bits_ & ~unsigned{others.bits_});
  }

 private:
  constexpr explicit StopCauses(unsigned bits) : bits_(static_cast<std::uint8_t>(bits)) {}
  std::uint8_t bits_ = 0;
};

// Phases and what they mean for the process's coroutines:
//
//   running  wake-ups run.
//   stopped  (SIGSTOP, a stop-the-world pause) wake-ups are kept, in order, until `proceed`. Time
//            goes on: a deadline that passes meanwhile has passed. A chain of coroutines may be
//            exempt: see Strand::passes.
//   dying    (kill -9) nothing of it runs ever again; wake-ups and deregistrations are dropped.
//            Frames, descriptors and mounts stay while one of its workers is in an uninterruptible
//            wait, as the last thread of a Linux process keeps its descriptor table alive.
//   dead     every frame is gone.
//
// A process may be stopped for several reasons at once; it proceeds when all of them are gone.
//
// Called by the world that owns the process, from events of its own, never from inside one of the
// process's coroutines, except one that the stop in question does not stop.
class ProcessState {
 public:
  enum class Phase : std::uint8_t { running, stopped, dying, dead };

  ProcessState(ProcessId id, Executor& executor, Clock& clock)
      : executor_(executor), clock_(clock), id_(id) {}
  ProcessState(const ProcessState&) = delete;
  ProcessState& operator=(const ProcessState&) = delete;
  virtual ~ProcessState() = default;

  ProcessId id() const { return id_; }
  Executor& executor() const { return executor_; }
  Clock& clock() const { return clock_; }
  Phase phase() const { return phase_; }
  bool running() const { return phase_ == Phase::running; }
  bool ending() const { return phase_ >= Phase::dying; }
  // Whether coroutines run that these causes do not stop.
  bool runs_past(StopCauses passes) const {
    return !ending() && stop_causes_.without(passes).empty();
  }
  bool stopped_by(StopCause cause) const {
    return phase_ == Phase::stopped && stop_causes_.has(cause);
  }

  // Queues a wake-up of this process for now; drops it if the process is ending.
  void post(Wakeup& wakeup) {
    if (ending()) {
      wakeup.unlink();
    } else {
      executor_.post(wakeup);
    }
  }

  // Keeps a wake-up that came due while the process is stopped; drops it if it is ending.
  void park(Wakeup& wakeup) {
    if (!ending()) parked_.push_back(wakeup);
  }

  void stop(StopCause cause = StopCause::signal) {
    if (ending()) return;
    stop_causes_ = stop_causes_.with(cause);
    phase_ = Phase::stopped;
    halted();
  }
  void proceed(StopCause cause = StopCause::signal) {
    if (!stopped_by(cause)) return;
    stop_causes_ = stop_causes_.without(cause);
    if (stop_causes_.empty()) {
      phase_ = Phase::running;
      proceeds();
    }
    // With a cause left most of them are kept again; what that one does not stop goes on.
    while (!parked_.empty()) executor_.post(static_cast<Wakeup&>(*parked_.front()));
  }

  // The first step of a kill. The second, destroying the root scope, follows when
  // `uninterruptible_waits()` is 0; see `uninterruptible_waits_ended`.
  void begin_dying() {
    if (ending()) return;
    phase_ = Phase::dying;
    halted();
    while (!parked_.empty()) parked_.front()->unlink();
  }
  void mark_dead() { phase_ = Phase::dead; }

  std::uint32_t uninterruptible_waits() const { return uninterruptible_waits_; }
  void enter_uninterruptible() { ++uninterruptible_waits_; }
  void leave_uninterruptible() {
    ENSURE(uninterruptible_waits_ > 0);
    --uninterruptible_waits_;
    if (uninterruptible_waits_ == 0 && phase_ == Phase::dying) uninterruptible_waits_ended();
  }

 protected:
  // From now on none of its coroutines runs: it is stopped (until `proceeds`) or dying. May be
  // called again while that is so.
  virtual void halted() {}
  virtual void proceeds() {}

  // The last uninterruptible wait of a dying process has ended: schedule the destruction of its
  // root scope as an event. Called from events and from inside destructors, so it only schedules.
  virtual void uninterruptible_waits_ended() = 0;

 private:
  Executor& executor_;
  Clock& clock_;
  IntrusiveList parked_;
  ProcessId id_;
  std::uint32_t uninterruptible_waits_ = 0;
  Phase phase_ = Phase::running;
  StopCauses stop_causes_;
};

}  // namespace drydock
