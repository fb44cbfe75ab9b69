// A device that answers when the test says so: the uninterruptible waits of a process.
#pragma once

#include <vector>

#include "engine/runtime/waiter.hpp"

namespace drydock::test {

class Device {
 public:
  class [[nodiscard]] Awaiter : public Waiter {
   public:
    Awaiter(Device& device, Deadline deadline)
        : Waiter(Kind::uninterruptible), device_(device), deadline_(deadline) {}
    bool await_ready() const { return false; }
    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> handle) {
      if (!suspend(handle, deadline_)) return false;
      device_.waiters_.push(*this);
      return true;
    }
    void await_resume() const {}

   private:
    Device& device_;
    Deadline deadline_;
  };

  Awaiter wait(Deadline deadline = kNever) { return Awaiter(*this, deadline); }
  bool idle() const { return waiters_.empty(); }
  // Answers the oldest command.
  void complete() { waiters_.front().complete(); }
  void complete_now() { waiters_.front().complete_now(); }

 private:
  WaitList waiters_;
};

}  // namespace drydock::test
