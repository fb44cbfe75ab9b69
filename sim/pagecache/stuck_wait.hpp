// How a worker waits inside the kernel.
#pragma once

#include "engine/runtime/waiter.hpp"
#include "engine/runtime/worker.hpp"

namespace drydock::sim {

// `co_await StuckWait(list, worker, WaitPlace::writeback, clock);`
// Waits in `list` until somebody completes the wait, the worker stuck at `place` meanwhile. What
// the wait was for must be checked again afterwards. Uninterruptible (D state) by default;
// Waiter::Kind::join makes it killable: a kill ends it, a cancellation does not, as with the sleep
// of a throttled writer.
class [[nodiscard]] StuckWait : public Waiter {
 public:
  StuckWait(WaitList& list, Worker& worker, WaitPlace place, const Clock& clock,
            Kind kind = Kind::uninterruptible)
      : Waiter(kind), list_(list), worker_(worker), clock_(clock), place_of_wait_(place) {}
  bool await_ready() const { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> handle) {
    if (!suspend(handle)) return false;
    list_.push(*this);
    worker_.set_wait(place_of_wait_, clock_.now());
    return true;
  }
  void await_resume() { worker_.set_wait(WaitPlace::none, clock_.now()); }

 private:
  WaitList& list_;
  Worker& worker_;
  const Clock& clock_;
  WaitPlace place_of_wait_;
};

// Ends every wait of the list.
inline void wake_all(WaitList& list) {
  while (!list.empty()) list.front().complete();
}

}  // namespace drydock::sim
