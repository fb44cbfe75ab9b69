#include "engine/runtime/waiter.hpp"

namespace drydock {

bool Waiter::enter(std::coroutine_handle<> handle, Strand& strand, Deadline deadline) {
  if (kind_ == Kind::interruptible && strand.scope().cancelled()) [[unlikely]] {
    outcome_ = Outcome::cancelled;
    reason_ = strand.scope().reason();
    return false;
  }
  handle_ = handle;
  strand_ = &strand;
  strand.set_waiting(this);
  ProcessState& process = strand.process();
  set_label(EventKind::resume, process.id().value());
  if (kind_ == Kind::uninterruptible) {
    process.enter_uninterruptible();
    counted_ = true;
  }
  if (deadline != kNever) process.clock().arm(*this, deadline);
  return true;
}

void Waiter::leave() {
  place_.unlink();
  unlink();
  strand_->set_waiting(nullptr);
  if (counted_) end_uninterruptible();
  strand_ = nullptr;
}

void Waiter::end_uninterruptible() {
  counted_ = false;
  strand_->process().leave_uninterruptible();
}

void Waiter::on_run(Wakeup& wakeup) {
  auto& self = static_cast<Waiter&>(wakeup);
  ProcessState& process = self.strand_->process();
  // Also in a process that may not run: a deadline that passes during a stop has passed.
  if (self.outcome_ == Outcome::pending) self.settle(Outcome::timed_out);
  if (!process.running() && !process.runs_past(self.strand_->passes())) [[unlikely]] {
    process.park(self);
    return;
  }
  Strand* const strand = std::exchange(self.strand_, nullptr);
  strand->set_waiting(nullptr);
  strand->resume(self.handle_);
}

}  // namespace drydock
