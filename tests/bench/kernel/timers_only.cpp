// timers-only on the kernel: a timer is an entry of its queue, cancelling takes it out.
#include "tests/bench/workloads/timers_only.hpp"

#include <deque>

#include "tests/bench/kernel/workloads.hpp"

namespace drydock::bench {
namespace {

class TimerWorld {
 public:
  explicit TimerWorld(sim::Kernel& kernel) : kernel_(kernel) {
    for (std::uint32_t id = 0; id < TimersOnly::kTimers; ++id) timers_.emplace_back(*this, id);
  }

  void run() {
    Draws draws(4, 0);
    for (Timer& timer : timers_) kernel_.at(timer, TimersOnly::draw_delay_ns(draws));
    kernel_.at(ticker_, TimersOnly::kTickNs);
    kernel_.run_until_idle(kNever.count_ns());
  }

  const ExpiryLog& log() const { return log_; }

 private:
  class Timer : public Wakeup {
   public:
    Timer(TimerWorld& world, std::uint32_t id)
        : Wakeup(&Timer::on_run, EventKind::timer, id), world_(world) {}

   private:
    static void on_run(Wakeup& wakeup) {
      static_cast<Timer&>(wakeup).world_.log_.expired(wakeup.subject(), wakeup.time());
    }
    TimerWorld& world_;
  };
  class Ticker : public Wakeup {
   public:
    explicit Ticker(TimerWorld& world)
        : Wakeup(&Ticker::on_run, EventKind::user, 0), world_(world) {}

   private:
    static void on_run(Wakeup& wakeup) { static_cast<Ticker&>(wakeup).world_.tick(); }
    TimerWorld& world_;
  };

  void tick() {
    for (std::uint32_t i = 0; i < TimersOnly::kCancelledPerTick; ++i) {
      timers_[TimersOnly::cancelled(next_cancelled_++)].unlink();
    }
    if (next_cancelled_ < TimersOnly::kTicks * TimersOnly::kCancelledPerTick) {
      kernel_.after(ticker_, Duration::ns(TimersOnly::kTickNs));
    }
  }

  sim::Kernel& kernel_;
  std::deque<Timer> timers_;
  Ticker ticker_{*this};
  std::uint32_t next_cancelled_ = 0;
  ExpiryLog log_;
};

}  // namespace

Record kernel_timers_only(const Options& options) {
  Record record;
  Stopwatch watch;
  sim::Kernel kernel({.seed = 1});
  prepare(kernel, options);
  TimerWorld world(kernel);
  watch.started();
  world.run();
  watch.finish(record);
  record.timeouts = world.log().count();
  record.checksum = world.log().checksum();
  take_totals(kernel, record);
  return record;
}

}  // namespace drydock::bench
