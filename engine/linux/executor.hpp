// The run loop: what is ready runs in order, one at a time, on one thread; when nothing is, the
// thread sleeps until a descriptor, a timer or another thread has something.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "engine/runtime/executor.hpp"
#include "engine/runtime/timer_queue.hpp"

namespace drydock::on_linux {

// What the loop's thread does between wake-ups: see StandIn.
class Chores {
 public:
  virtual ~Chores() = default;
  virtual bool pending() const = 0;
  // Another thread may run the loop meanwhile, and have given it back at the end.
  virtual void run() = 0;
};

// Order: urgent wake-ups (kills) first; then rounds. A round takes everything that is ready, in the
// order in which it was posted; timers that are due join at the end of the ready list, by their
// time. Descriptors are looked at when nothing is ready, and after every eighth round at the
// latest, so a task that always has more to do does not starve the network. (To look costs a call
// of the kernel, and most rounds only go on with what the one before began.)
class LinuxExecutor : public Executor {
 public:
  LinuxExecutor();
  ~LinuxExecutor() override;
  LinuxExecutor(const LinuxExecutor&) = delete;
  LinuxExecutor& operator=(const LinuxExecutor&) = delete;

  void post(Wakeup& wakeup) override;
  void fail(std::exception_ptr exception) override;
  // Runs `wakeup` when nothing else is ready, and after eight rounds at the latest: for what is
  // better done once for several who come one after the other.
  void post_last(Wakeup& wakeup);
  // Something is ready besides the wake-up that runs.
  bool more_is_ready() const { return !nothing_ready(); }
  // Runs `wakeup` before everything else: for what ends processes.
  void post_urgent(Wakeup& wakeup);

  MonotonicTime now() const;
  void arm(Wakeup& wakeup, MonotonicTime at);

  // True once `predicate()` holds, which is asked first and then after every wake-up. False when
  // the clock reaches `limit`, or after `stop`. Throws what `fail` was given. Not from inside a
  // wake-up.
  bool run_until(const std::function<bool()>& predicate, MonotonicTime limit);
  // Makes the run in progress, or the next one, return false. From any thread, and from signal
  // handlers.
  void stop() noexcept;

  // Null: none. What is pending is done after the wake-up that made it so.
  void set_chores(Chores* chores) { chores_ = chores; }
  // Goes on with the run in progress on another thread, while that run's own does its chores. Ends
  // when `wanted_back` is set, or when the run is over, which its own thread then finds.
  void carry_on(const std::atomic<bool>& wanted_back);
  // Ends a sleep of the loop. From any thread.
  void nudge() noexcept;

 private:
  friend class DescriptorWatch;
  struct Reactor;  // Asio.

  enum class Round : std::uint8_t { over, satisfied, stopped };
  Round run_round();
  bool run_is_over() const;
  bool nothing_ready() const { return urgent_.empty() && round_.empty() && ready_.empty(); }
  void end_round();
  void sleep();
  bool chores_pending() const { return chores_ != nullptr && chores_->pending(); }
  Wakeup* next_of_round();
  void collect_due();
  void rethrow_failure();

  IntrusiveList urgent_;
  IntrusiveList ready_;
  IntrusiveList round_;
  IntrusiveList last_;
  TimerQueue timers_;
  std::exception_ptr failure_;
  std::atomic<bool> stop_wanted_ = false;
  Chores* chores_ = nullptr;
  // Of the run in progress. Null: there is none.
  const std::function<bool()>* predicate_ = nullptr;
  MonotonicTime limit_;
  int rounds_unlooked_ = 0;  // Since descriptors were last looked at.
  std::unique_ptr<Reactor> reactor_;
};

// Told when a descriptor is ready. Called between rounds; posts or completes, and must not destroy
// the watch it is called from.
class ReadinessListener {
 public:
  virtual ~ReadinessListener() = default;
  virtual void readable() = 0;
  virtual void writable() {}
};

// Watches one descriptor, which stays its owner's. Each request is answered once, and at once if
// the descriptor is ready already; an error or a hang-up counts as ready. A request while one of
// the same direction is open changes nothing. Destruction takes the requests back; it comes before
// the descriptor is closed.
class DescriptorWatch {
 public:
  DescriptorWatch(LinuxExecutor& executor, int descriptor, ReadinessListener& listener);
  ~DescriptorWatch();
  DescriptorWatch(const DescriptorWatch&) = delete;
  DescriptorWatch& operator=(const DescriptorWatch&) = delete;

  void await_readable();
  void await_writable();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace drydock::on_linux
