// A thread inside a call of the kernel, which goes on there while its process is stopped.
#pragma once

#include "engine/runtime/waiter.hpp"

namespace drydock::sim {

// `const StopCauses before = co_await PassStops(StopCauses::all());`
// From here on stops of these causes do not stop this chain of coroutines. Does not wait.
class [[nodiscard]] PassStops {
 public:
  explicit PassStops(StopCauses causes) : causes_(causes) {}
  bool await_ready() const { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> handle) {
    Strand& strand = *handle.promise().strand();
    before_ = strand.passes();
    strand.set_passes(causes_);
    return false;
  }
  StopCauses await_resume() const { return before_; }

 private:
  StopCauses causes_;
  StopCauses before_;
};

// `co_await ReturnFromKernel(before);`
// The way back: from here on the chain stops with its process again, at once if that is stopped.
class [[nodiscard]] ReturnFromKernel : public Waiter {
 public:
  explicit ReturnFromKernel(StopCauses before) : Waiter(Kind::killable), before_(before) {}
  bool await_ready() const { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> handle) {
    Strand& strand = *handle.promise().strand();
    strand.set_passes(before_);
    if (strand.process().runs_past(before_)) return false;
    if (!suspend(handle)) return false;
    complete();  // Kept by the process until it proceeds.
    return true;
  }
  void await_resume() const {}

 private:
  StopCauses before_;
};

}  // namespace drydock::sim
