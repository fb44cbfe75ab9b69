// A sleep of a throttled writer.
#pragma once

#include "engine/runtime/waiter.hpp"
#include "sim/kernel/kernel.hpp"

namespace drydock::sim {

// `co_await TickSleep(kernel, wake_ns);`
// Sleeps until virtual time `wake_ns`. Killable: a kill ends it, a cancellation does not.
class [[nodiscard]] TickSleep : public Waiter {
 public:
  TickSleep(Kernel& kernel, std::int64_t wake_ns)
      : Waiter(Kind::killable), kernel_(kernel), wake_ns_(wake_ns) {}
  bool await_ready() const { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> handle) {
    if (!suspend(handle)) return false;
    kernel_.at(*this, wake_ns_);
    return true;
  }
  void await_resume() {}

 private:
  Kernel& kernel_;
  std::int64_t wake_ns_;
};

}  // namespace drydock::sim
