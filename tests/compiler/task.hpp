// What the idiom programs share: a coroutine type as small as it can be and as the engine's own is
// built (lazy, one owner, a child starts inside await_suspend, which answers bool), and values that
// notice when a compiler destroys them twice, leaks them or moves their bytes.
//
// A program holds `Task<int> story()` and calls `holds(story, expected)`: the story is run to its
// end, and killed at each of its suspension points.
#pragma once

#include <coroutine>
#include <cstdio>
#include <exception>
#include <optional>
#include <utility>

namespace idiom {

// A value whose life is counted. Its number is on the heap, so that sanitizers watch it too.
class Tracked {
 public:
  explicit Tracked(int number) : self_(this), number_(new int(number)) { ++alive; }
  Tracked(const Tracked& other) : self_(this), number_(new int(other.number())) { ++alive; }
  Tracked(Tracked&& other) noexcept : self_(this), number_(std::exchange(other.number_, nullptr)) {
    ++alive;
  }
  Tracked& operator=(const Tracked&) = delete;
  ~Tracked() {
    if (self_ != this) ++broken;  // Destroyed before, or copied byte by byte.
    self_ = nullptr;
    --alive;
    delete number_;
    number_ = nullptr;
  }
  int number() const { return self_ == this && number_ != nullptr ? *number_ : -1; }

  static inline int alive = 0;
  static inline int broken = 0;

 private:
  const void* self_;
  int* number_;
};

// Who is resumed next: a coroutine that has ended names its parent here, and a parked one itself.
inline std::coroutine_handle<> next_up;
inline std::coroutine_handle<> parked;

class PromiseBase {
 public:
  std::suspend_always initial_suspend() noexcept { return {}; }
  class FinalAwaiter {
   public:
    explicit FinalAwaiter(PromiseBase& promise) noexcept : promise_(promise) {}
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<>) noexcept {
      promise_.done_ = true;
      if (!promise_.starting_) next_up = promise_.parent_;
    }
    void await_resume() const noexcept {}

   private:
    PromiseBase& promise_;
  };
  FinalAwaiter final_suspend() noexcept { return FinalAwaiter(*this); }
  void unhandled_exception() { exception_ = std::current_exception(); }

  bool start_below(std::coroutine_handle<> parent, std::coroutine_handle<> self) {
    parent_ = parent;
    starting_ = true;
    self.resume();
    starting_ = false;
    return !done_;
  }

 protected:
  void rethrow_if_failed() const {
    if (exception_) std::rethrow_exception(exception_);
  }

 private:
  std::coroutine_handle<> parent_;
  std::exception_ptr exception_;
  bool starting_ = false;
  bool done_ = false;
};

template <class T>
class [[nodiscard]] Task {
 public:
  class promise_type : public PromiseBase {
   public:
    Task get_return_object() {
      return Task(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    void return_value(T value) { value_.emplace(std::move(value)); }
    T take() {
      rethrow_if_failed();
      return std::move(*value_);
    }

   private:
    std::optional<T> value_;
  };
  using Handle = std::coroutine_handle<promise_type>;

  explicit Task(Handle handle) : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  ~Task() {
    if (handle_) handle_.destroy();
  }

  class Awaiter {
   public:
    explicit Awaiter(Handle handle) : handle_(handle) {}
    bool await_ready() const { return false; }
    bool await_suspend(std::coroutine_handle<> parent) {
      return handle_.promise().start_below(parent, handle_);
    }
    T await_resume() { return handle_.promise().take(); }

   private:
    Handle handle_;
  };
  Awaiter operator co_await() && { return Awaiter(handle_); }

  // Runs the coroutine until it has ended or is parked.
  void start() { resume(handle_); }
  // Wakes the one that is parked. False: nobody is, though the coroutine hasn't ended.
  bool wake() {
    if (!parked) return false;
    resume(std::exchange(parked, nullptr));
    return true;
  }
  bool done() const { return handle_.done(); }
  T take() { return handle_.promise().take(); }

 private:
  static void resume(std::coroutine_handle<> handle) {
    while (handle) {
      handle.resume();
      handle = std::exchange(next_up, nullptr);
    }
  }
  Handle handle_;
};

// Suspends until it is woken; takes itself back when its frame is destroyed first.
class Park {
 public:
  Park() = default;
  explicit Park(int answer) : answer_(answer) {}
  Park(const Park&) = delete;
  ~Park() {
    if (parked == self_) parked = nullptr;
  }
  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> handle) { parked = self_ = handle; }
  int await_resume() const { return answer_.number(); }

 private:
  std::coroutine_handle<> self_;
  Tracked answer_{0};
};

inline bool fails(const char* what, int detail) {
  std::printf("%s (%d); alive %d, broken %d\n", what, detail, Tracked::alive, Tracked::broken);
  return false;
}

// Runs `story()` to its end; its number must be `expected`.
template <class Story>
bool ends_with(Story story, int expected, int& suspensions) {
  Task<int> task = story();
  task.start();
  for (suspensions = 0; !task.done(); ++suspensions) {
    if (!task.wake()) return fails("nobody is parked, after suspension", suspensions);
  }
  const int got = task.take();
  return got == expected || fails("wrong result", got);
}

// As above; then the story is dropped unstarted, and killed at each of its suspension points.
template <class Story>
bool holds(Story story, int expected) {
  int suspensions = 0;
  if (!ends_with(story, expected, suspensions)) return false;
  for (int at = -1; at < suspensions; ++at) {
    {
      Task<int> task = story();
      if (at >= 0) task.start();
      for (int i = 0; i < at; ++i) {
        if (!task.wake()) return fails("nobody is parked, after suspension", i);
      }
    }
    if (parked) return fails("still registered, killed at", at);
    if (Tracked::alive != 0 || Tracked::broken != 0) return fails("damage, killed at", at);
  }
  return true;
}

}  // namespace idiom
