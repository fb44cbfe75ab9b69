// Task<T>: a coroutine that starts when it is awaited or spawned, has one owner, and is destroyed
// with it.
//
// Discipline (style guide, section 2; enforced by a lint): a co_await is a whole statement, the
// initialiser of one named local, or the operand of co_return; the awaited expression contains no
// brace. Parameters are taken by value, or are references that outlive the scope.
#pragma once

#include <coroutine>
#include <cstdint>
#include <exception>
#include <new>
#include <optional>
#include <utility>

#include "engine/runtime/strand.hpp"
#include "engine/types/memory_pool.hpp"
#include "engine/types/result.hpp"

namespace drydock {

// What every coroutine of the engine has: its strand, and who goes on when it ends.
class PromiseBase {
 public:
  Strand* strand() const { return strand_; }

  // In front of every frame there is room for the strand that begins with it, so that resuming a
  // chain touches one stretch of memory. The word at the start of the room marks it.
  static constexpr std::size_t kStrandRoom = 128;
  static constexpr std::uint64_t kRoomMark = 0x6472'7964'6f63'6b31;
  static void* operator new(std::size_t size) {
    auto* const room = static_cast<std::byte*>(pool_allocate(size + kStrandRoom));
    new (room) std::uint64_t(kRoomMark);
    return room + kStrandRoom;
  }
  static void operator delete(void* memory, std::size_t size) noexcept {
    pool_free(static_cast<std::byte*>(memory) - kStrandRoom, size + kStrandRoom);
  }

  std::suspend_always initial_suspend() noexcept { return {}; }

  // At the end: the parent goes on, unless it is still inside the call that started this coroutine
  // (then it sees `done`), or the strand is over.
  class FinalAwaiter {
   public:
    explicit FinalAwaiter(PromiseBase& promise) noexcept : promise_(promise) {}
    bool await_ready() noexcept { return false; }
    void await_suspend(std::coroutine_handle<>) noexcept { promise_.completed(); }
    void await_resume() noexcept {}

   private:
    PromiseBase& promise_;
  };
  FinalAwaiter final_suspend() noexcept { return FinalAwaiter(*this); }
  void unhandled_exception() noexcept { exception_ = std::current_exception(); }

  // Starts the coroutine as the child of `parent`. True if it has to be waited for.
  bool start_below(Strand* strand, std::coroutine_handle<> parent, std::coroutine_handle<> self) {
    strand_ = strand;
    parent_ = parent;
    starting_ = true;
    self.resume();
    starting_ = false;
    return !done_;
  }
  // Makes the coroutine the top of `strand`, which resumes it.
  void start_at_top(Strand* strand) { strand_ = strand; }

 protected:
  void rethrow_if_failed() {
    if (exception_ != nullptr) [[unlikely]]
      std::rethrow_exception(exception_);
  }

 private:
  void completed() noexcept {
    done_ = true;
    if (starting_) return;
    if (parent_) {
      strand_->continue_with(parent_);
    } else {
      strand_->finish(std::move(exception_));
    }
  }

  Strand* strand_ = nullptr;
  std::coroutine_handle<> parent_;
  std::exception_ptr exception_;
  bool starting_ = false;
  bool done_ = false;
};

template <class T>
class TaskPromise : public PromiseBase {
 public:
  auto get_return_object() { return std::coroutine_handle<TaskPromise>::from_promise(*this); }
  template <class U>
  void return_value(U&& value) {
    value_.emplace(std::forward<U>(value));
  }
  T take() {
    rethrow_if_failed();
    return std::move(*value_);
  }

 private:
  std::optional<T> value_;
};

template <>
class TaskPromise<void> : public PromiseBase {
 public:
  auto get_return_object() { return std::coroutine_handle<TaskPromise>::from_promise(*this); }
  void return_void() {}
  void take() { rethrow_if_failed(); }
};

template <class T>
class [[nodiscard]] Task {
 public:
  using promise_type = TaskPromise<T>;
  using Handle = std::coroutine_handle<promise_type>;

  Task(Handle handle) : handle_(handle) {}  // NOLINT: what the compiler makes a Task from.
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Task() {
    if (handle_) handle_.destroy();
  }

  class Awaiter {
   public:
    explicit Awaiter(Handle handle) : handle_(handle) {}
    bool await_ready() const { return false; }
    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> parent) {
      return handle_.promise().start_below(parent.promise().strand(), parent, handle_);
    }
    T await_resume() { return handle_.promise().take(); }

   private:
    Handle handle_;
  };
  Awaiter operator co_await() && { return Awaiter(handle_); }

  // Gives the frame away: the caller resumes and destroys it.
  Handle release() { return std::exchange(handle_, nullptr); }

  // The room in front of a frame. That a frame begins where operator new said is a property of g++
  // and clang, not of the language: hence the mark.
  static void* strand_room(Handle frame) {
    void* const room = static_cast<std::byte*>(frame.address()) - PromiseBase::kStrandRoom;
    ENSURE(*static_cast<std::uint64_t*>(room) == PromiseBase::kRoomMark);
    return room;
  }

 private:
  Handle handle_;
};

}  // namespace drydock
