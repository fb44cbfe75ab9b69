// The leaf of every wait: a suspended coroutine that somebody wakes, a deadline passes, or a scope
// cancels; whichever comes first decides the outcome, once.
#pragma once

#include <coroutine>

#include "engine/runtime/scope.hpp"
#include "engine/runtime/strand.hpp"
#include "engine/types/result.hpp"

namespace drydock {

// Base of the awaiters. A derived awaiter lives in the frame of the coroutine that waits and takes
// itself out of every list in its destructor, so destroying the frame is always safe.
class Waiter : public Wakeup {
 public:
  enum class Outcome : std::uint8_t { pending, signalled, timed_out, cancelled };

  // An uninterruptible wait (Linux's D state: journal, writeback, device) ends when the world says
  // so: neither a cancellation nor a kill ends it, and a kill leaves the frame in place until then.
  // A killable wait ignores cancellation, but a kill destroys it: a join, which ends when the
  // children have; a crash point, which an orderly stop passes too.
  enum class Kind : std::uint8_t { interruptible, uninterruptible, killable, join = killable };

  explicit Waiter(Kind kind = Kind::interruptible)
      : Wakeup(&Waiter::on_run, EventKind::resume, 0), kind_(kind) {}
  ~Waiter() {
    if (strand_ != nullptr) leave();
  }
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  // Registers the wait. False if the scope is cancelled already: then the coroutine goes on at once
  // with outcome `cancelled`.
  template <class Promise>
  bool suspend(std::coroutine_handle<Promise> handle, Deadline deadline = kNever) {
    return enter(handle, *handle.promise().strand(), deadline);
  }

  // Fulfils the wait: the coroutine goes on in an event of its own, later in this moment. No effect
  // if the wait is over. Callable from coroutines and events alike.
  void complete() {
    if (outcome_ != Outcome::pending) return;
    settle(Outcome::signalled);
    strand_->process().post(*this);
  }

  // Fulfils the wait and resumes the coroutine inside the call. Only from events of the world, as
  // their last act: the coroutine may destroy whatever the event belongs to.
  void complete_now() {
    if (outcome_ != Outcome::pending) return;
    settle(Outcome::signalled);
    unlink();
    on_run(*this);
  }

  // Ends the wait because its scope was cancelled. Interruptible waits only.
  void cancel() {
    if (outcome_ != Outcome::pending || kind_ != Kind::interruptible) return;
    settle(Outcome::cancelled);
    reason_ = strand_->scope().reason();
    strand_->process().post(*this);
  }

  Outcome outcome() const { return outcome_; }
  bool waiting() const { return strand_ != nullptr && outcome_ == Outcome::pending; }
  Strand* strand() const { return strand_; }

  // The waiter's place in the list of what it waits for, in order of arrival.
  class Place : public ListLink {
   public:
    explicit Place(Waiter& owner) : owner_(owner) {}
    Waiter& owner() const { return owner_; }

   private:
    Waiter& owner_;
  };
  Place& place() { return place_; }

  // The outcome as a Result: `timed_out` or `cancelled` unless the wait was fulfilled.
  Result<void> result() const {
    if (outcome_ == Outcome::signalled) return {};
    if (outcome_ == Outcome::timed_out) return ErrorCode::timed_out;
    return reason_;
  }

 protected:
  // True while the frame is destroyed by a kill: what was waited for may be gone already.
  bool abandoned() const { return strand_ != nullptr && strand_->process().ending(); }

  // A wait that turned out to be unnecessary: fulfilled without suspending.
  void fulfil_at_once() { outcome_ = Outcome::signalled; }

 private:
  bool enter(std::coroutine_handle<> handle, Strand& strand, Deadline deadline);
  void leave();
  void settle(Outcome outcome) {
    outcome_ = outcome;
    place_.unlink();
    if (counted_) end_uninterruptible();
  }
  void end_uninterruptible();
  static void on_run(Wakeup& wakeup);

  std::coroutine_handle<> handle_;
  Strand* strand_ = nullptr;
  Place place_{*this};
  Outcome outcome_ = Outcome::pending;
  Kind kind_;
  ErrorCode reason_ = ErrorCode::cancelled;
  bool counted_ = false;  // Counted among the process's uninterruptible waits.
};

// A first-come-first-served list of waiters. It may be destroyed with waiters in it only when their
// process is ending; their frames are then destroyed without running.
class WaitList {
 public:
  ~WaitList() {
    while (!places_.empty()) {
      auto& waiter = static_cast<Waiter::Place*>(places_.front())->owner();
      ENSURE(waiter.strand() == nullptr || waiter.strand()->process().ending());
      places_.front()->unlink();
    }
  }
  bool empty() const { return places_.empty(); }
  void push(Waiter& waiter) { places_.push_back(waiter.place()); }
  Waiter& front() { return static_cast<Waiter::Place*>(places_.front())->owner(); }

 private:
  IntrusiveList places_;
};

}  // namespace drydock
