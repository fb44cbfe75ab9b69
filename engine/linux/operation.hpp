// A call that may block, as an object that outlives whoever asked for it.
//
// Life: made by a coroutine; given to Operations, which keeps it alive while it is in flight; its
// work is done by a lane's thread, by the ring or, if it is usually brief, by the run loop's own
// thread between two wake-ups; from the former it comes back through the mailbox or the ring's
// eventfd and completes its waiter, or nothing if the waiter is gone. Made, completed and destroyed
// on the executor's thread: its bytes are counted with plain integers.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "engine/runtime/waiter.hpp"
#include "engine/runtime/worker.hpp"
#include "engine/types/result.hpp"

namespace drydock::on_linux {

class IoOperation;
class LinuxWorker;
class Operations;
class OperationWait;

class Operation {
 public:
  Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  virtual ~Operation() = default;

  // The work. Runs on a lane's thread, which owns the object's plain members and the memory that
  // they point to until it returns; counted bytes and shared objects stay untouched.
  virtual void run() noexcept = 0;
  // It seldom blocks: the run loop's own thread may do it, under watch (StandIn).
  virtual bool usually_brief() const { return false; }
  // Not null if the ring can do it instead.
  virtual IoOperation* as_io() { return nullptr; }

 private:
  friend class OperationWait;
  friend class Operations;
  OperationWait* wait_ = nullptr;
  std::shared_ptr<Operation> in_flight_;  // Itself, while a thread or the kernel may use it.
};

// Any function as an operation. `T` is what it returns; its captures are destroyed with the
// operation, on the executor's thread.
template <class T>
class Call : public Operation {
 public:
  explicit Call(std::function<T()> function) : function_(std::move(function)) {}
  void run() noexcept override { value_.emplace(function_()); }
  // Once, after the operation has completed.
  T take() {
    ENSURE(value_.has_value());
    return std::move(*value_);
  }

 private:
  std::function<T()> function_;
  std::optional<T> value_;
};

// What a coroutine waits on. Uninterruptible: a killed process keeps its frame, and with it its
// descriptors, until the work is done. A frame that goes earlier (its scope is destroyed while the
// process lives, or the world ends) detaches: the operation then completes into nothing.
class [[nodiscard]] OperationWait : public Waiter {
 public:
  // No worker: the world's own lane does it. `place` is the kind of wait that this call may meet,
  // not a claim that it does: which one a thread is in only the kernel knows.
  OperationWait(Operations& operations, Worker* worker, std::shared_ptr<Operation> operation,
                WaitPlace place);
  ~OperationWait();

  bool await_ready() const { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> handle) {
    if (!suspend(handle)) return false;  // Never: uninterruptible waits always begin.
    start();
    return true;
  }
  void await_resume() const {}

 private:
  void start();

  Operations& operations_;
  LinuxWorker* worker_;
  std::shared_ptr<Operation> operation_;
  WaitPlace place_;
  bool started_ = false;
};

}  // namespace drydock::on_linux
