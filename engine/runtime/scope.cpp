#include "engine/runtime/scope.hpp"

#include "engine/runtime/join.hpp"
#include "engine/runtime/waiter.hpp"

namespace drydock {

// A strand with the frame at its top and the event that starts it. Lives in the room in front of
// that frame, which is given back with it.
struct TaskScope::SpawnedStrand : Strand {
  class Starter : public Wakeup {
   public:
    explicit Starter(SpawnedStrand& strand)
        : Wakeup(&Starter::on_run, EventKind::resume, strand.process().id().value()),
          strand_(strand) {}

   private:
    static void on_run(Wakeup& wakeup) {
      SpawnedStrand& strand = static_cast<Starter&>(wakeup).strand_;
      if (!strand.process().running()) return strand.process().park(wakeup);
      strand.resume(strand.top);
    }
    SpawnedStrand& strand_;
  };

  SpawnedStrand(ProcessState& process, TaskScope& scope, Task<void>::Handle frame)
      : Strand(process, scope), top(frame) {
    top.promise().start_at_top(this);
  }
  static SpawnedStrand& make(ProcessState& process, TaskScope& scope, Task<void> task) {
    const Task<void>::Handle frame = task.release();
    return *new (Task<void>::strand_room(frame)) SpawnedStrand(process, scope, frame);
  }
  // Ends the strand. What the frame's locals still need of it stays readable until the frame is
  // gone, and the memory of both with it; so no destructor runs, and nothing may be left to free.
  void destroy() {
    unlink();
    starter.unlink();
    drop_exception();
    top.destroy();
  }

  Task<void>::Handle top;
  Starter starter{*this};
};

void Strand::resume(std::coroutine_handle<> handle) {
  ENSURE(!running_);
  running_ = true;
  while (handle) {
    next_ = nullptr;
    handle.resume();
    handle = next_;
  }
  running_ = false;
  if (finished_) scope_.finished(*this, std::move(exception_));
}

TaskScope::TaskScope(ProcessState& process) : process_(process) {}

TaskScope::TaskScope(TaskScope& parent)
    : process_(parent.process_), cancelled_(parent.cancelled_), reason_(parent.reason_) {
  parent.children_.push_back(link_);
}

TaskScope::~TaskScope() { destroy_tasks(); }

void TaskScope::spawn(Task<void> task) {
  if (process_.ending()) return;
  static_assert(sizeof(SpawnedStrand) <= PromiseBase::kStrandRoom);
  SpawnedStrand& strand = SpawnedStrand::make(process_, *this, std::move(task));
  strands_.push_back(strand);
  process_.post(strand.starter);
}

TaskScope::JoinAwaiter TaskScope::join() { return JoinAwaiter(*this); }

void TaskScope::cancel(ErrorCode reason) {
  if (cancelled_) return;
  cancelled_ = true;
  reason_ = reason;
  deadliner_.unlink();
  if (!strands_.empty()) {
    for (ListLink* link = strands_.front(); link != nullptr; link = strands_.after(link)) {
      Waiter* const waiter = static_cast<Strand*>(link)->waiting();
      if (waiter != nullptr) waiter->cancel();
    }
  }
  if (!children_.empty()) {
    for (ListLink* link = children_.front(); link != nullptr; link = children_.after(link)) {
      static_cast<ChildLink*>(link)->scope().cancel(reason);
    }
  }
}

void TaskScope::set_deadline(Deadline deadline) {
  deadliner_.unlink();
  if (deadline == kNever || cancelled_) return;
  deadliner_.set_label(EventKind::timer, process_.id().value());
  process_.clock().arm(deadliner_, deadline);
}

void TaskScope::Deadliner::on_run(Wakeup& wakeup) {
  TaskScope& scope = static_cast<Deadliner&>(wakeup).scope_;
  if (!scope.process_.running()) return scope.process_.park(wakeup);
  scope.cancel(ErrorCode::timed_out);
}

void TaskScope::destroy_tasks() {
  // The scopes below first: their tasks may use anything that lives in our frames.
  while (!children_.empty()) {
    auto* const link = static_cast<ChildLink*>(children_.back());
    link->unlink();
    link->scope().destroy_tasks();
  }
  while (!strands_.empty()) {
    auto* const strand = static_cast<SpawnedStrand*>(strands_.back());
    ENSURE(!strand->running());
    strand->destroy();
  }
  if (joiner_ != nullptr) std::exchange(joiner_, nullptr)->complete();
}

void TaskScope::finished(Strand& strand, std::exception_ptr exception) {
  static_cast<SpawnedStrand&>(strand).destroy();
  if (exception != nullptr) process_.executor().fail(std::move(exception));
  if (strands_.empty() && joiner_ != nullptr) std::exchange(joiner_, nullptr)->complete();
}

}  // namespace drydock
