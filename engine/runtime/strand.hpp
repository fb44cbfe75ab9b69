// One spawned chain of coroutines: what a thread's stack is to a thread.
#pragma once

#include <coroutine>
#include <exception>

#include "engine/runtime/process_state.hpp"

namespace drydock {

class TaskScope;
class Waiter;

// The coroutine at the top of the chain was spawned in a scope; each coroutine below it is awaited
// by the one above. Exactly one of them, the leaf, runs or waits.
//
// Resuming is a loop here, not a nest of calls: a coroutine that ends names its parent as the next
// to go on (`continue_with`) and returns. So a frame is never destroyed while it is on the stack,
// and the stack does not grow with the number of completions. Symmetric transfer would do the same
// only where the compiler makes it a tail call, which -O0 and the sanitizers do not.
class Strand : public ListLink {
 public:
  Strand(ProcessState& process, TaskScope& scope) : process_(process), scope_(scope) {}

  ProcessState& process() const { return process_; }
  TaskScope& scope() const { return scope_; }

  // Stops of the process that do not stop this chain: those of no kind, unless it is in the kernel,
  // which a signal to its process does not stop, or is the virtual machine's own thread.
  StopCauses passes() const { return passes_; }
  void set_passes(StopCauses causes) { passes_ = causes; }

  // Runs `handle` and everything that follows from it without waiting. Only from an event.
  void resume(std::coroutine_handle<> handle);

  // Called by a coroutine's final suspension.
  void continue_with(std::coroutine_handle<> parent) { next_ = parent; }
  void finish(std::exception_ptr exception) {
    finished_ = true;
    exception_ = std::move(exception);
  }

  // The leaf that waits, or null while the chain runs. Set by Waiter alone.
  Waiter* waiting() const { return waiting_; }
  void set_waiting(Waiter* waiter) { waiting_ = waiter; }
  bool running() const { return running_; }

 protected:
  void drop_exception() { exception_ = nullptr; }

 private:
  ProcessState& process_;
  TaskScope& scope_;
  std::coroutine_handle<> next_;
  Waiter* waiting_ = nullptr;
  std::exception_ptr exception_;
  StopCauses passes_;
  bool running_ = false;
  bool finished_ = false;
};

}  // namespace drydock
