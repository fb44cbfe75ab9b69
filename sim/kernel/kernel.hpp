// The run loop of a simulated world.
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <string_view>

#include "engine/runtime/executor.hpp"
#include "engine/runtime/timer_queue.hpp"
#include "engine/types/random_stream.hpp"
#include "sim/kernel/fingerprint.hpp"
#include "sim/kernel/triggers.hpp"

namespace drydock::sim {

struct KernelOptions {
  std::uint64_t seed = 0;
  // Chooses among events of the same time by a random stream of their own instead of by insertion.
  // Finds code that relies on an order which the world does not promise.
  bool perturb_schedule = false;
  // Events without progress of the virtual clock after which the run is given up as a livelock.
  std::uint64_t events_per_instant_max = 20'000'000;
};

// One simulation. Several can live in one process and even be interleaved: nothing is shared.
class Kernel : public Executor {
 public:
  explicit Kernel(KernelOptions options);

  // Virtual time, ns since the start of the run.
  std::int64_t now() const { return now_; }
  std::uint64_t seed() const { return options_.seed; }

  // The stream `name` of the run's seed.
  RandomStream stream(std::string_view name) const { return RandomStream(options_.seed, name); }

  // Queues an entry for virtual time `time` (now, if that has passed).
  void at(Wakeup& wakeup, std::int64_t time) { queue_.insert(wakeup, time < now_ ? now_ : time); }
  void after(Wakeup& wakeup, Duration delay) { at(wakeup, now_ + delay.count_ns()); }
  void post(Wakeup& wakeup) override { queue_.insert(wakeup, now_); }
  // Runs the entry next, before everything that is due: for kills at an exact point.
  void post_urgent(Wakeup& wakeup) {
    wakeup.unlink();
    urgent_.push_back(wakeup);
  }
  void fail(std::exception_ptr exception) override { failure_ = std::move(exception); }

  // Runs every event whose time is <= `limit`; the clock then reads `limit`.
  void run_until(std::int64_t limit);
  // Runs until no event is left or the next one lies beyond `limit`. True if none is left.
  bool run_until_idle(std::int64_t limit);
  // Runs until `done()` holds after an event (or at the start), at most to `limit`; the clock stays
  // at the last event. True if it holds.
  template <class Predicate>
  bool run_while_not(Predicate done, std::int64_t limit) {
    while (!done()) {
      if (!step(limit)) return false;
    }
    return true;
  }
  // Runs one event at or before `limit`; false if there is none. Throws what a task threw.
  bool step(std::int64_t limit) {
    Wakeup* wakeup = nullptr;
    if (!urgent_.empty()) [[unlikely]] {
      wakeup = static_cast<Wakeup*>(urgent_.front());
      wakeup->unlink();
      advance_to(now_);
    } else {
      wakeup = options_.perturb_schedule ? pop_any(limit) : queue_.pop(limit);
      if (wakeup == nullptr) return false;
      advance_to(wakeup->time());
    }
    ++events_;
    if (fingerprint_.enabled()) {
      fingerprint_.record(now_, wakeup->kind(), wakeup->subject(), 0);
    }
    wakeup->run();
    if (failure_) [[unlikely]]
      rethrow();
    return true;
  }

  // Events run so far.
  std::uint64_t events() const { return events_; }
  // Events so far that were not the first of their instant: where order matters.
  std::uint64_t ties() const { return ties_; }

  Fingerprint& fingerprint() { return fingerprint_; }
  const Fingerprint& fingerprint() const { return fingerprint_; }
  Triggers& triggers() { return triggers_; }
  TimerQueue& queue() { return queue_; }

  // An event of the engine or of the world: enters the fingerprint, may pull a trigger.
  void engine_event(std::uint32_t subject, EventName name, std::int64_t a, std::int64_t b);

 private:
  void advance_to(std::int64_t time) {
    if (time != now_) {
      now_ = time;
      instant_start_ = events_;
      return;
    }
    const std::uint64_t before = events_ - instant_start_;
    if (before != 0) ++ties_;
    if (before > options_.events_per_instant_max) [[unlikely]]
      livelock();
  }
  Wakeup* pop_any(std::int64_t limit);
  [[noreturn]] void rethrow();
  [[noreturn]] void livelock() const;

  KernelOptions options_;
  std::int64_t now_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t ties_ = 0;
  std::uint64_t instant_start_ = 0;
  RandomStream perturbation_;
  std::exception_ptr failure_;
  IntrusiveList urgent_;
  TimerQueue queue_;
  Fingerprint fingerprint_;
  Triggers triggers_;
};

}  // namespace drydock::sim
