// A sleep of a throttled writer.
#pragma once

#include "engine/runtime/waiter.hpp"
#include "engine/runtime/worker.hpp"
#include "sim/kernel/kernel.hpp"

namespace drydock::sim {

// `co_await TickSleep(kernel, wake_ns, worker, clock);`
// Sleeps until virtual time `wake_ns`, the worker stuck in the dirty throttle meanwhile. Killable:
// a kill ends it, a cancellation does not.
class [[nodiscard]] TickSleep : public Waiter {
 public:
  TickSleep(Kernel& kernel, std::int64_t wake_ns, Worker& worker, const Clock& clock)
      : Waiter(Kind::killable),
        kernel_(kernel),
        wake_ns_(wake_ns),
        worker_(worker),
        clock_(clock) {}
  bool await_ready() const { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> handle) {
    if (!suspend(handle)) return false;
    kernel_.at(*this, wake_ns_);
    worker_.set_wait(WaitPlace::dirty_throttle, clock_.now());
    return true;
  }
  void await_resume() { worker_.set_wait(WaitPlace::none, clock_.now()); }

 private:
  Kernel& kernel_;
  std::int64_t wake_ns_;
  Worker& worker_;
  const Clock& clock_;
};

}  // namespace drydock::sim
