// Waiting for the tasks of a scope.
#pragma once

#include "engine/runtime/scope.hpp"
#include "engine/runtime/waiter.hpp"

namespace drydock {

// One task at a time may join a scope. The wait is interruptible by a kill only.
class TaskScope::JoinAwaiter : public Waiter {
 public:
  explicit JoinAwaiter(TaskScope& scope) : Waiter(Kind::join), scope_(scope) {}
  ~JoinAwaiter() {
    if (scope_.joiner_ == this) scope_.joiner_ = nullptr;
  }
  bool await_ready() const { return scope_.empty(); }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> handle) {
    ENSURE(scope_.joiner_ == nullptr);
    scope_.joiner_ = this;
    return suspend(handle);
  }
  void await_resume() const {}

 private:
  TaskScope& scope_;
};

}  // namespace drydock
