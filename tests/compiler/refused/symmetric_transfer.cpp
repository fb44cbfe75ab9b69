// Refused: await_suspend hands over to the child by returning its handle. g++ makes no tail call of
// it without optimisation or under sanitizers: a loop over children that end at once uses up the
// stack.
//
// Seen with g++ 12.2: -O0 crash, -O2 right, -O2 sanitized crash.
// Seen with clang++ 19: -O2 right, -O1 sanitized right.
// Lint: symmetric-transfer
#include "tests/compiler/task.hpp"

using namespace idiom;

class Leaf {
 public:
  class promise_type {
   public:
    Leaf get_return_object() {
      return Leaf(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    class Handover {
     public:
      Handover() = default;
      bool await_ready() const noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> self) noexcept {
        return self.promise().parent_;
      }
      void await_resume() const noexcept {}
    };
    Handover final_suspend() noexcept { return Handover(); }
    void unhandled_exception() {}
    void return_void() {}
    std::coroutine_handle<> parent_;
  };
  explicit Leaf(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  Leaf(const Leaf&) = delete;
  ~Leaf() { handle_.destroy(); }
  bool await_ready() const { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> parent) {
    handle_.promise().parent_ = parent;
    return handle_;
  }
  void await_resume() const {}

 private:
  std::coroutine_handle<promise_type> handle_;
};

Leaf nothing() { co_return; }

Task<int> story() {
  for (int i = 0; i < 1'000'000; ++i) co_await nothing();
  co_return 1;
}

int main() { return holds(story, 1) ? 0 : 1; }
