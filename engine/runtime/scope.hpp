// Structured lifetime: tasks belong to a scope, and do not outlive it.
#pragma once

#include "engine/runtime/process_state.hpp"
#include "engine/runtime/task.hpp"
#include "engine/types/time.hpp"

namespace drydock {

class Waiter;

// Owns the tasks spawned in it. Three ways to end:
//
//   join     wait until every task has ended by itself;
//   cancel   orderly: every wait inside ends with `cancelled` (or `timed_out` for a deadline), now
//            and from now on, in this scope and the scopes below it; then join;
//   destroy  kill -9: the frames go, children before parents and the youngest first; nothing more
//            runs. Destructors of frames free memory and deregister, and do no I/O.
//
// A scope below another one is made inside a task of the upper one (a local of its frame, or a
// member of an object owned there), so it is gone before that task is.
class TaskScope {
 public:
  // The root scope of a process; owned by the world.
  explicit TaskScope(ProcessState& process);
  // A scope below `parent`, cancelled with it.
  explicit TaskScope(TaskScope& parent);
  ~TaskScope();
  TaskScope(const TaskScope&) = delete;
  TaskScope& operator=(const TaskScope&) = delete;

  // Adds a task. It starts later in this moment, in an event of its own. In an ending process the
  // task is destroyed unstarted.
  void spawn(Task<void> task);

  // Waits until no task is left. Not ended by a cancellation: cancelled children end by themselves.
  class JoinAwaiter;
  JoinAwaiter join();

  // Cancels every wait in this scope and below. `reason` is cancelled or timed_out.
  void cancel(ErrorCode reason = ErrorCode::cancelled);
  bool cancelled() const { return cancelled_; }
  // Why the scope was cancelled. Only if it was.
  ErrorCode reason() const { return reason_; }

  // Cancels the scope with `timed_out` when the process's clock reaches `deadline`. Replaces an
  // earlier deadline; kNever takes it back.
  void set_deadline(Deadline deadline);

  ProcessState& process() const { return process_; }
  bool empty() const { return strands_.empty(); }

  // Destroys every task, as the destructor does; the scope can be used again afterwards. None of
  // its tasks may be running.
  void destroy_tasks();

 private:
  friend class Strand;
  class Start;
  struct SpawnedStrand;

  void finished(Strand& strand, std::exception_ptr exception);

  class Deadliner : public Wakeup {
   public:
    explicit Deadliner(TaskScope& scope)
        : Wakeup(&Deadliner::on_run, EventKind::timer, 0), scope_(scope) {}

   private:
    static void on_run(Wakeup& wakeup);
    TaskScope& scope_;
  };
  class ChildLink : public ListLink {
   public:
    explicit ChildLink(TaskScope& scope) : scope_(scope) {}
    TaskScope& scope() const { return scope_; }

   private:
    TaskScope& scope_;
  };

  ProcessState& process_;
  IntrusiveList strands_;
  IntrusiveList children_;
  ChildLink link_{*this};
  Deadliner deadliner_{*this};
  Waiter* joiner_ = nullptr;
  bool cancelled_ = false;
  ErrorCode reason_ = ErrorCode::cancelled;
};

}  // namespace drydock
