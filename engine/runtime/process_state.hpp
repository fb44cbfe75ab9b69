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

// Phases and what they mean for the process's coroutines:
//
//   running  wake-ups run.
//   stopped  (SIGSTOP, a stop-the-world pause) wake-ups are kept, in order, until `proceed`. Time
//            goes on: a deadline that passes meanwhile has passed.
//   dying    (kill -9) nothing of it runs ever again; wake-ups and deregistrations are dropped.
//            Frames, descriptors and mounts stay while one of its workers is in an uninterruptible
//            wait, as the last thread of a Linux process keeps its descriptor table alive.
//   dead     every frame is gone.
//
// A process may be stopped for several reasons at once; it proceeds when all of them are gone.
//
// Called by the world that owns the process, from events of its own, never from inside one of the
// process's coroutines.
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
    stop_causes_ |= static_cast<std::uint8_t>(cause);
    phase_ = Phase::stopped;
    halted();
  }
  void proceed(StopCause cause = StopCause::signal) {
    if (phase_ != Phase::stopped) return;
    stop_causes_ &= static_cast<std::uint8_t>(~static_cast<unsigned>(cause));
    if (stop_causes_ != 0) return;
    phase_ = Phase::running;
    proceeds();
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
  std::uint8_t stop_causes_ = 0;
};

}  // namespace drydock
